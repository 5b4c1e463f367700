// Package tictactoe has the rules of tic-tac-toe: each player in turn marks an empty
// cell with their own mark. The player who fills a row, a column or a main diagonal wins; a
// full board without such a line is a draw. In variants lines are straight runs of k cells, as
// in m,n,k-games, or the player who completes a line loses.
package tictactoe

import (
	"fmt"

	"backsolve/bitboard"
	"backsolve/game"
)

const (
	name    = "tictactoe"
	title   = "Tic-tac-toe"
	summary = "Each player in turn marks an empty cell with a mark of their own; whoever fills a row, column or main diagonal wins, " +
		"and a full board without such a line is a draw."
)

// Game is the entry in the list of games.
var Game = game.Game{
	Name:    name,
	Title:   title,
	Titles:  map[string]string{"de": "Tic-Tac-Toe"},
	Summary: summary,
	MinSize: 2,
	MaxSize: bitboard.MaxSize,
	New:     func(n int) game.Rules { return game.Opaque[game.Position](New(n)) },
	Variants: game.Variants{
		Least: 2, Most: 12, Runs: true, Rules: bitboard.Misere,
	},
}

// rules are tic-tac-toe on one board. Every board of empty, X and O cells with either side to
// move is a position: 2·3^cells in all.
type rules struct {
	game.Marking
	all    uint64
	misere bool
}

// New returns the rules of tic-tac-toe on a board of 2 to 12 rows and columns and at most 64 cells.
func New(n int) game.Grid {
	s, corner := game.Size(n), game.Corner(n)
	info := game.Info{
		Name: name, Title: title, Size: n, Marks: 2, Summary: summary,
		CompleteLine: game.OwnerWins, Symmetries: game.OfLines,
	}
	if s.Has(bitboard.Misere) {
		info.CompleteLine = game.MoverLoses
	}
	if !s.Plain() {
		info.Summary, info.Symmetries = summaryOf(s), game.OfSquare
	}
	return &rules{game.NewMarking(info, corner[:len(corner)-1]+"O x"), bitboard.All(n), s.Has(bitboard.Misere)}
}

func summaryOf(s game.Size) string {
	line := "fills a row or column"
	switch {
	case s.Run() > 0:
		line = fmt.Sprintf("marks a straight run of %d cells", s.Run())
	case s.Rows() == s.Cols():
		line = "fills a row, column or main diagonal"
	}
	end := "wins"
	if s.Has(bitboard.Misere) {
		end = "loses"
	}
	return fmt.Sprintf("Each player in turn marks an empty cell with a mark of their own; whoever %s %s, "+
		"and a full board without such a line is a draw.", line, end)
}

// Terminal looks for the line of the player to move first. Play never leads to a board with such
// a line, or to one where both have a line; but such boards are positions too, and have a value.
// In the misère game every line was completed by the player who has just moved.
func (r *rules) Terminal(p game.Position) (game.Outcome, bool) {
	mover, waiting := r.Complete(p.Mover()), r.Complete(p.Waiting())
	switch {
	case mover || waiting && r.misere:
		return game.Win, true
	case waiting:
		return game.Lose, true
	}
	return game.Draw, p.X|p.O == r.all
}

func (r *rules) Moves(buf []game.Move, p game.Position) []game.Move {
	if _, over := r.Terminal(p); over {
		return buf
	}
	return r.AppendEmpty(buf, p.X|p.O)
}

func (r *rules) Play(p game.Position, m game.Move) game.Position {
	if p.Mark == game.X {
		p.X |= 1 << (m.To & 63)
	} else {
		p.O |= 1 << (m.To & 63)
	}
	p.Mark = p.Mark.Other()
	return p
}

func (r *rules) ParseMove(p game.Position, text string) (game.Move, error) {
	reason := ""
	switch outcome, over := r.Terminal(p); {
	case over && outcome == game.Draw:
		reason = "the board is full"
	case over:
		reason = "a line is complete"
	}
	return r.ParseMark(text, p.X|p.O, reason)
}
