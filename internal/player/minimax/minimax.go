// Package minimax is an agent that searches with alpha-beta and iterative deepening.
//
// A line that ends within the depth is a win or a loss, better for the winner if
// sooner. Any other line has the evaluation of its last position. A state's worth does
// not depend on the path to it, so a repetition counts as a line that does not end.
// Proven results are therefore true: the search finds all wins and losses within the
// depth, with their steps. It cannot prove a draw. The seed breaks ties.
package minimax

import (
	"strconv"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

// MaxDepth is the largest depth.
const MaxDepth = 200

// Options are limits, at least one; the first one reached ends the search.
type Options struct {
	// Depth is the number of plies, 0 for no limit, at most MaxDepth.
	Depth int
	// Time is for each move, 0 for no limit. One ply is always searched. Games are not reproducible then.
	Time time.Duration
}

// String returns the name of the agent: minimax:depth=6,time=50ms.
func (o Options) String() string {
	name, sep := "minimax", ":"
	if o.Depth != 0 {
		name, sep = name+sep+"depth="+strconv.Itoa(o.Depth), ","
	}
	if o.Time != 0 {
		name += sep + "time=" + o.Time.String()
	}
	return name
}

// New returns an agent for any board, named after its options.
func New(rules game.Rules, o Options) player.Agent {
	return search.Choose(rules, agentOf[search.Masks](o), agentOf[search.Words](o), agentOf[game.State](o))
}

func agentOf[S comparable](o Options) func(search.Rules[S]) player.Agent {
	return func(core search.Rules[S]) player.Agent { return newAgent(o, core) }
}

type agent[S comparable] struct {
	options  Options
	core     search.Rules[S]
	evaluate func(s S) int
}

// newAgent evaluates all open states alike if the core is not an Evaluator.
func newAgent[S comparable](o Options, core search.Rules[S]) *agent[S] {
	a := &agent[S]{o, core, func(S) int { return 0 }}
	if e, ok := core.(search.Evaluator[S]); ok {
		a.evaluate = e.Evaluate
	}
	return a
}

func (a *agent[S]) Name() string { return a.options.String() }

func (a *agent[S]) Begin(seed uint64) (player.Player, error) {
	return newSearcher(a, player.NewRand(seed)), nil
}
