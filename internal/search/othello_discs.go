package search

import "math/bits"

// The endgame search of Othello works on the middle of an 8×8 board, whatever the size: the
// cells around a smaller board are empty, and nobody plays there. So rays, lines and
// symmetries are for 8×8 boards.

// padded moves the cells of an n×n board to the middle of an 8×8 one.
func padded(cells uint64, n int) (wide uint64) {
	edge := (8 - n) / 2
	for row := range n {
		wide |= cells >> (row * n) & (1<<n - 1) << (8*(row+edge) + edge)
	}
	return wide
}

// discs is a position of Othello on the padded board.
type discs struct{ own, other uint64 }

// final returns the score of the player to move when the game is over with some empty cells.
func (d discs) final(empty uint64) int {
	return finalScore(bits.OnesCount64(d.own)-bits.OnesCount64(d.other), bits.OnesCount64(empty))
}

func (d discs) swapped() discs { return discs{d.other, d.own} }

func (d discs) hash() uint64 {
	mixed := (d.own*0x9e3779b97f4a7c15 ^ bits.RotateLeft64(d.other*0xc2b2ae3d27d4eb4f, 32)) * 0x9fb21c651e98df25
	return (mixed ^ mixed>>29) * 0x9e3779b97f4a7c15
}

func (d discs) after(cell int, flips uint64) discs {
	return discs{d.other &^ flips, d.own | flips | 1<<(cell&63)}
}

// rays are the cells from each cell to the edge: up to higher cells, down to lower ones.
type rays struct{ up, down [4]uint64 }

// Tables by the cell.
var (
	raysFrom   [64]rays
	neighbours [64]uint64
	linesOf    [64][4]uint64 // row, falling diagonal, column and rising diagonal
)

// directions are the directions of rays upwards, as rows and columns.
var directions = [4][2]int{{0, 1}, {1, -1}, {1, 0}, {1, 1}}

// lastFlips counts what the last disc of a line of eight flips, by its place and the player's discs.
var lastFlips [8][256]uint8

func init() {
	for cell := range 64 {
		r := &raysFrom[cell]
		*r = newRays(8, cell)
		neighbours[cell] = around(1<<cell) &^ (1 << cell)
		for i := range directions {
			linesOf[cell][i] = r.up[i] | r.down[i] | 1<<cell
		}
	}
	for place := range 8 {
		for own := range 256 {
			for _, step := range []int{-1, 1} {
				run := place + step
				for 0 <= run && run < 8 && own>>run&1 == 0 {
					run += step
				}
				if 0 <= run && run < 8 {
					lastFlips[place][own] += uint8(max(run-place, place-run) - 1)
				}
			}
		}
	}
}

func newRays(n, cell int) (r rays) {
	ray := func(down, right int) (cells uint64) {
		for row, col := cell/n+down, cell%n+right; 0 <= row && row < n && 0 <= col && col < n; row, col = row+down, col+right {
			cells |= 1 << (row*n + col)
		}
		return cells
	}
	for i, d := range directions {
		r.up[i], r.down[i] = ray(d[0], d[1]), ray(-d[0], -d[1])
	}
	return r
}

// upwards returns the discs that are flipped in a ray to higher cells: those below its first
// cell without a disc of the opponent, if the player has that.
func upwards(ray, own, notOther uint64) uint64 {
	stop := ray & notOther
	stop &= -stop & own
	var one uint64
	if stop != 0 {
		one = 1
	}
	return (stop - one) & ray
}

// downwards is upwards for a ray to lower cells, given the player's discs moved by one.
func downwards(ray, ownNext, notOther uint64) uint64 {
	return -(1 << (bits.Len64(ray&notOther) & 63) & ownNext) & ray
}

// flips returns what a disc of own flips in the rays from its cell.
func (r *rays) flips(own, other uint64) uint64 {
	notOther, ownNext := ^other, own<<1
	return upwards(r.up[0], own, notOther) | upwards(r.up[1], own, notOther) |
		upwards(r.up[2], own, notOther) | upwards(r.up[3], own, notOther) |
		downwards(r.down[0], ownNext, notOther) | downwards(r.down[1], ownNext, notOther) |
		downwards(r.down[2], ownNext, notOther) | downwards(r.down[3], ownNext, notOther)
}

func (d discs) flips(cell int) uint64 { return raysFrom[cell&63].flips(d.own, d.other) }

// countLast counts what a disc on the last empty cell flips, given the player's discs.
func countLast(own uint64, cell int) int {
	row, col, lines := cell>>3&7, cell&7, &linesOf[cell&63]
	const firstColumn, toTop, toRow = 0x0101010101010101, 0x0102040810204080, 0x0101010101010101 // gather by multiplying
	return int(lastFlips[col][own>>(row*8)&0xff]) +
		int(lastFlips[row][own>>col&firstColumn*toTop>>56]) +
		int(lastFlips[col][own&lines[1]*toRow>>56]) +
		int(lastFlips[col][own&lines[3]*toRow>>56])
}

// ends returns the cells after unbroken runs of over that begin beside one of from, in both
// directions of a step: runs of at most six cells, as on the largest board.
func ends(from, over uint64, step uint) uint64 {
	one, two := step&63, 2*step&63
	up, down := over&(from<<one), over&(from>>one)
	up |= over & (up << one)
	down |= over & (down >> one)
	pairsUp, pairsDown := over&(over<<one), over&(over>>one)
	up |= pairsUp & (up << two)
	down |= pairsDown & (down >> two)
	up |= pairsUp & (up << two)
	down |= pairsDown & (down >> two)
	return up<<one | down>>one
}

func (d discs) moves(empty uint64) uint64 {
	inner := d.other & 0x7e7e7e7e7e7e7e7e
	return (ends(d.own, inner, 1) | ends(d.own, inner, 7) | ends(d.own, d.other, 8) | ends(d.own, inner, 9)) & empty
}

func around(cells uint64) uint64 {
	const notFirst, notLast = 0xfefefefefefefefe, 0x7f7f7f7f7f7f7f7f
	cells |= cells<<1&notFirst | cells>>1&notLast
	return cells | cells<<8 | cells>>8
}

// canonical returns the least of the images of a position under the symmetries of the board.
func (d discs) canonical() discs {
	least := d
	for image := range 8 {
		if image == 4 {
			d = discs{transposed(d.own), transposed(d.other)}
		} else if image&1 == 1 {
			d = discs{bits.ReverseBytes64(d.own), bits.ReverseBytes64(d.other)}
		} else if image > 0 {
			d = discs{bits.Reverse64(d.own), bits.Reverse64(d.other)}
		}
		if d.own < least.own || d.own == least.own && d.other < least.other {
			least = d
		}
	}
	return least
}

func transposed(b uint64) uint64 {
	for _, swap := range [3]struct {
		by   uint
		mask uint64
	}{{7, 0x00aa00aa00aa00aa}, {14, 0x0000cccc0000cccc}, {28, 0x00000000f0f0f0f0}} {
		moved := (b ^ b>>swap.by) & swap.mask
		b ^= moved ^ moved<<swap.by
	}
	return b
}
