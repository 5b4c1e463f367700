// Package notakto is the rules of misère Notakto: both players mark with X, and the player who
// completes a row, a column or a main diagonal loses. In variants there are no diagonals, or the
// diagonals are a torus's, or the player who completes a line wins.
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
		if game.Size(n).Plain() && n > MaxGrid {
			return game.Opaque[Wide](NewWide(n))
		}
		return game.Opaque[game.Position](New(n))
	},
	Variants: game.Variants{Least: 1, Most: game.MaxLayout, Rules: bitboard.NoDiagonals | bitboard.Torus | bitboard.Normal},
	Formulas: []game.Formula{Pairing},
}

// MaxGrid is the largest n×n board whose positions are masks.
const MaxGrid = bitboard.MaxSize

func info(size int) game.Info {
	i := game.Info{
		Name: name, Title: title, Size: size, Marks: 1, Summary: summary,
		MoveForm: game.MarkForm, MoveKind: game.Marks, CompleteLine: game.MoverLoses, Symmetries: game.OfLines,
	}
	s := game.Size(size)
	if s.Has(bitboard.Normal) {
		i.CompleteLine = game.MoverWins
		i.Summary = "Both players mark an empty cell with X in turn; whoever completes a row, a column or a main diagonal wins."
	}
	switch {
	case s.Has(bitboard.Torus):
		i.Summary += " The edges of the board are joined, so that every cell lies on two diagonals."
	case s.Has(bitboard.NoDiagonals) || s.Rows() != s.Cols():
		i.Summary += " There are no diagonals."
	}
	if !s.Plain() {
		i.Symmetries = game.OfSquare
	}
	return i
}

// rules are Notakto on one board. Each set of marks is a position.
type rules struct {
	game.Marking
	ended game.Outcome // of the player to move once a line is complete
}

// New returns the rules of Notakto on a board of at most 64 cells.
func New(size int) game.Grid {
	r := &rules{game.NewMarking(info(size), example(size)), game.Win}
	if game.Size(size).Has(bitboard.Normal) {
		r.ended = game.Lose
	}
	return r
}

// example returns a board with one X, unless that completes a line.
func example(size int) string {
	if s := game.Size(size); min(s.Rows(), s.Cols()) == 1 {
		return strings.ReplaceAll(game.Corner(size), "X", ".")
	}
	return game.Corner(size)
}

// Terminal says that the game is over once a line is complete, by the other player.
func (r *rules) Terminal(p game.Position) (game.Outcome, bool) {
	if r.Complete(p.X) {
		return r.ended, true
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
	return r.ParseMark(text, p.X, whyOver(r.Complete(p.X)))
}

// whyOver says why the game is over once a line is complete.
func whyOver(complete bool) string {
	if complete {
		return "a line is complete"
	}
	return ""
}
