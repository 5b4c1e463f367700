// Package bitboard is the geometry of boards in masks: their cells, lines and slides, and
// the groups of their symmetries.
//
// A cell is the number row·columns + column, counted from the top left; a mask is a
// uint64 whose bit c stands for cell c. Functions take the Size of a board as an int.
package bitboard

import (
	"iter"
	"slices"
)

// MaxSize is the number of rows and columns of the largest board whose cells fit a mask.
const MaxSize = 8

// All returns the mask of all cells of a board.
func All(size int) uint64 {
	return ^uint64(0) >> (64 - uint(Size(size).Cells()))
}

// Lines returns the masks of a board's lines, each once: whole rows and columns and, on the n×n
// board, the two main diagonals, unless the size says otherwise.
func Lines(size int) []uint64 {
	var lines []uint64
	for cells := range LineCells(size) {
		var m uint64
		for _, c := range cells {
			m |= 1 << uint(c)
		}
		if !slices.Contains(lines, m) { // on one row or column, or a small torus
			lines = append(lines, m)
		}
	}
	return lines
}

// LineCells yields the lines of a board of any size: rows, columns, and diagonals from the left down and from
// the right down. A slice is valid until the next one.
func LineCells(size int) iter.Seq[[]int] {
	s := Size(size)
	rows, cols, run := s.Rows(), s.Cols(), s.Run()
	return func(yield func([]int) bool) {
		var line []int
		// diagonal lines begin at some cells
		from := func(down, right, length int, begins func(row, col int) bool) bool {
			for cell := range rows * cols {
				row, col := cell/cols, cell%cols
				if !begins(row, col) {
					continue
				}
				line = line[:0]
				for i := range length {
					line = append(line, (row+i*down)%rows*cols+(col+i*right+cols*length)%cols)
				}
				if !yield(line) {
					return false
				}
			}
			return true
		}
		if run > 0 {
			fits := func(down, right int) func(row, col int) bool {
				return func(row, col int) bool {
					row, col = row+down*(run-1), col+right*(run-1)
					return row < rows && 0 <= col && col < cols
				}
			}
			_ = from(0, 1, run, fits(0, 1)) && from(1, 0, run, fits(1, 0)) && from(1, 1, run, fits(1, 1)) && from(1, -1, run, fits(1, -1))
			return
		}
		if !from(0, 1, cols, func(_, col int) bool { return col == 0 }) ||
			!from(1, 0, rows, func(row, _ int) bool { return row == 0 }) || rows != cols || s.Has(NoDiagonals) {
			return
		}
		_ = from(1, 1, rows, func(row, col int) bool { return row == 0 && (col == 0 || s.Has(Torus)) }) &&
			from(1, -1, rows, func(row, col int) bool { return row == 0 && (col == cols-1 || s.Has(Torus)) })
	}
}

// Border returns the mask of the outermost cells of a board.
func Border(size int) (border uint64) {
	rows, cols := Size(size).Rows(), Size(size).Cols()
	for cell := range rows * cols {
		if row, col := cell/cols, cell%cols; row == 0 || row == rows-1 || col == 0 || col == cols-1 {
			border |= 1 << uint(cell)
		}
	}
	return border
}

// Slide takes a border tile and pushes it back in: it leaves From, each tile on the path moves one cell
// towards From, and it goes in at To.
type Slide struct {
	From, To int
	path     uint64 // all cells of the slide except From
	shift    int    // cells a mask moves by: > 0 to higher cells
}

// Slides returns the slides of a board by From, then To: each border cell with the other
// ends of its row and column, 44 of them on 5×5.
func Slides(size int) []Slide {
	rows, cols := Size(size).Rows(), Size(size).Cols()
	var slides []Slide
	border := Border(size)
	for from := range rows * cols {
		if border>>uint(from)&1 == 0 {
			continue
		}
		row, col := from/cols, from%cols
		for to := range rows * cols {
			end := to/cols == row && (to%cols == 0 || to%cols == cols-1) ||
				to%cols == col && (to/cols == 0 || to/cols == rows-1)
			if to != from && end {
				slides = append(slides, newSlide(cols, from, to))
			}
		}
	}
	return slides
}

func newSlide(cols, from, to int) Slide {
	step := 1
	if from%cols == to%cols {
		step = cols
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
