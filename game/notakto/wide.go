package notakto

import (
	"slices"
	"strings"
	"sync"

	"backsolve/game"
)

// Wide is a position of a board of any size, for boards whose cells do not fit the
// masks of a game.Position. It is comparable, and never changes.
type Wide struct {
	size  int
	cells string // X or . by cell, numbered as everywhere
}

// EmptyWide returns the empty n×n board, 1 ≤ n ≤ game.MaxLayout.
func EmptyWide(n int) Wide { return Wide{n, strings.Repeat(".", n*n)} }

// AsWide returns a state of the n×n board as a Wide; ok is false if it is not such a state.
func AsWide(n int, s game.State) (w Wide, ok bool) {
	if p, is := s.(game.Position); is {
		return WideOf(n, p.X), true
	}
	w, ok = s.(Wide)
	return w, ok
}

// Cell returns the cell that a move on the n×n board marks.
func Cell(n int, m game.Move) int {
	if n > MaxGrid {
		return int(m.From)*n + int(m.To)
	}
	return int(m.To)
}

// Cells is the number of cells, marked or not.
func (w Wide) Cells() int { return len(w.cells) }

// Marked reports whether a cell is marked.
func (w Wide) Marked(cell int) bool { return w.cells[cell] == 'X' }

// Mark returns the position after a cell is marked.
func (w Wide) Mark(cell int) Wide { return Wide{w.size, w.cells[:cell] + "X" + w.cells[cell+1:]} }

// Complete reports whether all cells of a row, a column or a main diagonal are
// marked.
func (w Wide) Complete() bool {
	for i := range w.size {
		if w.row(i, -1) || w.column(i, -1) {
			return true
		}
	}
	return w.diagonal(-1) || w.antidiagonal(-1)
}

// CompletedBy reports whether marking a cell completes a line through it.
func (w Wide) CompletedBy(cell int) bool {
	row, col := cell/w.size, cell%w.size
	return w.row(row, cell) || w.column(col, cell) ||
		row == col && w.diagonal(cell) || row+col == w.size-1 && w.antidiagonal(cell)
}

func (w Wide) row(i, but int) bool       { return w.full(i*w.size, 1, but) }
func (w Wide) column(i, but int) bool    { return w.full(i, w.size, but) }
func (w Wide) diagonal(but int) bool     { return w.full(0, w.size+1, but) }
func (w Wide) antidiagonal(but int) bool { return w.full(w.size-1, w.size-1, but) }

// full reports whether a line is marked: all cells from first on, the same step apart, except one
// cell that need not be.
func (w Wide) full(first, apart, but int) bool {
	for i := range w.size {
		if cell := first + i*apart; !w.Marked(cell) && cell != but {
			return false
		}
	}
	return true
}

// WideRules are Notakto on an n×n board of any size. A move's From is the row of its cell, from
// the top, and its To the column.
type WideRules struct {
	game.Layout
	moves []game.Move // by their text: a1, a10, a11, a12, a2
}

// NewWide returns the rules of Notakto on the n×n board, 1 ≤ n ≤ game.MaxLayout.
func NewWide(n int) *WideRules {
	r, there := wides.Load(n)
	if !there {
		r, _ = wides.LoadOrStore(n, newWide(n))
	}
	return r.(*WideRules)
}

// wides has the rules by size: they never change, and a server needs them for every request.
var wides sync.Map

func newWide(n int) *WideRules {
	r := &WideRules{Layout: game.NewLayout(info(n), example(n))}
	for cell := range n * n {
		r.moves = append(r.moves, game.Move{From: uint8(cell / n), To: uint8(cell % n)})
	}
	slices.SortFunc(r.moves, func(a, b game.Move) int { return strings.Compare(r.FormatMove(a), r.FormatMove(b)) })
	return r
}

var _ game.RulesOf[Wide] = (*WideRules)(nil)

// Start returns the empty board.
func (r *WideRules) Start() Wide { return EmptyWide(r.Size()) }

// Turn is the parity of the number of marks: each move adds one.
func (r *WideRules) Turn(w Wide) game.Side {
	return game.Side(strings.Count(w.cells, "X") & 1)
}

// Terminal says that the player to move has won once a line is complete.
func (r *WideRules) Terminal(w Wide) (game.Outcome, bool) {
	if w.Complete() {
		return game.Win, true
	}
	return game.Draw, false
}

// Moves appends the moves on all cells that are not marked.
func (r *WideRules) Moves(buf []game.Move, w Wide) []game.Move {
	if w.Complete() {
		return buf
	}
	for _, m := range r.moves {
		if !w.Marked(r.cell(m)) {
			buf = append(buf, m)
		}
	}
	return buf
}

// Play marks a cell.
func (r *WideRules) Play(w Wide, m game.Move) Wide { return w.Mark(r.cell(m)) }

func (r *WideRules) cell(m game.Move) int { return int(m.From)*r.Size() + int(m.To) }

// Parse reads the text of a position.
func (r *WideRules) Parse(text string) (Wide, error) {
	cells := []byte(EmptyWide(r.Size()).cells)
	if _, err := r.Read(text, func(cell int, _ byte) { cells[cell] = 'X' }); err != nil {
		return Wide{}, err
	}
	return Wide{r.Size(), string(cells)}, nil
}

// Format returns the text of the board: the rows from top to bottom separated
// by slashes.
func (r *WideRules) Format(w Wide) string { return string(r.AppendFormat(nil, w)) }

// AppendFormat appends the text of the board.
func (r *WideRules) AppendFormat(dst []byte, w Wide) []byte {
	for row := range w.size {
		if row > 0 {
			dst = append(dst, '/')
		}
		dst = append(dst, w.cells[row*w.size:][:w.size]...)
	}
	return dst
}

// Diagram draws the board for people.
func (r *WideRules) Diagram(w Wide) string {
	return r.Draw(func(cell int) byte { return w.cells[cell] })
}

// ParseMove reads the name of a cell.
func (r *WideRules) ParseMove(w Wide, text string) (game.Move, error) {
	cells, err := r.ParseCells(text, 1, game.CellName(r.Size(), 0))
	if err != nil {
		return game.Move{}, err
	}
	m := game.Move{From: uint8(cells[0] / r.Size()), To: uint8(cells[0] % r.Size())}
	return game.LegalMark(m, r.FormatMove(m), w.Marked(cells[0]), whyOver(w.Complete()))
}

// FormatMove returns the name of a cell.
func (r *WideRules) FormatMove(m game.Move) string { return game.CellName(r.Size(), r.cell(m)) }
