// Package bitboard is the geometry of an n×n board in masks: its cells, lines and
// slides, and the groups of its symmetries.
//
// A cell of an n×n board is the number row·n + column, counted from the top
// left; a mask is a uint64 whose bit c stands for cell c, so n is at most 8.
package bitboard

import "iter"

// MaxSize is the largest board whose cells fit a mask.
const MaxSize = 8

// All returns the mask of all cells of the n×n board.
func All(n int) uint64 {
	return ^uint64(0) >> (64 - uint(n*n))
}

// Lines returns the masks of the rows, columns and two main diagonals of the
// n×n board, each mask once: 2n+2 of them, for n = 1 a single one.
func Lines(n int) []uint64 {
	if n == 1 {
		return []uint64{1}
	}
	var lines []uint64
	for start, step := range LineSteps(n) {
		var m uint64
		for i := range n {
			m |= 1 << uint(start+i*step)
		}
		lines = append(lines, m)
	}
	return lines
}

// LineSteps yields the rows, the columns and the two main diagonals of the n×n board, which may
// have more than 64 cells: each as its first cell and how far apart its n cells are.
func LineSteps(n int) iter.Seq2[int, int] {
	return func(yield func(start, step int) bool) {
		for i := range n {
			if !yield(i*n, 1) {
				return
			}
		}
		for i := range n {
			if !yield(i, n) {
				return
			}
		}
		_ = yield(0, n+1) && yield(n-1, n-1)
	}
}

// Border returns the mask of the outermost cells of the n×n board.
func Border(n int) uint64 {
	lines := Lines(n)
	if n == 1 {
		return 1
	}
	return lines[0] | lines[n-1] | lines[n] | lines[2*n-1]
}

// Slide is one way to take a border tile and push it back in: the tile leaves
// From, every tile on the path moves one cell towards From, and the tile goes
// back in at To.
type Slide struct {
	From, To int
	path     uint64 // all cells of the slide except From
	shift    int    // cells a mask moves by: > 0 to higher cells
}

// Slides returns the slides of the n×n board by From, then To: each border
// cell with the other ends of its row and column, 44 of them for n = 5.
func Slides(n int) []Slide {
	var slides []Slide
	border := Border(n)
	for from := range n * n {
		if border>>uint(from)&1 == 0 {
			continue
		}
		row, col := from/n, from%n
		for to := range n * n {
			end := to/n == row && (to%n == 0 || to%n == n-1) ||
				to%n == col && (to/n == 0 || to/n == n-1)
			if to == from || !end {
				continue
			}
			slides = append(slides, newSlide(n, from, to))
		}
	}
	return slides
}

func newSlide(n, from, to int) Slide {
	step := 1
	if from%n == to%n {
		step = n
	}
	if to < from {
		step = -step
	}
	s := Slide{From: from, To: to, shift: -step}
	for c := from; c != to; {
		c += step
		s.path |= 1 << uint(c)
	}
	return s
}

// Shift moves the cells of mask along the slide: the bit at From is dropped,
// the bits on the path move one cell towards From, and the bit at To comes out
// clear. Cells off the path stay.
func (s Slide) Shift(mask uint64) uint64 {
	moved := mask & s.path
	rest := mask &^ s.path &^ (1 << uint(s.From))
	if s.shift < 0 {
		return rest | moved>>uint(-s.shift)
	}
	return rest | moved<<uint(s.shift)
}

// Origin returns the cell whose tile stands on cell after the slide, and −1
// for To, where the pushed tile goes in.
func (s Slide) Origin(cell int) int {
	if cell == s.To {
		return -1
	}
	if from := cell - s.shift; s.path>>uint(max(from, 0))&1 == 1 && from >= 0 {
		return from
	}
	return cell
}
