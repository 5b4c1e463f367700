package endgame

import (
	"context"
	"sync"
	"time"

	"backsolve/bitboard"
	"backsolve/partition"
	"backsolve/retro"
)

// secondsPerState is what the sweep of a rest takes for each stored state on one
// thread, by sweeping one that is large enough that setting up does not count, and
// done in some hundredths of a second.
func secondsPerState(steps bool) float64 {
	if steps {
		return withSteps()
	}
	return withoutSteps()
}

var (
	withoutSteps = sync.OnceValue(func() float64 { return measure(25, retro.Options{Threads: 1}) })
	withSteps    = sync.OnceValue(func() float64 { return measure(18, retro.Options{Threads: 1, Steps: true}) })
)

// measure sweeps a board of 4×4 with further cells on no line, so many in all.
func measure(cells int, o retro.Options) float64 {
	const n = 4
	space, err := partition.NewRest(partition.MarkingGame{Name: "notakto", Size: n, Cells: cells, Lines: bitboard.Lines(n)})
	if err != nil {
		panic(err) // a board that is the same each time
	}
	best := time.Duration(1 << 62)
	for range 2 {
		began := time.Now()
		last, err := retro.SolveRootClasses(context.Background(), space, 0, o)
		if err != nil {
			panic(err) // no limit is set, and nobody cancels it
		}
		last.Close()
		best = min(best, time.Since(began))
	}
	_, states := o.Plan(space).Total()
	return best.Seconds() / float64(states)
}

// lineGroup is bitboard.LineGroup, made once for each size.
func lineGroup(n int) []bitboard.Perm {
	groups.Lock()
	defer groups.Unlock()
	if groups.by[n] == nil {
		groups.by[n] = bitboard.LineGroup(n)
	}
	return groups.by[n]
}

var groups struct {
	sync.Mutex
	by [bitboard.MaxSize + 1][]bitboard.Perm
}
