// Package search has rules of games in a form fast enough for search, called cores:
// states to compare and hash, moves in a few operations, and random playouts in one
// call. Some games have their own core; for the others one is made from their rules.
package search

import (
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/game/othello"
	"backsolve/game/quixo"
	"backsolve/game/uttt"
)

// MaxPlies ends a game as a draw, which bounds games of Quixo. Hardly any comes near it: of
// 200,000 random ones the longest had 195 plies on 5×5, and 1,253 on 8×8.
const MaxPlies = 10_000

// Rules are a game's over states from the side of the player to move. All methods are safe for
// concurrent use. Except for those of Plain and Opaque, they do not allocate beyond the given buffers.
type Rules[S comparable] interface {
	// Of returns the state of a position of the game.
	Of(p game.State) S
	// Hash is the same in every run. Its upper bits are well distributed.
	Hash(s S) uint64
	// Terminal reports whether the game is over, and the outcome for the player to move.
	Terminal(s S) (game.Outcome, bool)
	// Moves appends the legal moves, ordered by their text. A terminal state has none.
	Moves(buf []game.Move, s S) []game.Move
	// Play returns the state after a legal move, for the other player.
	Play(s S, m game.Move) S
	// Playout plays random moves from s, which must not be terminal, to the end. It returns the outcome for the player
	// to move in s: a draw after MaxPlies plies.
	Playout(s S, r *Rand) game.Outcome
}

// Evaluator is implemented by rules that can evaluate open states heuristically.
type Evaluator[S comparable] interface {
	// Evaluate is up to ±MaxEvaluation, greater if better for the player to move, 0 if even.
	Evaluate(s S) int
}

// MaxEvaluation bounds the absolute value of an evaluation.
const MaxEvaluation = 10_000

// Weighted is implemented by rules with non-uniform playouts.
type Weighted[S comparable] interface {
	// WeightedPlayout is a Playout that prefers promising moves.
	WeightedPlayout(s S, r *Rand) game.Outcome
}

// Words is a state of a game that is not on a grid. Its core defines the bits.
type Words [3]uint64

var cores = map[string]func(rules game.Grid) Rules[Masks]{
	notakto.Game.Name: newNotakto,
	othello.Game.Name: newOthello,
	quixo.Game.Name:   newQuixo,
}

// New returns the core of a game on a grid: the plain one for variants and boards that are not n×n.
func New(rules game.Grid) Rules[Masks] {
	if core := cores[rules.Name()]; core != nil && game.Size(rules.Size()).Plain() {
		return core(rules)
	}
	return Plain(rules)
}

// Choose calls the function for the kind of states of a board's core.
func Choose[T any](rules game.Rules, masks func(Rules[Masks]) T, words func(Rules[Words]) T, states func(Rules[game.State]) T) T {
	if grid, ok := game.GridOf(rules); ok {
		return masks(New(grid))
	}
	if rules.Info().Name == uttt.Game.Name {
		return words(newUltimate(rules))
	}
	return states(Opaque(rules))
}

// Sign is 1 for a win, 0 for a draw and −1 for a loss.
func Sign(o game.Outcome) int { return int(o&game.Win) - int(o&game.Lose)/int(game.Lose) }

// asAtStart converts an outcome after some plies to one for the player who made the first.
func asAtStart(outcome game.Outcome, plies int) game.Outcome {
	if plies%2 == 1 {
		return outcome.Flip()
	}
	return outcome
}
