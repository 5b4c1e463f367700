package game

import (
	"slices"
	"strings"
)

// MaxGrid is the largest size of a Grid: further columns would have no letter.
const MaxGrid = 26

// Grid is a position of a board of which every mark is an X, for boards whose
// cells do not fit the masks of a Position.
type Grid struct {
	size   int
	marked []bool // by cell, numbered as everywhere
}

// NewGrid returns the empty n×n board, 1 ≤ n ≤ MaxGrid.
func NewGrid(n int) *Grid { return &Grid{n, make([]bool, n*n)} }

// ParseGrid reads the text that Format writes, 1 ≤ n ≤ MaxGrid, as strictly as
// Board.Parse. The error is a *SyntaxError that shows the example.
func ParseGrid(n int, text, example string) (*Grid, error) {
	g := NewGrid(n)
	b := Board{size: n, marks: 1, example: example}
	if _, err := b.read(text, func(cell int, _ byte) { g.Mark(cell) }); err != nil {
		return nil, err
	}
	return g, nil
}

// Size is the n of the n×n board.
func (g *Grid) Size() int { return g.size }

// Cells is the number of cells, marked or not.
func (g *Grid) Cells() int { return len(g.marked) }

// Marked reports whether a cell is marked.
func (g *Grid) Marked(cell int) bool { return g.marked[cell] }

// Mark marks a cell.
func (g *Grid) Mark(cell int) { g.marked[cell] = true }

// Clone returns a copy.
func (g *Grid) Clone() *Grid { return &Grid{g.size, slices.Clone(g.marked)} }

// Complete reports whether all cells of a row, a column or a main diagonal are
// marked.
func (g *Grid) Complete() bool {
	for i := range g.size {
		if g.row(i, -1) || g.column(i, -1) {
			return true
		}
	}
	return g.diagonal(-1) || g.antidiagonal(-1)
}

// CompletedBy reports whether a line through a cell is complete once that is
// marked.
func (g *Grid) CompletedBy(cell int) bool {
	row, col := cell/g.size, cell%g.size
	return g.row(row, cell) || g.column(col, cell) ||
		row == col && g.diagonal(cell) || row+col == g.size-1 && g.antidiagonal(cell)
}

func (g *Grid) row(i, but int) bool       { return g.full(i*g.size, 1, but) }
func (g *Grid) column(i, but int) bool    { return g.full(i, g.size, but) }
func (g *Grid) diagonal(but int) bool     { return g.full(0, g.size+1, but) }
func (g *Grid) antidiagonal(but int) bool { return g.full(g.size-1, g.size-1, but) }

// full reports whether a line is marked, the cells from first on, step apart,
// but for one cell that need not be.
func (g *Grid) full(first, step, but int) bool {
	for i := range g.size {
		if cell := first + i*step; !g.marked[cell] && cell != but {
			return false
		}
	}
	return true
}

// Format returns the text of the board: the rows from top to bottom separated
// by slashes.
func (g *Grid) Format() string {
	var text strings.Builder
	for cell := range g.marked {
		if cell > 0 && cell%g.size == 0 {
			text.WriteByte('/')
		}
		text.WriteByte(g.letter(cell))
	}
	return text.String()
}

// Diagram draws the board for people, as Diagram does.
func (g *Grid) Diagram() string { return diagram(g.size, g.letter) }

func (g *Grid) letter(cell int) byte {
	if g.marked[cell] {
		return 'X'
	}
	return '.'
}
