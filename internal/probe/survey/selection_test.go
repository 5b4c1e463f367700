package survey

import (
	"errors"
	"math"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// selectAll returns all selected states, each with its own memory.
func selectAll(t *testing.T, table *probe.Table, s Selection) (all []Selected) {
	t.Helper()
	reported := uint64(0)
	s.Progress = func(e tablebase.Event) { reported = e.Done }
	err := Select(t.Context(), table, s, func(states []Selected) error {
		for _, one := range states {
			one.Moves = slices.Clone(one.Moves)
			all = append(all, one)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	times := uint64(0)
	for _, one := range all {
		times += one.Images
	}
	if reported != times {
		t.Errorf("progress ends at %d states, not %d", reported, times)
	}
	return all
}

// TestSelectEveryFilter compares selected states with lookups: with AllImages each state once,
// otherwise one with the number of its images.
func TestSelectEveryFilter(t *testing.T) {
	for name, table := range filterBoards(t) {
		t.Run(name, func(t *testing.T) {
			all := lookUpAll(t, table)
			for _, k := range allFilters(table) {
				if k.Steps != nil && *k.Steps < 0 {
					continue
				}
				wanted := statesOf(all, k)
				for _, s := range selectAll(t, table, Selection{Filter: k, AllImages: true, Threads: 2}) {
					seen, is := wanted[s.State.(game.Position)]
					if !is || seen > 0 || s.Images != 1 {
						t.Fatalf("%v: %s is selected, wanted %v, %d times before", k, table.Rules().Format(s.State.(game.Position)), is, seen)
					}
					wanted[s.State.(game.Position)]++
				}
				for p, seen := range wanted {
					if seen == 0 {
						t.Fatalf("%v: %s is not selected", k, table.Rules().Format(p))
					}
				}
				stored := uint64(0)
				for _, s := range selectAll(t, table, Selection{Filter: k}) {
					if _, is := wanted[s.State.(game.Position)]; !is {
						t.Fatalf("%v: %s is selected", k, table.Rules().Format(s.State.(game.Position)))
					}
					stored += s.Images
				}
				if stored != uint64(len(wanted)) {
					t.Fatalf("%v: the stored states represent %d states, not %d", k, stored, len(wanted))
				}
			}
		})
	}
}

// TestSelectedValues compares values and moves with those of the table.
func TestSelectedValues(t *testing.T) {
	table := open(t, "quixo", 3, true)
	rules := table.Rules()
	for _, s := range selectAll(t, table, Selection{Moves: true, Threads: 3}) {
		v, ranked, err := table.Rate(nil, s.State, nil)
		if err != nil || v != s.Value || !slices.Equal(ranked, s.Moves) {
			t.Fatalf("%s: %v, %d moves; the table says %v, %d, %v", rules.Format(s.State.(game.Position)), s.Value, len(s.Moves), v, len(ranked), err)
		}
		if _, over := rules.Terminal(s.State.(game.Position)); over != s.Terminal || over != (len(s.Moves) == 0) {
			t.Fatalf("%s: terminal %v", rules.Format(s.State.(game.Position)), s.Terminal)
		}
		lenient, strict := s.OptimalMoves()
		for i, m := range s.Moves {
			if (i < lenient) != (m.Outcome == v.Outcome) || (i < strict) != (m.Value == v) {
				t.Fatalf("%s: move %d is %v, of a state that is %v with %d and %d right moves", rules.Format(s.State.(game.Position)), i, m.Value, v, lenient, strict)
			}
		}
	}
}

// TestSelectedValuesWithoutMoves compares values without moves, also of all images and of
// samples.
func TestSelectedValuesWithoutMoves(t *testing.T) {
	for name, table := range filterBoards(t) {
		t.Run(name, func(t *testing.T) {
			for _, selection := range []Selection{{}, {AllImages: true}, {Sample: 1000, Seed: 5}} {
				for _, s := range selectAll(t, table, selection) {
					if v, err := table.Value(s.State.(game.Position)); err != nil || v != s.Value || len(s.Moves) > 0 {
						t.Fatalf("%s: %v with %d moves; the table says %v, %v", table.Rules().Format(s.State.(game.Position)), s.Value, len(s.Moves), v, err)
					}
				}
			}
		})
	}
}

// TestSelectClass selects one class, and refuses one that the table lacks.
func TestSelectClass(t *testing.T) {
	table := open(t, "notakto", 4, false)
	classes := table.Stored().Classes()
	for _, c := range classes {
		states := uint64(0)
		for _, s := range selectAll(t, table, Selection{Class: new(c.Class)}) {
			if got := table.Space().Locate(s.State.(game.Position)).Class; got != c.Class {
				t.Fatalf("%s is of class %d, not %d", table.Rules().Format(s.State.(game.Position)), got, c.Class)
			}
			states += s.Images
		}
		if want := (Filter{}).count(c); states != want {
			t.Errorf("class %d: %d states, not %d", c.Class, states, want)
		}
	}
	err := Select(t.Context(), table, Selection{Class: new(classes[0].Class + 1)}, func([]Selected) error { return nil })
	if !errors.Is(err, ErrNoSuchState) {
		t.Errorf("of a class too many: %v", err)
	}
	if err := Select(t.Context(), table, Selection{Filter: Filter{Steps: new(1)}}, nil); !errors.Is(err, ErrNoSteps) {
		t.Errorf("steps of a table without: %v", err)
	}
}

// TestSelectSample checks that a sample has matching states alone, is the same for a seed with
// any number of threads, and is about uniform.
func TestSelectSample(t *testing.T) {
	table := open(t, "quixo", 3, true)
	filters := []Filter{{}, {Outcome: new(game.Win), Steps: new(7)}, {Outcome: new(game.Lose)}}
	if testing.Short() {
		filters = filters[1:] // samples of all states take long under the race detector
	}
	all := lookUpAll(t, table)
	for _, k := range filters {
		wanted := statesOf(all, k)
		const each = 10
		n := uint64(len(wanted)) * each
		sample := selectAll(t, table, Selection{Filter: k, Sample: n, Seed: 3, Threads: 1})
		other := selectAll(t, table, Selection{Filter: k, Sample: n, Seed: 3, Threads: 4})
		if uint64(len(sample)) != n || len(other) != len(sample) {
			t.Fatalf("%v: %d and %d states, not %d", k, len(sample), len(other), n)
		}
		for i, s := range sample {
			if s.State != other[i].State {
				t.Fatalf("%v: state %d depends on the threads", k, i)
			}
			if _, is := wanted[s.State.(game.Position)]; !is {
				t.Fatalf("%v: %s is drawn", k, table.Rules().Format(s.State.(game.Position)))
			}
			wanted[s.State.(game.Position)]++
		}
		chi2 := 0.0
		for _, count := range wanted {
			chi2 += float64((count-each)*(count-each)) / each
		}
		freedom := float64(len(wanted) - 1)
		if limit := freedom + 6*math.Sqrt(2*freedom) + 10; chi2 > limit {
			t.Errorf("%v: chi-square is %.0f with %.0f degrees of freedom", k, chi2, freedom)
		}
	}
	if err := Select(t.Context(), table, Selection{Filter: Filter{Outcome: new(game.Draw)}, Sample: 1}, nil); !errors.Is(err, ErrNoSuchState) {
		t.Errorf("a sample of nothing: %v", err)
	}
}

// TestSelectOpening selects from an opening table, without moves that leave it.
func TestSelectOpening(t *testing.T) {
	whole := open(t, "notakto", 4, false)
	table, _ := probetest.Opening(t, whole, 3)
	cut := 0
	for _, s := range selectAll(t, table, Selection{Moves: true}) {
		if v, err := whole.Value(s.State.(game.Position)); err != nil || v != s.Value {
			t.Fatalf("%s: %v, not %v, %v", table.Rules().Format(s.State.(game.Position)), s.Value, v, err)
		}
		if !s.Terminal && len(s.Moves) == 0 {
			cut++
		}
	}
	if cut == 0 {
		t.Error("no state is won only out of the table, so nothing was tested")
	}
}
