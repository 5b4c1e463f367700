// Package tictactoe has the rules of tic-tac-toe: each player in turn marks an empty
// cell with their own mark. The player who fills a row, a column or a main diagonal of
// the n×n board wins; a full board without such a line is a draw.
package tictactoe

import (
	"strings"

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
}

// rules are tic-tac-toe on one board. Every board of empty, X and O cells with
// either side to move is a position: 2·3^(n²) of them.
type rules struct {
	game.Marking
	all uint64
}

// New returns the rules of tic-tac-toe on the n×n board, 2 ≤ n ≤ 8.
func New(n int) game.Grid {
	empty := strings.Repeat(".", n)
	example := "X" + empty[1:] + strings.Repeat("/"+empty, n-2) + "/" + empty[1:] + "O x"
	info := game.Info{
		Name: name, Title: title, Size: n, Marks: 2, Summary: summary,
		CompleteLine: game.OwnerWins, Symmetries: game.OfLines,
	}
	return &rules{game.NewMarking(info, example), bitboard.All(n)}
}

// Terminal looks for the line of the player to move first. Play never leads to a
// board on which there is one, nor to one where both have a line; but such boards
// are positions, too, and have a value.
func (r *rules) Terminal(p game.Position) (game.Outcome, bool) {
	switch {
	case r.Complete(p.Mover()):
		return game.Win, true
	case r.Complete(p.Waiting()):
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
