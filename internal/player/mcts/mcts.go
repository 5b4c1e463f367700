// Package mcts is an agent that plays by plain Monte Carlo tree search with UCB1.
//
// An iteration descends from the position, always to the child of greatest
//
//	1 − w/n + C √(ln N / n)
//
// where n is the number of the child's visits, w what its player won in them (1
// for a win, ½ for a draw), N the number of the parent's visits, and C is √2 by
// default. It ends at the first node with an unvisited child. One such child is
// drawn at random, and the result of a random playout from it is backed up along
// the path.
//
// Each state has one node, whichever moves lead to it, and moves that lead to the
// same state count as one. A path that returns to one of its own nodes ends there
// as a draw: a player who wants more can avoid the cycle. At the end the agent
// plays the most visited move. Ties go to the greatest 1 − w/n, then to the first
// by text.
//
// With two options it is the agent of Chan's "The notion of depth in games": all states
// of the playouts become nodes, and the move of the greatest 1 − w/n is played.
package mcts

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

// MaxIterations is the largest number of iterations for a move.
const MaxIterations = 100_000_000

// Options say how the agent searches.
type Options struct {
	// Iterations are for each move, 0 to MaxIterations. With 0 the agent plays any legal move.
	Iterations int
	// KeepTree keeps what searches before in the game have found of positions in reach.
	KeepTree bool
	// Weighted has playouts in which good moves are more likely. Not all games have them.
	Weighted bool
	// AllStates makes nodes of all states of the playouts, each with the result.
	AllStates bool
	// ByRate plays the move with the best mean result, not the most visited one.
	ByRate bool
	// Time ends the search for a move early, 0 for never. Then a seed does not always give the same moves.
	Time time.Duration
	// Exploration is the C of the bound, above 0 to MaxExploration; 0 stands for √2.
	Exploration float64
}

// MaxExploration is the largest exploration constant.
const MaxExploration = 1000

// String returns the name of the agent: mcts:600,weighted,exploration=1.2.
func (o Options) String() string {
	name := "mcts:" + strconv.Itoa(o.Iterations)
	for _, option := range []struct {
		given bool
		text  string
	}{
		{o.KeepTree, "keep-tree"},
		{o.Time != 0, "time=" + o.Time.String()},
		{o.Weighted, "weighted"},
		{o.AllStates, "all-states"},
		{o.ByRate, "by-rate"},
		{o.Exploration != 0, "exploration=" + strconv.FormatFloat(o.Exploration, 'g', -1, 64)},
	} {
		if option.given {
			name += "," + option.text
		}
	}
	return name
}

// New returns the agent of a board. The error says which options do not go together, or with it.
func New(rules game.Rules, o Options) (player.Agent, error) {
	if o.AllStates && o.Weighted {
		return nil, errors.New("all-states has random playouts only; leave out weighted")
	}
	a := search.Choose(rules, agentOf[search.Masks](o, rules), agentOf[search.Words](o, rules), agentOf[game.State](o, rules))
	if a == nil {
		return nil, fmt.Errorf("there are no weighted playouts of %v; leave out weighted", rules.Info())
	}
	return a, nil
}

// agentOf returns a constructor of agents, or nil if the core has no weighted playouts.
func agentOf[S comparable](o Options, rules game.Rules) func(search.Rules[S]) player.Agent {
	return func(core search.Rules[S]) player.Agent {
		if _, ok := core.(search.Weighted[S]); o.Weighted && !ok {
			return nil
		}
		return &agent[S]{o, rules, core}
	}
}

type agent[S comparable] struct {
	options Options
	rules   game.Rules
	core    search.Rules[S]
}

func (a *agent[S]) Name() string { return a.options.String() }

func (a *agent[S]) Begin(seed uint64) (player.Player, error) {
	t := newTree(a.core, player.NewRand(seed).Uint64())
	if a.options.Exploration > 0 {
		t.scale = a.options.Exploration / math.Sqrt2
	}
	t.all = a.options.AllStates
	if a.options.Weighted {
		t.playout = a.core.(search.Weighted[S]).WeightedPlayout
	}
	return &searcher[S]{agent: a, tree: t}, nil
}
