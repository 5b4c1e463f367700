// Package notakto is the rules of misère Notakto: both players mark with X, and
// the player who completes a row, a column or a main diagonal loses.
package notakto

import (
	"strings"

	"backsolve/bitboard"
	"backsolve/game"
)

const (
	name    = "notakto"
	title   = "Notakto"
	summary = "Both players mark an empty cell with X in turn; whoever completes a row, a column or a main diagonal loses."
)

// Game is the entry in the list of games.
var Game = game.Game{
	Name:    name,
	Title:   title,
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
		Name: name, Title: title, Size: n, Marks: 1, Summary: summary,
		MoveForm: game.MarkForm, MoveKind: game.Marks, CompleteLine: game.MoverLoses, Symmetries: game.OfLines,
	}
}

// rules are Notakto on one board. Each of the 2^(n²) sets of marks is a
// position.
type rules struct{ game.Marking }

// New returns the rules of Notakto on the n×n board, 1 ≤ n ≤ MaxGrid.
func New(n int) game.Grid { return &rules{game.NewMarking(info(n), example(n))} }

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
	return r.AppendEmpty(buf, p.X)
}

func (r *rules) Play(p game.Position, m game.Move) game.Position {
	p.X |= 1 << m.To
	return p
}

func (r *rules) ParseMove(p game.Position, text string) (game.Move, error) {
	return r.ParseMark(text, p.X, over(r.Complete(p.X)))
}

// over says why the game is over where a line is complete.
func over(complete bool) string {
	if complete {
		return "a line is complete"
	}
	return ""
}
