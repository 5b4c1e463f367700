// Package search is the core of a game made for search: states that are compared and
// hashed, moves by a few operations on them, and whole random games in one call. Of
// the games on grids some have a core of their own; every other game has one made of
// its rules.
package search

import (
	"backsolve/game"
	"backsolve/game/notakto"
	"backsolve/game/othello"
	"backsolve/game/quixo"
	"backsolve/game/uttt"
)

// MaxPlies is the length of the longest random game: one that is not over then
// is a draw. It is there because nothing else bounds a game of Quixo, but hardly
// any game comes near it: of 200,000 random ones the longest had 195 plies on
// 5×5, and 1,253 on 8×8.
const MaxPlies = 10_000

// Rules are what game.Rules are, over states made for search, which need not tell
// the sides apart: a state is a position as the player to move sees it. All methods
// are safe for concurrent use and, but for those of rules made by Plain and Opaque,
// do not allocate beyond the given buffers.
type Rules[S comparable] interface {
	// Of returns the state of a position of the game.
	Of(p game.State) S
	// Hash returns a number that is the same for equal states, in every run, and
	// whose upper bits are hardly ever the same for others.
	Hash(s S) uint64
	// Terminal says whether the game is over and how, for the player to move.
	Terminal(s S) (game.Outcome, bool)
	// Moves appends the legal moves to buf, ordered by the moves' text. A state
	// that is over has none.
	Moves(buf []game.Move, s S) []game.Move
	// Play returns the state after a legal move, for the other player. It does
	// not check.
	Play(s S, m game.Move) S
	// Playout plays legal moves from s on, which is not over, each with the same
	// probability, until the game is over, and returns the outcome for the player
	// to move in s. It is a draw where the game is not over after MaxPlies plies.
	Playout(s S, r *Rand) game.Outcome
}

// Evaluator is implemented by rules that can tell what a state that is not over
// looks like for the player to move.
type Evaluator[S comparable] interface {
	// Evaluate returns a number from −MaxEvaluation to MaxEvaluation, the greater the
	// better the state looks, and 0 where it looks even.
	Evaluate(s S) int
}

// MaxEvaluation is how much an Evaluator says at most for or against a state.
const MaxEvaluation = 10_000

// Weighted is implemented by rules that have playouts in which moves are not equally
// likely.
type Weighted[S comparable] interface {
	// WeightedPlayout is a Playout in which moves that look good are more likely.
	WeightedPlayout(s S, r *Rand) game.Outcome
}

// Words is a state of a game that is no grid and has a core of its own, which knows what
// the bits mean.
type Words [3]uint64

// cores lists the games on grids that have a core of their own.
var cores = map[string]func(rules game.Grid) Rules[Masks]{
	notakto.Game.Name: newNotakto,
	othello.Game.Name: newOthello,
	quixo.Game.Name:   newQuixo,
}

// otherCores lists the games that are no grids and have a core of their own.
var otherCores = map[string]func(rules game.Rules) Rules[Words]{
	uttt.Game.Name: newUltimate,
}

// New returns the core of a game on a grid, its own or the plain one.
func New(rules game.Grid) Rules[Masks] {
	if core := cores[rules.Name()]; core != nil {
		return core(rules)
	}
	return Plain(rules)
}

// Choose makes something of the core of a board, by the function for its kind of states.
func Choose[T any](rules game.Rules, masks func(Rules[Masks]) T, words func(Rules[Words]) T, states func(Rules[game.State]) T) T {
	if grid, ok := game.GridOf(rules); ok {
		return masks(New(grid))
	}
	if core := otherCores[rules.Info().Name]; core != nil {
		return words(core(rules))
	}
	return states(Opaque(rules))
}

// asAtStart returns an outcome after some plies as the player sees it who made the
// first of them.
func asAtStart(outcome game.Outcome, plies int) game.Outcome {
	if plies%2 == 1 {
		return outcome.Flip()
	}
	return outcome
}
