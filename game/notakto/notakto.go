// Package notakto is the rules of misère Notakto: both players mark with X, and
// whoever completes a row, a column or a main diagonal loses.
package notakto

import (
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
)

const (
	name    = "notakto"
	summary = "Both players mark an empty cell with X in turn; whoever completes a row, a column or a main diagonal loses."
)

// Game is Notakto as the list of games has it.
var Game = game.Game{
	Name:    name,
	Summary: summary,
	MinSize: 1,
	MaxSize: MaxPaired,
	New: func(n int) game.Rules {
		if n > MaxGrid {
			return game.Opaque[Wide](NewWide(n))
		}
		return game.Opaque[game.Position](New(n))
	},
	Formulas: []game.Formula{Pairing},
}

// MaxGrid is the largest board whose positions are masks.
const MaxGrid = bitboard.MaxSize

// info describes the n×n board.
func info(n int) game.Info {
	return game.Info{
		Name: name, Size: n, Marks: 1, Summary: summary,
		MoveForm: "the cell that is marked", MoveKind: game.Marks, CompleteLine: game.MoverLoses,
	}
}

// rules are Notakto on one board. Each of the 2^(n²) sets of marks is a
// position.
type rules struct {
	game.Board
	// cells are all cells by their names.
	cells []uint8
	// moveExample is the text of some move, for error messages.
	moveExample string
}

// New returns the rules of Notakto on the n×n board, 1 ≤ n ≤ MaxGrid.
func New(n int) game.Grid {
	r := &rules{
		Board:       game.NewBoard(info(n), example(n)),
		moveExample: game.CellName(n, 0),
	}
	for col := range n {
		for row := n - 1; row >= 0; row-- {
			r.cells = append(r.cells, uint8(row*n+col))
		}
	}
	return r
}

// example returns a board with one X at the top left, where that does not
// complete a line.
func example(n int) string {
	if n == 1 {
		return "."
	}
	empty := strings.Repeat(".", n)
	return "X" + empty[1:] + strings.Repeat("/"+empty, n-1)
}

// Terminal says that the player to move has won once a line is complete: the
// other player has completed it.
func (r *rules) Terminal(p game.Position) (game.Outcome, bool) {
	if r.Complete(p.X) {
		return game.Win, true
	}
	return game.Draw, false
}

func (r *rules) Moves(buf []game.Move, p game.Position) []game.Move {
	if r.Complete(p.X) {
		return buf
	}
	for _, c := range r.cells {
		if p.X>>c&1 == 0 {
			buf = append(buf, game.Move{From: c, To: c})
		}
	}
	return buf
}

func (r *rules) Play(p game.Position, m game.Move) game.Position {
	p.X |= 1 << m.To
	return p
}

func (r *rules) ParseMove(p game.Position, text string) (game.Move, error) {
	cells, err := r.ParseCells(text, 1, r.moveExample)
	if err != nil {
		return game.Move{}, err
	}
	cell := cells[0]
	if err := illegal(game.CellName(r.Size(), cell), r.Complete(p.X), p.X>>uint(cell)&1 == 1); err != nil {
		return game.Move{}, err
	}
	return game.Move{From: uint8(cell), To: uint8(cell)}, nil
}

// illegal says why a cell cannot be marked, nil where it can.
func illegal(cell string, over, marked bool) error {
	switch {
	case over:
		return &game.IllegalMoveError{Move: cell, Reason: "the game is over, as a line is complete"}
	case marked:
		return &game.IllegalMoveError{Move: cell, Reason: cell + " is already marked; take an empty cell"}
	}
	return nil
}

func (r *rules) FormatMove(m game.Move) string { return game.CellName(r.Size(), int(m.To)) }

func (r *rules) AppendMove(dst []byte, m game.Move) []byte {
	return game.AppendCellName(dst, r.Size(), int(m.To))
}
