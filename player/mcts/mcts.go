// Package mcts is the agent that searches by random playouts: Monte Carlo tree
// search with UCB1, and nothing beside it.
//
// An iteration goes down from the position, always to the child of greatest
//
//	1 − w/n + √(2 ln N / n)
//
// where n is the number of the child's visits, w what its player won in them (1
// for a win, ½ for a draw) and N the number of the parent's visits. It ends at
// the first node with a child that was never visited: one of these, each with the
// same probability, is visited first, its worth is that of a random playout, and
// all nodes on the way get it. A state has one node, whichever moves lead to it,
// and moves that lead to the same state are one. A way that comes back to one of
// its own nodes, in a game that can go round, ends there as a draw: whoever would
// rather have something else need not have gone round. At the end the most visited move
// is played; of several such, the one of greatest 1 − w/n; of these, the first by
// its text.
package mcts

import (
	"fmt"
	"strconv"

	"backsolve/game"
	"backsolve/player"
	"backsolve/search"
)

// MaxIterations is the largest number of iterations for a move.
const MaxIterations = 100_000_000

// Options say how the agent searches.
type Options struct {
	// Iterations is the number of iterations for each move, 0 to MaxIterations.
	// With 0 the agent plays any legal move, each with the same probability.
	Iterations int
	// KeepTree lets a search begin with what the searches before it in the same
	// game have found out about the positions that can still be reached.
	KeepTree bool
}

// String returns the name of the agent: mcts:10000, mcts:10000,keep-tree.
func (o Options) String() string {
	name := "mcts:" + strconv.Itoa(o.Iterations)
	if o.KeepTree {
		name += ",keep-tree"
	}
	return name
}

// New returns the agent of a board of any game, named as its options are. The error
// says what is wrong with the options.
func New(rules game.Rules, o Options) (player.Agent, error) {
	if o.Iterations < 0 || o.Iterations > MaxIterations {
		return nil, fmt.Errorf("%d is not a number of iterations; give one from 0 to %d", o.Iterations, MaxIterations)
	}
	if grid, ok := game.GridOf(rules); ok {
		return &agent[search.Masks]{o, rules, search.New(grid)}, nil
	}
	return &agent[game.State]{o, rules, search.Opaque(rules)}, nil
}

type agent[S comparable] struct {
	options Options
	rules   game.Rules
	core    search.Rules[S]
}

func (a *agent[S]) Name() string { return a.options.String() }

func (a *agent[S]) Begin(seed uint64) (player.Player, error) {
	return &searcher[S]{agent: a, tree: newTree(a.core, player.NewRand(seed).Uint64())}, nil
}

func (*agent[S]) Close() error { return nil }
