package notakto

import (
	"math/bits"
	"slices"
)

// Rest is what is left of a game at a position that is not over. Nobody completes a
// line as long as there is another move, since that loses at once and nothing loses
// sooner. So a cell that completes a line is as good as gone, and the lines through
// it are dead: nobody can complete them any more, and what is left are the live
// lines over the open cells.
type Rest struct {
	// Open has the cells on live lines, in ascending order.
	Open []int
	// Free has the cells on no live line: marking one decides nothing and passes the
	// turn.
	Free []int
	// Forbidden has the cells that complete a line.
	Forbidden []int
	// Lines are the live lines, as masks over Open: each has two cells or more, and
	// none has all cells of another one.
	Lines []uint64
}

// MaxOpen is the most open cells that a Rest has: more do not fit its masks.
const MaxOpen = 64

// RestOf returns what is left at a position, and false where it has more than
// MaxOpen open cells. The position must not be over.
func RestOf(w Wide) (Rest, bool) {
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
	lines = least(lines)
	number := map[int]int{} // of a cell in Open
	for _, line := range lines {
		for _, cell := range line {
			number[cell] = 0
		}
	}
	var r Rest
	for cell := range w.Cells() {
		_, open := number[cell]
		switch {
		case w.Marked(cell):
		case forbidden[cell]:
			r.Forbidden = append(r.Forbidden, cell)
		case open:
			number[cell] = len(r.Open)
			r.Open = append(r.Open, cell)
		default:
			r.Free = append(r.Free, cell)
		}
	}
	if len(r.Open) > MaxOpen {
		return Rest{}, false
	}
	for _, line := range lines {
		var mask uint64
		for _, cell := range line {
			mask |= 1 << uint(number[cell])
		}
		r.Lines = append(r.Lines, mask)
	}
	slices.SortFunc(r.Lines, func(a, b uint64) int {
		if c := bits.OnesCount64(a) - bits.OnesCount64(b); c != 0 {
			return c
		}
		return int(bits.Len64(a)) - int(bits.Len64(b))
	})
	return r, true
}

// least returns the sorted lists that have not all elements of another one, each
// once: whoever completes a longer line has completed the one that is part of it.
func least(lines [][]int) (kept [][]int) {
	slices.SortStableFunc(lines, func(a, b []int) int { return len(a) - len(b) })
	for _, line := range lines {
		if !slices.ContainsFunc(kept, func(k []int) bool { return contains(line, k) }) {
			kept = append(kept, line)
		}
	}
	return kept
}

// contains reports whether all of some elements are in a list.
func contains(list, some []int) bool {
	return !slices.ContainsFunc(some, func(x int) bool { return !slices.Contains(list, x) })
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
