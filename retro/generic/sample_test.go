package generic

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/synctest"

	"backsolve/game/custom"
	"backsolve/internal/plan"
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
	}{{0.2, 1, 0}, {0.5, 1, 0}, {0.3, 2, 0}, {0.5, 1, 5}, {0.3, 1, 1}} {
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

// From few samples the estimate follows by hand.
func TestEstimateOfFewSamples(t *testing.T) {
	met := func(often ...int) [][]sample { // by how many replicates each state is met
		from := make([][]sample, replicates)
		for key, n := range often {
			for i := range n {
				from[i] = append(from[i], sample{uint64(key), 1})
			}
		}
		return from
	}
	for _, c := range []struct {
		name         string
		from         [][]sample
		n, low, high float64
	}{
		{"all are met by all", met(8, 8, 8, 8, 8, 8, 8, 8, 8), 9, 9, 9},
		{"one is met by all, the others once", met(8, 1, 1, 1, 1, 1, 1, 1, 1), 2, 1, math.Inf(1)},
		{"ten triples", met(5), 1.09375, 1.09375 / (1 + 2/math.Sqrt(10)), 1.09375 * (1 + 2/math.Sqrt(10))},
		{"nine triples", met(4, 4, 3), 3.529167, 3.529167 / (1 + 2/math.Sqrt(15)), math.Inf(1)},
	} {
		n, low, high := estimate(c.from, 1)
		for _, p := range [][2]float64{{n, c.n}, {low, c.low}, {high, c.high}} {
			if p[0] != p[1] && !(math.Abs(p[0]-p[1]) < 1e-4) {
				t.Errorf("%s: %v from %v to %v, want %v from %v to %v", c.name, n, low, high, c.n, c.low, c.high)
				break
			}
		}
	}
}

// What a solve takes follows from the numbers of states and moves; of an estimate that its bounds cut short,
// from what is known.
func TestPlanOfFew(t *testing.T) {
	ring := &graph{tiers: 1, loops: []bool{true}, nodes: map[custom.Child]node{}}
	for key := range uint64(10) {
		n := node{}
		for more := range uint64(3) {
			n.children = append(n.children, custom.Child{Key: (key + more + 1) % 10})
		}
		ring.nodes[custom.Child{Key: key}] = n
	}
	fan := &graph{tiers: 2, loops: []bool{false, false}, nodes: map[custom.Child]node{}}
	for key := range uint64(4) {
		at := custom.Child{Key: key, Tier: 1}
		fan.nodes[at] = node{over: true}
		fan.nodes[custom.Child{}] = node{children: append(fan.nodes[custom.Child{}].children, at)}
	}
	const runs, least = processBytes, plan.RuntimeBytes
	full := keyBytes * int64(rangeKeys)
	for _, c := range []struct {
		g    *graph
		most int // samples that are held
		want Plan
	}{
		{ring, 1 << 20, Plan{States: 10, Low: 10, High: 10, Each: []PlannedTier{{10, 3, true}}, Tiers: 1, Exact: 1, Samples: 20,
			Memory: runs + keyBytes*30 + edgeBytes*30 + 300, MinMemory: runs + keyBytes*30 + 60, Disk: 60, LeastMemory: least + 60, LeastDisk: 30, Seconds: 30 * 60 / 1e9}},
		{fan, 1 << 20, Plan{States: 5, Low: 5, High: 5, Each: []PlannedTier{{1, 4, false}, {4, 0, false}}, Tiers: 2, Exact: 2, Samples: 5,
			Memory: runs + keyBytes*4 + edgeBytes*4, MinMemory: runs + keyBytes*4, Disk: 30, LeastMemory: least, LeastDisk: 15, Seconds: 10 * 16 / 1e9}},
		{fan, closureHolds, Plan{Low: 1, Each: []PlannedTier{{0, 4, false}, {0, 4, false}}, Tiers: 2, Exact: 1, Samples: 1,
			Memory: runs + full + edgeBytes*4*int64(parentBlocks*blockKeys), MinMemory: runs + full, Disk: 6, LeastMemory: least, LeastDisk: 3, Seconds: 2 * 80 / 1e9}},
		{fan, closureHolds - 1, Plan{Low: 1, Each: make([]PlannedTier, 2), Tiers: 2, Exact: 1,
			Memory: runs + full, MinMemory: runs + full, Disk: 6, LeastMemory: least, LeastDisk: 3}},
	} {
		synctest.Test(t, func(t *testing.T) { // expanding takes no time
			p := newEstimator(t.Context(), c.g, leastKeys, c.most)
			p.random, p.threads = rand.New(rand.NewPCG(1, 1)), 1
			got, err := p.estimate()
			if math.Abs(got.Seconds-c.want.Seconds) > 1e-15 {
				t.Errorf("%v seconds, want %v", got.Seconds, c.want.Seconds)
			}
			if got.Seconds = c.want.Seconds; !reflect.DeepEqual(got, c.want) || errors.Is(err, errBounds) != (c.most < 100) {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
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
		least, buffers := plan.RuntimeBytes+6*largest, processBytes-plan.RuntimeBytes+(keyBytes+edgeBytes)*n*int64(moves+1)
		if p.MinMemory < least || p.MinMemory > least+buffers || p.LeastMemory != least || p.Disk != 6*n || p.LeastDisk != 3*n || p.Memory < p.MinMemory+12*largest || p.Memory > least+(12+4*int64(moves))*largest+buffers || p.Seconds <= 0 || p.Seconds > 1 {
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
		if s.mostMoves != c.want {
			t.Errorf("%d bytes and %d threads: %d moves each, want %d", c.memory, c.threads, s.mostMoves, c.want)
		}
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
}

// The moves between the states that are left are held where they take three quarters of the memory or less.
func TestFits(t *testing.T) {
	l := &loops{s: &Solution{keys: []tierKeys{{segments: []segment{{n: 1000}}, base: []int{0}}}}}
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
