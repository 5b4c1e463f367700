package notakto

import (
	"math/bits"
	"slices"
)

// Endgame is the rest of a game from a position that is not over. Nobody completes a line as long
// as there is another move, since that loses at once and nothing loses sooner. So a cell that
// completes a line is as good as gone, and the lines through it are dead: no move can complete
// them any more. What is left are the live lines over the open cells.
type Endgame struct {
	// Open has the cells on live lines, in ascending order.
	Open []int
	// Free has the cells on no live line: marking one decides nothing and passes the
	// turn.
	Free []int
	// Forbidden has the cells that complete a line.
	Forbidden []int
	// Lines are the live lines, as masks over Open: each has two cells or more, and
	// no line contains another.
	Lines []uint64
}

// MaxOpen is the most open cells of an Endgame, whose masks hold no more.
const MaxOpen = 64

// EndgameOf returns the endgame of a position; ok is false if it has more than
// MaxOpen open cells. The position must not be over.
func EndgameOf(w Wide) (e Endgame, ok bool) {
	var lines [][]int
	forbidden := make([]bool, w.Cells())
	for _, line := range w.lines() {
		left := slices.DeleteFunc(line, w.Marked)
		if len(left) == 1 {
			forbidden[left[0]] = true
		}
		lines = append(lines, left)
	}
	lines = slices.DeleteFunc(lines, func(line []int) bool {
		return slices.ContainsFunc(line, func(cell int) bool { return forbidden[cell] })
	})
	lines = minimalLines(lines)
	number := map[int]int{} // of a cell in Open
	for _, line := range lines {
		for _, cell := range line {
			number[cell] = 0
		}
	}
	for cell := range w.Cells() {
		_, open := number[cell]
		switch {
		case w.Marked(cell):
		case forbidden[cell]:
			e.Forbidden = append(e.Forbidden, cell)
		case open:
			number[cell] = len(e.Open)
			e.Open = append(e.Open, cell)
		default:
			e.Free = append(e.Free, cell)
		}
	}
	if len(e.Open) > MaxOpen {
		return Endgame{}, false
	}
	for _, line := range lines {
		var mask uint64
		for _, cell := range line {
			mask |= 1 << uint(number[cell])
		}
		e.Lines = append(e.Lines, mask)
	}
	slices.SortFunc(e.Lines, func(a, b uint64) int {
		if c := bits.OnesCount64(a) - bits.OnesCount64(b); c != 0 {
			return c
		}
		return int(bits.Len64(a)) - int(bits.Len64(b))
	})
	return e, true
}

// minimalLines returns the sorted lines that contain no other one, each once: completing a longer
// line completes the one that is part of it.
func minimalLines(lines [][]int) (kept [][]int) {
	slices.SortStableFunc(lines, func(a, b []int) int { return len(a) - len(b) })
	for _, line := range lines {
		lacks := func(cell int) bool { return !slices.Contains(line, cell) }
		if !slices.ContainsFunc(kept, func(k []int) bool { return !slices.ContainsFunc(k, lacks) }) {
			kept = append(kept, line)
		}
	}
	return kept
}

// lines returns the cells of each row, column and main diagonal, in ascending
// order.
func (w Wide) lines() (lines [][]int) {
	add := func(first, apart int) {
		line := make([]int, w.size)
		for i := range line {
			line[i] = first + i*apart
		}
		lines = append(lines, line)
	}
	for i := range w.size {
		add(i*w.size, 1)
		add(i, w.size)
	}
	add(0, w.size+1)
	add(w.size-1, w.size-1)
	return lines
}

// WideOf returns the position of the n×n board whose marks are the cells of a mask,
// n ≤ MaxGrid.
func WideOf(n int, marks uint64) Wide {
	cells := make([]byte, n*n)
	for c := range cells {
		cells[c] = ".X"[marks>>uint(c)&1]
	}
	return Wide{n, string(cells)}
}

// Marks returns the marked cells as a mask, of a board of at most 8×8 cells.
func (w Wide) Marks() (marks uint64) {
	for c := range w.cells {
		if w.Marked(c) {
			marks |= 1 << uint(c)
		}
	}
	return marks
}
