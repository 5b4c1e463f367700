// Package playout is the rules of the games made for search: states as two
// masks, moves by a few operations on them, and whole random games in one call.
package playout

import (
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/game/quixo"
)

// MaxPlies is the length of the longest random game: one that is not over then
// is a draw. It is there because nothing else bounds a game of Quixo, but hardly
// any game comes near it: of 200,000 random ones the longest had 195 plies on
// 5×5, and 1,253 on 8×8.
const MaxPlies = 10_000

// State is a position as the player to move sees it, without the names of the
// sides: Mover has the cells of the player to move and Waiting those of the
// other, as the masks of a game.Position. In Notakto all marks are the mover's.
type State struct {
	Mover, Waiting uint64
}

// StateOf returns the state of a position.
func StateOf(p game.Position) State { return State{p.Mover(), p.Waiting()} }

// position returns the position of a state in which X is to move.
func (s State) position() game.Position { return game.Position{X: s.Mover, O: s.Waiting} }

// Rules are what game.Rules are, for states. All methods are safe for concurrent
// use and, but for the playouts of Plain, do not allocate beyond the given
// buffers.
type Rules interface {
	// Terminal says whether the game is over and how, for the player to move.
	Terminal(s State) (game.Outcome, bool)
	// Moves appends the legal moves to buf, ordered by the moves' text. A state
	// that is over has none.
	Moves(buf []game.Move, s State) []game.Move
	// Play returns the state after a legal move, for the other player. It does
	// not check.
	Play(s State, m game.Move) State
	// Playout plays legal moves from s on, which is not over, each with the same
	// probability, until the game is over, and returns the outcome for the player
	// to move in s. It is a draw where the game is not over after MaxPlies plies.
	Playout(s State, r *Rand) game.Outcome
}

// New returns the fast rules of a board. Those of a game that has none of its own
// are made of its plain ones.
func New(rules game.Rules) Rules {
	switch {
	case rules.Name() == quixo.Game.Name && rules.Size() <= maxPacked:
		return newPacked(rules)
	case rules.Name() == quixo.Game.Name:
		return newWide(rules)
	case rules.Name() == notakto.Game.Name:
		return newNotakto(rules)
	}
	return Plain(rules)
}
