// Package mcts is the agent that searches by random playouts: Monte Carlo tree
// search with UCB1.
package mcts

import (
	"errors"
	"fmt"
	"strconv"

	"backsolve/game"
	"backsolve/player"
)

// Options say how the agent searches.
type Options struct {
	// Iterations is the number of iterations for each move, 0 to MaxIterations.
	// With 0 the agent plays any legal move, each with the same probability.
	Iterations int
	// KeepTree lets a search begin with what the searches before it in the same
	// game have found out about the positions that can still be reached.
	KeepTree bool
}

// MaxIterations is the largest number of iterations for a move.
const MaxIterations = 100_000_000

// String returns the name of the agent: mcts:10000, mcts:10000,keep.
func (o Options) String() string {
	name := "mcts:" + strconv.Itoa(o.Iterations)
	if o.KeepTree {
		name += ",keep"
	}
	return name
}

// New returns the agent of a board, named as its options are. The error says
// what is wrong with the options.
func New(rules game.Rules, o Options) (player.Agent, error) {
	if o.Iterations < 0 || o.Iterations > MaxIterations {
		return nil, fmt.Errorf("%d is not a number of iterations; give one from 0 to %d", o.Iterations, MaxIterations)
	}
	return nil, errors.New("mcts is in the making")
}
