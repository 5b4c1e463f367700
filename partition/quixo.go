package partition

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/bitslice"
	"backsolve/game"
)

// quixo cuts Quixo. The mask has the marked cells, X or O; the index says which
// of them belong to the player who has just moved. Mask bits are the inner
// cells first, the border after, because most slides touch no inner cell and so
// leave the low index bits, those inside a word, where they are.
type quixo struct {
	cells  []int // cell of each mask bit
	toBits gather
	sym    *Symmetries
	lines  []uint64 // over mask bits
	slides []bitboard.Slide
	images [][]uint8 // images[slide][bit]: where a slide takes a bit
}

func newQuixo(n int) (Space, error) {
	q := &quixo{slides: bitboard.Slides(n)}
	border := bitboard.Border(n)
	for _, wanted := range []uint64{0, 1} {
		for c := range n * n {
			if border>>uint(c)&1 == wanted {
				q.cells = append(q.cells, c)
			}
		}
	}
	q.toBits = newGather(n*n, q.cells)
	q.sym = newSymmetries(restrict(bitboard.SquareGroup(n), q.cells))
	for _, line := range bitboard.Lines(n) {
		q.lines = append(q.lines, q.toBits.of(line))
	}
	for _, s := range q.slides {
		image := make([]uint8, n*n)
		for bit, to := range q.cells {
			if from := s.Origin(to); from < 0 {
				image[q.bit(s.From)] = uint8(bit)
			} else {
				image[q.bit(from)] = uint8(bit)
			}
		}
		q.images = append(q.images, image)
	}
	facts := Facts{
		Game: "quixo", Size: n,
		MaskBits:   n * n,
		Symmetries: q.sym,
		Within:     true,
		Reversed:   true,
		Draws:      true,
	}
	for class := range n*n + 1 {
		facts.IndexBits = append(facts.IndexBits, class)
	}
	return NewSpace(facts, q, q)
}

func (q *quixo) bit(cell int) int { return bits.TrailingZeros64(q.toBits.of(1 << uint(cell))) }

func (q *quixo) Stones(class, weight int) (mover, other int) {
	return class - weight, weight
}

func (q *quixo) Raw(p game.Position) (mask uint64, index uint32) {
	mask = q.toBits.of(p.X | p.O)
	return mask, extract(q.toBits.of(p.Waiting()), mask)
}

func (q *quixo) Carry(mask uint64, index uint32, g int) uint32 {
	return extract(q.sym.Image(g, deposit(index, mask)), q.sym.Image(g, mask))
}

func (q *quixo) Locate(p game.Position) State {
	mask, g := q.sym.Canonical(q.toBits.of(p.X | p.O))
	waiting := q.sym.Image(g, q.toBits.of(p.Waiting()))
	return State{bits.OnesCount64(mask), mask, extract(waiting, mask)}
}

func (q *quixo) Position(s State) game.Position {
	waiting := deposit(s.Index, s.Mask)
	return game.Position{
		X: scatter(q.cells, s.Mask&^waiting),
		O: scatter(q.cells, waiting),
	}
}

// Terminals: a standing line of the player to move wins, alone or beside one of
// the player who has just moved; the latter alone loses.
func (q *quixo) Terminals(mask uint64, t *Terminals) {
	for _, line := range q.lines {
		if line&^mask == 0 {
			care := extract(line, mask)
			t.Win = append(t.Win, bitslice.Cube{Care: care})
			t.Lose = append(t.Lose, bitslice.Cube{Care: care, Value: care})
		}
	}
}

func (q *quixo) Moves(mask uint64, buf []Move) []Move {
	board := scatter(q.cells, mask)
	for i, s := range q.slides {
		buf = append(buf, Move{
			Child:  q.toBits.of(s.Shift(board) | 1<<uint(s.To)),
			Within: board>>uint(s.From)&1 == 1,
			number: uint8(i),
		})
	}
	return buf
}

// Map is in the order of the mover's stones, which is the complement of the
// parent's index.
func (q *quixo) Map(mask uint64, move Move, canonical uint64, g int) bitslice.IndexMap {
	m := bitslice.IndexMap{Src: bits.OnesCount64(canonical), Dst: bits.OnesCount64(mask)}
	image, perm := q.images[move.number], q.sym.perms[g]
	d := 0
	for rest := mask; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros64(rest)
		m.From[d] = rank(canonical, perm[image[bit]])
		d++
	}
	taken := q.bit(q.slides[move.number].From)
	if move.Within {
		m.One = 1 << rank(mask, uint8(taken))
	} else {
		m.From[d] = rank(canonical, perm[image[taken]])
		m.One = 1 << uint(d)
	}
	return m
}

// rank returns the number of bits of mask below the given one.
func rank(mask uint64, bit uint8) uint8 {
	return uint8(bits.OnesCount64(mask & (1<<bit - 1)))
}

// extract packs the bits of v under mask into the low bits. It takes no branch
// on v, whose bits cannot be foretold.
func extract(v, mask uint64) uint32 {
	var packed uint32
	for i := uint(0); mask != 0; i++ {
		packed |= uint32(v>>uint(bits.TrailingZeros64(mask))&1) << (i & 31)
		mask &= mask - 1
	}
	return packed
}

// deposit spreads the low bits of v over the bits of mask.
func deposit(v uint32, mask uint64) uint64 {
	var spread uint64
	for ; mask != 0; mask &= mask - 1 {
		spread |= mask & -mask & -uint64(v&1)
		v >>= 1
	}
	return spread
}
