package generic

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// graph is a game that is drawn by lot: positions with tiers, ends and moves. Positions of
// different tiers may share a number.
type graph struct {
	tiers int
	loops []bool
	nodes map[custom.Child]node
	start custom.Child
}

type node struct {
	over     bool
	outcome  game.Outcome
	children []custom.Child
}

func (g *graph) Name() string                 { return "graph" }
func (g *graph) Start() custom.Child          { return g.start }
func (g *graph) Tiers() int                   { return g.tiers }
func (g *graph) Loops(tier int) bool          { return g.loops[tier] }
func (g *graph) NewExpander() custom.Expander { return g }
func (g *graph) NewChecker() custom.Expander  { return g }

func (g *graph) Check(custom.Child) error { return nil }

func (g *graph) Text(at custom.Child) (string, error) { return at.String(), nil }

func (g *graph) Expand(dst []custom.Child, of custom.Child) ([]custom.Child, game.Outcome, bool, error) {
	n := g.nodes[of]
	return append(dst, n.children...), n.outcome, n.over, nil
}

// newGraph draws a game with a given number of positions.
func newGraph(r *rand.Rand, tiers, positions int) *graph {
	g := &graph{tiers: tiers, nodes: map[custom.Child]node{}}
	for range tiers {
		g.loops = append(g.loops, r.IntN(2) == 0)
	}
	var all []custom.Child
	bits := 8 + r.IntN(56)
	for len(all) < positions {
		at := custom.Child{Key: r.Uint64() >> (64 - bits), Tier: r.IntN(tiers)}
		if _, ok := g.nodes[at]; !ok {
			all = append(all, at)
			g.nodes[at] = node{}
		}
		bits = min(bits+1, 64) // there may be no more of so few
	}
	over, near := 1+r.IntN(4), r.IntN(2) == 0
	if near {
		over = 0
	}
	for i, at := range all {
		n := g.nodes[at]
		for range r.IntN(6) {
			child := all[r.IntN(len(all))]
			if near { // games are long, and values of later tiers come late
				child = all[min(max(i+r.IntN(14)-2, 0), len(all)-1)]
			}
			if child.Tier > at.Tier || child.Tier == at.Tier && g.loops[at.Tier] {
				n.children = append(n.children, child)
			}
		}
		if n.over = len(n.children) == 0 || r.IntN(10) < over; n.over {
			n.outcome, n.children = game.Outcome(r.IntN(3)), nil
		}
		g.nodes[at] = n
	}
	g.start = all[0]
	for _, at := range all { // from an early tier more is reached
		if !g.nodes[at].over && at.Tier < g.start.Tier {
			g.start = at
		}
	}
	return g
}

// slowly solves a game by what outcome and steps mean, with a map and no order at all.
func slowly(g custom.Rules) map[custom.Child]sparse.Value {
	e := g.NewExpander()
	children, values := map[custom.Child][]custom.Child{}, map[custom.Child]sparse.Value{}
	var visit func(at custom.Child)
	visit = func(at custom.Child) {
		if _, ok := children[at]; ok {
			return
		}
		found, outcome, over, _ := e.Expand(nil, at)
		children[at] = found
		if over {
			values[at] = sparse.Value{Outcome: outcome, Steps: 0}
		}
		for _, c := range found {
			visit(c)
		}
	}
	visit(g.Start())
	for steps := 1; ; steps++ {
		found := map[custom.Child]sparse.Value{}
		for key, moves := range children {
			if _, ok := values[key]; ok {
				continue
			}
			won := 0
			for _, c := range moves {
				v, ok := values[c]
				if ok && v.Outcome == game.Lose {
					found[key] = sparse.Value{Outcome: game.Win, Steps: steps}
				}
				if ok && v.Outcome == game.Win {
					won++
				}
			}
			if won == len(moves) {
				found[key] = sparse.Value{Outcome: game.Lose, Steps: steps}
			}
		}
		if len(found) == 0 {
			break
		}
		maps.Copy(values, found)
	}
	for key := range children {
		if v, ok := values[key]; !ok || v.Outcome == game.Draw {
			values[key] = sparse.Value{Outcome: game.Draw, Steps: -1}
		}
	}
	return values
}

// quickly returns what Solve finds.
func quickly(t testing.TB, g custom.Rules, o Options) map[custom.Child]sparse.Value {
	t.Helper()
	s, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), g, o)
	if err != nil {
		t.Fatal(err)
	}
	values := map[custom.Child]sparse.Value{}
	for tier := range g.Tiers() {
		last, any := uint64(0), false
		for key, value := range s.Tier(tier) {
			if any && key <= last {
				t.Fatalf("tier %d has %d behind %d", tier, key, last)
			}
			last, any = key, true
			values[custom.Child{Key: key, Tier: tier}] = value
		}
	}
	if len(values) != s.States() {
		t.Errorf("%d states, and %d are there", s.States(), len(values))
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	return values
}

// small makes buffers and tasks so small that there are many of them.
func small(t testing.TB) {
	old := [...]int{bufferKeys, rangeKeys, expandBlocks, parentBlocks, labelled}
	bufferKeys, rangeKeys, expandBlocks, parentBlocks, labelled = 40, 200, 1, 1, 3
	t.Cleanup(func() {
		bufferKeys, rangeKeys, expandBlocks, parentBlocks, labelled = old[0], old[1], old[2], old[3], old[4]
	})
}

// Games drawn by lot get the values that the definition gives them, whatever the threads,
// the sizes of buffers and the memory limit, which makes passes of some or all plies.
func TestSolveAgrees(t *testing.T) {
	seeds := uint64(80)
	if testing.Short() {
		seeds = 10 // each takes long under the race detector
	}
	for _, tiny := range []bool{false, true} {
		t.Run(fmt.Sprintf("tiny %v", tiny), func(t *testing.T) {
			if tiny {
				small(t)
			}
			for seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 1))
				g := newGraph(r, 1+r.IntN(5), 2+r.IntN(300))
				want := slowly(g)
				for _, memory := range []int64{0, int64([]int{6, 10 + r.IntN(40)}[seed%2] * len(want))} {
					if got := quickly(t, g, Options{Threads: 1 + int(seed%3), Memory: memory}); !maps.Equal(got, want) {
						t.Fatalf("seed %d, memory %d: %d states, want %d", seed, memory, len(got), len(want))
					}
				}
			}
		})
	}
}

// A solve reports how far it is, also within a tier with loops, whether by counters or by passes, and
// while it writes, and never that too much is done.
func TestProgress(t *testing.T) {
	small(t)
	rules := custom.NewRules(dodgem{N: 3})
	for _, memory := range []int64{0, 4000} {
		looped, written, found := map[uint64]bool{}, map[uint64]bool{}, uint64(0)
		var last tablebase.Event
		first, before, done := uint64(math.MaxUint64), uint64(0), uint64(0) // in the tier with loops: at its begin, before its end, and then
		err := Make(context.Background(), filepath.Join(t.TempDir(), "dodgem.tb"), "", rules, Options{Memory: memory, Progress: func(p tablebase.Event) {
			switch {
			case p.Stage == Enumerated:
				found += p.Done
				return
			case p.Stage == tablebase.Solving && p.At == 6:
				looped[p.Done] = true
				first = min(first, p.Done)
				if p.Done > done {
					before, done = done, p.Done
				}
			case p.Stage == Writing:
				written[p.Done] = true
			}
			if p.Stage == last.Stage && p.Done < last.Done || p.Stage != Enumerating && p.Done > p.Total {
				t.Errorf("%+v after %+v", p, last)
			}
			last = p
		}})
		if err != nil {
			t.Fatal(err)
		}
		if len(looped) < 4 || len(written) < 4 || last.Done < last.Total*9/10 || found != last.Total {
			t.Errorf("memory %d: %d states are found, %d and %d reports, then %+v", memory, found, len(looped), len(written), last)
		}
		if memory == 0 && before-first < (done-first)*3/4 {
			t.Errorf("the tier with loops goes from %d to %d, and then to %d", first, before, done)
		}
	}
}
