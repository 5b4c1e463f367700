package generic

import (
	"math"
	"math/rand/v2"
	"testing"

	"backsolve/game/custom"
)

// Samples are kept at a rate that leaves about as many as wanted, each surely if its weight says so.
func TestShares(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	for _, n := range []int{1, 10, 1000} {
		for _, heavy := range []float64{1, 50} {
			var samples []sample
			want := 0.0
			for i := range n {
				w := 0.5 + r.Float64()
				if i%10 == 0 {
					w *= heavy
				}
				samples, want = append(samples, sample{uint64(i), w}), want+w
			}
			for _, keys := range []float64{float64(n) / 2, float64(n) / 5, float64(2 * n)} {
				sum, rate := shares(samples, keys)
				kept := 0.0
				for _, s := range samples {
					kept += min(1, s.weight*rate)
				}
				if expected := min(keys, float64(n)); math.Abs(sum-want) > 1e-6 || kept < 0.93*expected || kept > 1.001*expected {
					t.Errorf("%d samples, %v heavier: sum %v, want %v; %v of %v are kept", n, heavy, sum, want, kept, keys)
				}
			}
		}
	}
	if sum, rate := shares(nil, 5); sum != 0 || rate != 0 {
		t.Errorf("of nothing: %v, %v", sum, rate)
	}
}

// Merged samples ascend, and equal ones have the sum of their weights.
func TestMerged(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	for n := range 40 {
		want := map[uint64]float64{}
		var samples []sample
		for range n {
			s := sample{r.Uint64N(20), float64(1 + r.IntN(4))}
			samples, want[s.key] = append(samples, s), want[s.key]+s.weight
		}
		got := merged(samples)
		for i, s := range got {
			if s.weight != want[s.key] || i > 0 && got[i-1].key >= s.key {
				t.Errorf("%d samples: %v", n, got)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%d samples: %d, want %d", n, len(got), len(want))
		}
	}
}

// From what replicates meet the number of states is estimated, also where they are met unequally often and
// where some are met by all; with few samples the interval has no end.
func TestEstimateOfSamples(t *testing.T) {
	const states = 2000
	for _, c := range []struct {
		often, spread float64
		hubs          int
	}{{0.2, 1, 0}, {0.5, 1, 0}, {0.3, 2, 0}, {0.5, 1, 5}} {
		for seed := range uint64(5) {
			r := rand.New(rand.NewPCG(seed, 9))
			from := make([][]sample, replicates)
			for key := range uint64(states) {
				often := c.often
				if key%2 == 0 {
					often /= c.spread
				}
				for i := range from {
					if r.Float64() < often {
						from[i] = append(from[i], sample{key, 1})
					}
				}
			}
			for h := range c.hubs {
				for i := range from {
					from[i] = append(from[i], sample{uint64(states + h), 100})
				}
			}
			n, low, high := estimate(from, 1)
			if want := float64(states + c.hubs); low > want || high < want || n < 0.8*want || n > 1.2*want || low < 0.6*want || high > 1.8*want {
				t.Errorf("%+v: %.0f states from %.0f to %.0f, want %.0f", c, n, low, high, want)
			}
			if _, wide, wider := estimate(from, 100); wide >= low || wider <= high {
				t.Errorf("%+v: dependent samples give %.0f to %.0f, others %.0f to %.0f", c, wide, wider, low, high)
			}
		}
	}
	once := make([][]sample, replicates)
	for i := range once {
		once[i] = []sample{{uint64(i), 1}}
	}
	if n, low, high := estimate(once, 1); n != 1 || low != 0 || !math.IsInf(high, 1) {
		t.Errorf("no state is met twice: %v, %v, %v", n, low, high)
	}
	once[1] = once[0]
	if n, low, high := estimate(once, 1); n != 28 || low <= 0 || low > n || !math.IsInf(high, 1) {
		t.Errorf("one state is met twice: %v, %v, %v", n, low, high)
	}
	if n, low, high := estimate(make([][]sample, replicates), 1); n != 0 || low != 0 || high != 0 {
		t.Errorf("nothing is met: %v, %v, %v", n, low, high)
	}
}

// A plan of tiers that are enumerated has their numbers.
func TestPlanOfAll(t *testing.T) {
	for seed := range uint64(10) {
		g := newGraph(rand.New(rand.NewPCG(seed, 3)), 4, 200)
		states, moves := map[int]int64{}, 0
		all := slowly(g)
		for at := range all {
			states[at.Tier]++
			moves = max(moves, len(g.nodes[at].children))
		}
		var largest int64
		for tier, n := range states {
			if g.loops[tier] {
				largest = max(largest, n)
			}
		}
		n := int64(len(all))
		p, err := Estimate(t.Context(), custom.Rules(g), PlanOptions{})
		if err != nil || p.States != n || p.Low != n || p.High != n || p.Tiers != 4 || p.Exact != 4 || p.Samples < len(all) || p.Samples > 2*len(all) {
			t.Errorf("seed %d, %d states: %+v, %v", seed, n, p, err)
		}
		if p.MinMemory != 6*largest || p.LeastMemory != 6*largest || p.Disk != 6*n || p.LeastDisk != 3*n || p.Memory < 18*largest || p.Memory > (18+4*int64(moves))*largest || largest > 20 && p.Memory == 18*largest || p.Seconds <= 0 || p.Seconds > 1 {
			t.Errorf("seed %d, %d states, %d in the largest tier with loops: %+v", seed, n, largest, p)
		}
	}
}

// A limit of memory leaves a quarter to moves that are collected, with room to sort them.
func TestMostMoves(t *testing.T) {
	g := newGraph(rand.New(rand.NewPCG(1, 3)), 2, 20)
	for _, c := range []struct {
		memory  int64
		threads int
		want    int
	}{{0, 2, 0}, {1 << 20, 1, 1 << 13}, {1 << 20, 4, 1 << 11}, {1 << 10, 64, 1}} {
		s, err := Solve(t.Context(), t.TempDir(), g, Options{Memory: c.memory, Threads: c.threads})
		if err != nil {
			t.Fatal(err)
		}
		if s.s.mostMoves != c.want {
			t.Errorf("%d bytes and %d threads: %d moves each, want %d", c.memory, c.threads, s.s.mostMoves, c.want)
		}
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// The moves between the states that are left are held where they take three quarters of the memory or less.
func TestFits(t *testing.T) {
	l := &loops{s: &solver{keys: []tierKeys{{segments: []segment{{n: 1000}}, base: []int{0}}}}}
	for _, c := range []struct {
		memory        int64
		states, moves uint64
		fits          bool
	}{{0, 1000, 1 << 31, true}, {40_000, 500, 4000, true}, {39_996, 500, 4000, false}, {40_000, 501, 4000, false}, {40_000, 500, 4001, false}, {1 << 40, 500, math.MaxUint32, false}, {1 << 40, 500, math.MaxUint32 - 1, true}} {
		l.s.o.Memory = c.memory
		if got := l.fits(rest{states: c.states, moves: c.moves}); got != c.fits {
			t.Errorf("%+v: %t", c, got)
		}
	}
	l.s.o.Memory, l.passed = 0, true
	if l.fits(rest{states: 1, moves: math.MaxUint32}) || !l.fits(rest{states: 1, moves: 5}) {
		t.Error("after a pass the moves are known")
	}
}
