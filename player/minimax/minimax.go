// Package minimax is the agent that looks at all lines of play to some depth:
// alpha-beta with iterative deepening.
//
// A line that ends within the depth is worth a win or a loss, the sooner the
// better for the winner; any other one is worth what its last position looks
// like. A state's worth to a depth does not depend on the way that led to it: in a
// game that can go round a line may come back to where it was, and is then no more
// than one that does not end. So what a search proves is true: it finds all wins and losses
// that take no more steps than the depth, with their steps. It cannot prove a
// draw. Of equal moves it plays one that the seed chooses.
package minimax

import (
	"fmt"
	"strconv"
	"time"

	"backsolve/game"
	"backsolve/player"
	"backsolve/search"
)

// MaxDepth is the largest depth.
const MaxDepth = 200

// Options say how far the agent searches. The search ends at the first limit
// that it reaches; at least one is given.
type Options struct {
	// Depth is the number of plies, 0 for no limit, at most MaxDepth.
	Depth int
	// Time is the time for each move, 0 for no limit. What is played within a
	// time is not the same each time, even with the same seed. One ply is always
	// looked at.
	Time time.Duration
}

// String returns the name of the agent: minimax:depth=6, minimax:time=50ms,
// minimax:depth=6,time=50ms.
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

// check refuses what is no limit.
func (o Options) check() error {
	switch {
	case o.Depth < 0 || o.Depth > MaxDepth:
		return fmt.Errorf("%d is not a depth; give one from 1 to %d", o.Depth, MaxDepth)
	case o.Time < 0:
		return fmt.Errorf("%v is not a time for a move; give one above 0", o.Time)
	case o.Depth == 0 && o.Time == 0:
		return fmt.Errorf("minimax has no limit; give it a depth, a time or both")
	}
	return nil
}

// New returns the agent of a board of any game, named as its options are. The error
// says what is wrong with the options.
func New(rules game.Rules, o Options) (player.Agent, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	return search.Choose(rules, agentOf[search.Masks](o), agentOf[search.Words](o), agentOf[game.State](o)), nil
}

// agentOf returns what makes the agent of a core.
func agentOf[S comparable](o Options) func(search.Rules[S]) player.Agent {
	return func(core search.Rules[S]) player.Agent { return newAgent(o, core) }
}

type agent[S comparable] struct {
	options  Options
	core     search.Rules[S]
	evaluate func(s S) int
}

// newAgent returns the agent that searches by a core. Where that is no Evaluator, all
// states that are not over look alike.
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

func (*agent[S]) Close() error { return nil }
