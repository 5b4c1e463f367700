package search

import "math/bits"

const noScore = -100 // less than all scores

// oddCells are the cells of the quarters of the board whose bits are set.
var oddCells [16]uint64

func init() {
	for parity := range oddCells {
		for i, quarter := range [4]uint64{0x0f0f0f0f, 0xf0f0f0f0, 0x0f0f0f0f << 32, 0xf0f0f0f0 << 32} {
			if parity>>i&1 == 1 {
				oddCells[parity] |= quarter
			}
		}
	}
}

// parityOf marks quarters with an odd number of empty cells, where who plays first can play last.
func parityOf(empty uint64) (parity uint8) {
	for i := range 4 {
		parity |= uint8(bits.OnesCount64(empty&oddCells[1<<i])&1) << i
	}
	return parity
}

func quarterOf(cell int) uint8 { return 1 << (cell>>5&1*2 + cell>>2&1) }

// nullFew does without the hash and the order, which do not pay here. The cells of odd quarters come first.
func (w *worker) nullFew(d discs, empty uint64, parity uint8, alpha int, passed bool) int {
	w.nodes++
	best := noScore
	odd := empty & oddCells[parity]
	for cells, others := odd, empty&^odd; ; cells &= cells - 1 {
		if cells == 0 {
			if cells, others = others, 0; cells == 0 {
				break
			}
		}
		cell := bits.TrailingZeros64(cells)
		if neighbours[cell&63]&d.other == 0 {
			continue
		}
		flips := d.flips(cell)
		if flips == 0 {
			continue
		}
		left := empty &^ (1 << (cell & 63))
		var score int
		if rest := left & (left - 1); rest != 0 && rest&(rest-1) == 0 {
			score = -w.scoreLastTwo(d.after(cell, flips), bits.TrailingZeros64(left), bits.TrailingZeros64(rest), ^alpha)
		} else {
			score = -w.nullFew(d.after(cell, flips), left, parity^quarterOf(cell), ^alpha, false)
		}
		if best = max(best, score); best > alpha {
			return best
		}
	}
	switch {
	case best > noScore:
		return best
	case passed:
		return d.final(empty)
	}
	return -w.nullFew(d.swapped(), empty, parity, ^alpha, true)
}

func (w *worker) scoreLastTwo(d discs, first, second, alpha int) int {
	w.nodes++
	if best := w.twoMoves(d, first, second, alpha); best > noScore {
		return best
	}
	if best := w.twoMoves(d.swapped(), first, second, ^alpha); best > noScore {
		return -best
	}
	return d.final(1<<(first&63) | 1<<(second&63))
}

// twoMoves is scoreLastTwo without a pass: noScore if there is no move.
func (w *worker) twoMoves(d discs, first, second, alpha int) int {
	best := noScore
	if neighbours[first&63]&d.other != 0 {
		if flips := d.flips(first); flips != 0 {
			if best = -w.scoreLast(d.other&^flips, second); best > alpha {
				return best
			}
		}
	}
	if neighbours[second&63]&d.other != 0 {
		if flips := d.flips(second); flips != 0 {
			best = max(best, -w.scoreLast(d.other&^flips, first))
		}
	}
	return best
}

// scoreLast returns the score where one cell is empty, given the discs of the player to move.
func (w *worker) scoreLast(own uint64, cell int) int {
	w.nodes++
	difference := 2*bits.OnesCount64(own) - w.cells + 1
	if flipped := countLast(own, cell); flipped > 0 {
		return difference + 2*flipped + 1
	}
	if flipped := countLast(w.board&^own&^(1<<(cell&63)), cell); flipped > 0 {
		return difference - 2*flipped - 1
	}
	return finalScore(difference, 1)
}
