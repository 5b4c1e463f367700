package selfplay

import (
	"context"
	"math/rand/v2"

	"backsolve/internal/matrix"
	"backsolve/internal/player/zero"
	"backsolve/internal/search"
)

// lockstep plays games side by side: each runs until it needs an evaluation, then all of
// these are evaluated in one batch. A game depends only on its own random numbers, not on the
// other games or the threads. The error is the cause of ctx.
func lockstep(ctx context.Context, episodes []*episode, threads int) error {
	matrix.Share(len(episodes), threads, func(first, end int) {
		for _, e := range episodes[first:end] {
			e.begin()
		}
	})
	var wanted []zero.State
	for active := episodes; len(active) > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		matrix.Share(len(active), threads, func(first, end int) {
			for _, e := range active[first:end] {
				e.run()
			}
		})
		var still []*episode
		for _, e := range active {
			if !e.over {
				still = append(still, e)
			}
		}
		for left := still; len(left) > 0; {
			// A batch for one network.
			asked := left[0].evaluator()
			var others []*episode
			wanted = wanted[:0]
			for _, e := range left {
				if e.evaluator() == asked {
					wanted = append(wanted, e.leaf)
				} else {
					others = append(others, e)
				}
			}
			asked.Evaluate(wanted)
			left = others
		}
		active = still
	}
	return nil
}

// The streams of random numbers of an iteration.
const (
	ofInit = iota
	ofGames
	ofTraining
	ofAcceptance
)

// chance returns a generator of random numbers for one use in a stream of an iteration.
func chance(seed uint64, iteration, stream, number int) *rand.Rand {
	return rand.New(rand.NewPCG(search.Mix(search.Mix(seed)+uint64(iteration)), search.Mix(search.Mix(uint64(stream))+uint64(number))))
}
