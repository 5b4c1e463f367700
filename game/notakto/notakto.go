// Package notakto is the rules of misère Notakto: both players mark with X, and
// whoever completes a row, a column or a main diagonal loses.
package notakto

import (
	"fmt"
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
)

// Game is Notakto as the list of games has it.
var Game = game.Game{
	Name:    "notakto",
	Summary: "Both players mark a cell with X in turn; whoever completes a row, a column or a main diagonal loses.",
	MinSize: 1,
	MaxSize: bitboard.MaxSize,
	New:     New,
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

// New returns the rules of Notakto on the n×n board, 1 ≤ n ≤ 8.
func New(n int) game.Rules {
	r := &rules{
		Board:       game.NewBoard(n, 1, example(n)),
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

func (r *rules) Name() string { return Game.Name }

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
	m := game.Move{From: uint8(cells[0]), To: uint8(cells[0])}
	illegal := func(format string, args ...any) (game.Move, error) {
		return game.Move{}, &game.IllegalMoveError{Move: r.FormatMove(m), Reason: fmt.Sprintf(format, args...)}
	}
	switch {
	case r.Complete(p.X):
		return illegal("the game is over, as a line is complete")
	case p.X>>m.To&1 == 1:
		return illegal("%s is already marked; take an empty cell", r.FormatMove(m))
	}
	return m, nil
}

func (r *rules) FormatMove(m game.Move) string { return game.CellName(r.Size(), int(m.To)) }

func (r *rules) AppendMove(dst []byte, m game.Move) []byte {
	return game.AppendCellName(dst, r.Size(), int(m.To))
}
