package selfplay

import (
	"context"
	"math/rand/v2"

	"backsolve/internal/matrix"
	"backsolve/player/zero"
	"backsolve/search"
)

// lockstep plays games at once, all of them as far as they come without an evaluation that
// is missing; then the networks are asked for all of these together. What comes of a game
// depends on its own chance only, and not on the other games or the threads. The error is
// the cause of ctx.
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
			// All that wait for the network that the first of them waits for.
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

// The streams of chance of an iteration.
const (
	ofInit = iota
	ofGames
	ofTraining
	ofAcceptance
)

// chance returns the generator of a piece of work: of its stream in an iteration, and its
// number in that.
func chance(seed uint64, iteration, stream, number int) *rand.Rand {
	return rand.New(rand.NewPCG(search.Mix(search.Mix(seed)+uint64(iteration)), search.Mix(search.Mix(uint64(stream))+uint64(number))))
}
