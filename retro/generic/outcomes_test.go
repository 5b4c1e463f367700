package generic

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/tablebase/sparse"
)

// atMost limits the steps of values during a test.
func atMost(t *testing.T, steps int) {
	old := mostSteps
	mostSteps = steps
	t.Cleanup(func() { mostSteps = old })
}

// Outcomes alone are right however long the lines are, and whatever the memory, which decides how many
// plies are found by passes. With steps such a game is refused, and can go on without.
func TestOutcomes(t *testing.T) {
	often(t)
	small(t)
	seeds, tooLong := uint64(60), 0
	if testing.Short() {
		seeds = 12 // each takes long under the race detector
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 12))
		g := newGraph(r, 1+r.IntN(5), 2+r.IntN(300))
		want := slowly(g)
		for _, memory := range []int64{0, int64([]int{6, 10 + r.IntN(40)}[seed%2] * len(want))} {
			t.Run("", func(t *testing.T) {
				atMost(t, 1+int(seed%4))
				dir := filepath.Join(t.TempDir(), "work")
				cut := false
				if s, err := Solve(t.Context(), dir, g, Options{Memory: memory}); errors.Is(err, ErrTooLong) {
					cut = true
					tooLong++
				} else if err != nil {
					t.Fatal(err)
				} else if err := s.Close(); err != nil {
					t.Error(err)
				}
				s, err := Solve(t.Context(), dir, g, Options{Memory: memory, Outcomes: true, Threads: 1 + int(seed%3)})
				if err != nil {
					t.Fatal(err)
				}
				states := 0
				for tier := range g.Tiers() {
					for key, v := range s.Tier(tier) {
						if at := (custom.Child{Key: key, Tier: tier}); v != (sparse.Value{Outcome: want[at].Outcome, Steps: -1}) {
							t.Errorf("seed %d, memory %d: %v is %v, want %v", seed, memory, at, v, want[at])
						}
						states++
					}
				}
				if states != len(want) {
					t.Errorf("%d states, want %d", states, len(want))
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				if _, err := Solve(t.Context(), dir, g, Options{}); cut && !errors.Is(err, ErrWork) {
					t.Errorf("outcomes alone are taken for values with steps: %v", err)
				}
			})
		}
	}
	if tooLong < int(seeds/3) {
		t.Errorf("only %d games have long lines", tooLong)
	}
}

// A game with too long a line is refused with steps, and right without. The table says that it has no
// steps.
func TestLongLine(t *testing.T) {
	const plies = 60
	atMost(t, 40)
	g := &graph{tiers: 1, loops: []bool{true}, nodes: map[custom.Child]node{{Key: plies}: {over: true, outcome: game.Lose}}}
	for key := range uint64(plies) {
		g.nodes[custom.Child{Key: key}] = node{children: []custom.Child{{Key: key + 1}}}
	}
	_, err := Solve(t.Context(), filepath.Join(t.TempDir(), "work"), g, Options{})
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("with steps: %v", err)
	}
	_, table := made(t, g, Options{Outcomes: true})
	if h := table.Header(); !h.Outcomes || h.Version != 2 {
		t.Errorf("version %d, outcomes alone: %v", h.Version, h.Outcomes)
	}
	for key := range uint64(plies + 1) {
		want := game.Lose
		if (plies-key)%2 == 1 {
			want = game.Win
		}
		if v, err := table.Lookup(0, key); err != nil || v != (sparse.Value{Outcome: want, Steps: -1}) {
			t.Fatalf("%d is %v, %v, want %v", key, v, err, want)
		}
	}
}
