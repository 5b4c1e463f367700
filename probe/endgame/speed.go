package endgame

import (
	"context"
	"sync"
	"time"

	"backsolve/bitboard"
	"backsolve/partition"
	"backsolve/retro"
)

// secondsPerState returns the time that package retro takes for a stored state on one thread.
// It is measured with an endgame that is large enough for setup not to count, and solved in
// some hundredths of a second.
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

// measure solves a board of 4×4 with further cells on no line, given the number of all cells.
func measure(cells int, o retro.Options) float64 {
	const n = 4
	space, err := partition.NewEndgame(partition.MarkingGame{Name: "notakto", Size: n, Cells: cells, Lines: bitboard.Lines(n)})
	if err != nil {
		panic(err) // the board is fixed
	}
	best := time.Duration(1 << 62)
	for range 2 {
		began := time.Now()
		last, err := retro.SolveRootClasses(context.Background(), space, 0, o)
		if err != nil {
			panic(err) // there is no limit, and no cancellation
		}
		last.Close()
		best = min(best, time.Since(began))
	}
	return best.Seconds() / float64(o.Plan(space).States)
}

// lineGroup is bitboard.LineGroup with a cache.
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
