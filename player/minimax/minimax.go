// Package minimax is the agent that searches all lines to some depth: alpha-beta
// with iterative deepening.
package minimax

import (
	"errors"
	"strconv"
	"time"

	"backsolve/game"
	"backsolve/player"
)

// Options say how far the agent searches. The search ends at the first limit
// that it reaches; at least one is given.
type Options struct {
	// Depth is the number of plies, 0 for no limit, at most MaxDepth.
	Depth int
	// Time is the time for each move, 0 for no limit. What is played within a
	// time is not the same each time, even with the same seed.
	Time time.Duration
}

// MaxDepth is the largest depth.
const MaxDepth = 200

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

// New returns the agent of a board, named as its options are. The error says
// what is wrong with the options.
func New(rules game.Rules, o Options) (player.Agent, error) {
	return nil, errors.New("minimax is in the making")
}
