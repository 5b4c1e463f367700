package generic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"backsolve/game/custom"
	"backsolve/internal/plan"
)

// sizesOf returns the number of ranks in each tier, nil for rules without ranks.
func sizesOf(rules custom.Rules) (sizes []int, err error) {
	r, ok := rules.(custom.Ranked)
	if !ok {
		return nil, nil
	}
	for t := range r.Tiers() {
		size := r.Size(t)
		if size > custom.MostRanks || size > math.MaxInt/4 {
			return nil, fmt.Errorf("%w: tier %d has %d ranks, of at most %d", ErrRules, t, size, uint64(custom.MostRanks))
		}
		sizes = append(sizes, int(size))
	}
	return sizes, nil
}

// An estimate looks at rankedSamples ranks of a tier, unless there are no more than rankedAll, and at
// rankedBatch between two looks at the clock.
const rankedSamples, rankedAll, rankedBatch = 2000, 1 << 14, 64

type rankSample struct {
	looked  int
	all     bool // at all ranks
	there   int  // how many are those of states
	moves   int
	inside  int     // the most moves of a state that stay
	seconds float64 // for a rank, in the quickest batch, as other processes disturb the others
}

func sampleRanks(ranker custom.Ranker, rules custom.Ranked, t int) (s rankSample, err error) {
	size, random, seen := rules.Size(t), rand.New(rand.NewPCG(0, uint64(t))), custom.Seen{}
	s = rankSample{looked: int(min(size, rankedSamples)), all: size <= rankedAll}
	if s.all {
		s.looked = int(size)
	}
	began := time.Now()
	for i := range uint64(s.looked) {
		at := custom.Child{Key: i, Tier: t}
		if !s.all {
			at.Key = random.Uint64N(size)
		}
		if err := ranker.Look(&seen, at); err != nil {
			return s, wrongRules(err)
		}
		s.there, s.moves = s.there+int(custom.Bit(!seen.None, 0)), s.moves+seen.Inside+len(seen.Outside)
		s.inside = max(s.inside, seen.Inside)
		if n := i%rankedBatch + 1; n == rankedBatch || int(i) == s.looked-1 {
			if took := time.Since(began).Seconds() / float64(n); s.seconds == 0 || n == rankedBatch && took < s.seconds {
				s.seconds = took
			}
			began = time.Now()
		}
	}
	return s, nil
}

func estimateRanked(ctx context.Context, rules custom.Ranked, outcomes bool) (Plan, error) {
	sizes, err := sizesOf(rules)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Tiers: len(sizes), Exact: len(sizes), Ranked: true, Each: make([]PlannedTier, len(sizes))}
	ranker := rules.NewRanker()
	var ranks, states, variance float64
	for t := len(sizes) - 1; t >= 0; t-- {
		s, err := sampleRanks(ranker, rules, t)
		if err != nil {
			return Plan{}, err
		}
		n, looked, steps := float64(sizes[t]), float64(max(s.looked, 1)), 0.0
		share, stays := float64(s.there)/looked, rules.Loops(t)
		p.Each[t] = PlannedTier{n, float64(s.moves) / looked, stays}
		ranks, states, p.Samples = ranks+n, states+n*share, p.Samples+s.looked
		if !s.all {
			variance += n * n * share * (1 - share) / looked
		}
		if stays { // going back from a state takes as long as its moves forward, and ranks twice
			steps = 2
		}
		p.Seconds += (1 + steps) * n * s.seconds
		cells := rankedMemory(uint64(sizes[t]), rankedWidth(outcomes && s.inside < mostOpenByte, stays))
		p.MinMemory = max(p.MinMemory, cells)
		p.Memory = max(p.Memory, cells+p.Disk) // the values of later tiers are in memory, too
		p.Disk += rankedBytes(uint64(sizes[t]), rankedWidth(outcomes, false))
	}
	spread := 2 * math.Sqrt(variance)
	p.States, p.Low, p.High = int64(states), int64(max(states-spread, 0)), int64(min(states+spread, ranks))
	// The table follows, with a byte a rank or 2 bits, and cells are saved before the last ones go.
	table := int64(ranks)
	if outcomes {
		table /= 4
	}
	p.LeastDisk = p.Disk + table
	p.Disk = p.LeastDisk + 2*p.MinMemory
	p.LeastMemory = plan.RuntimeBytes + p.MinMemory
	p.Memory, p.MinMemory = processBytes+p.Memory, processBytes+p.MinMemory
	return p, context.Cause(ctx)
}
