package survey

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// eachPosition calls f with every position of a table's game, X to move.
func eachPosition(table *probe.Table, f func(p game.Position)) {
	n, taken := table.Rules().Size(), table.Space().Taken
	var fill func(cell int, p game.Position)
	fill = func(cell int, p game.Position) {
		if cell == n*n {
			f(p)
			return
		}
		bit := uint64(1) << uint(cell)
		if taken&bit == 0 {
			fill(cell+1, p)
		}
		fill(cell+1, game.Position{X: p.X | bit, O: p.O})
		if table.Rules().Marks() == 2 {
			fill(cell+1, game.Position{X: p.X, O: p.O | bit})
		}
	}
	fill(0, game.Position{})
}

// allFilters returns filters for all kinds of states that a table with steps can have, and some
// that it cannot.
func allFilters(table *probe.Table) (kinds []Filter) {
	last := 0
	for _, c := range table.Stored().Classes() {
		last = max(last, len(c.Counts.BySteps))
	}
	for _, outcome := range []*game.Outcome{nil, new(game.Win), new(game.Lose), new(game.Draw)} {
		kinds = append(kinds, Filter{Outcome: outcome})
		if table.HasSteps() {
			for steps := -1; steps <= last; steps++ {
				kinds = append(kinds, Filter{outcome, new(steps)})
			}
		}
	}
	return kinds
}

// valued is a position with its value.
type valued struct {
	game.Position
	probe.Value
}

// lookUpAll looks up every state.
func lookUpAll(t *testing.T, table *probe.Table) (all []valued) {
	eachPosition(table, func(p game.Position) {
		v, err := table.Value(p)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, valued{p, v})
	})
	return all
}

// statesOf returns the states that match a filter.
func statesOf(all []valued, k Filter) map[game.Position]int {
	states := map[game.Position]int{}
	for _, v := range all {
		if (k.Outcome == nil || v.Outcome == *k.Outcome) && (k.Steps == nil || v.Outcome != game.Draw && v.Steps == *k.Steps) {
			states[v.Position] = 0
		}
	}
	return states
}

// filterBoards are tables with and without draws and steps, whole and after given moves.
func filterBoards(t *testing.T) map[string]*probe.Table {
	after := func(n int, taken uint64) *probe.Table {
		rules := newRules(t, "notakto", n)
		table, err := probe.OpenAfter(tables.Dir(t, rules, taken, true), rules, taken)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return table
	}
	boards := map[string]*probe.Table{
		"quixo 2":         open(t, "quixo", 2, true),
		"quixo 3":         open(t, "quixo", 3, true),
		"notakto 2":       open(t, "notakto", 2, true),
		"tictactoe 2":     open(t, "tictactoe", 2, true),
		"tictactoe 3":     open(t, "tictactoe", 3, true),
		"notakto 3 plain": open(t, "notakto", 3, false),
		"notakto 3":       open(t, "notakto", 3, true),
		"notakto 3 after": after(3, 1<<1),
	}
	if !testing.Short() { // they take long under the race detector
		boards["quixo 3 plain"] = open(t, "quixo", 3, false)
		boards["notakto 4"] = open(t, "notakto", 4, true)
		boards["notakto 4 after"] = after(4, 1<<0|1<<6)
	}
	return boards
}

// TestRandomEveryFilter draws a random state for each filter if lookups find one, and picks
// states by number. They match.
func TestRandomEveryFilter(t *testing.T) {
	for name, table := range filterBoards(t) {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			all := lookUpAll(t, table)
			for _, k := range allFilters(table) {
				states := statesOf(all, k)
				var counted uint64
				for i, c := range table.Stored().Classes() {
					n := k.count(c)
					if counted += n; n == 0 {
						continue
					}
					s, err := pick(t.Context(), table, i, k, r.Uint64N(n), r.IntN(table.Space().Symmetries.Len()))
					p, _ := s.(game.Position)
					if _, is := states[p]; err != nil || !is {
						t.Fatalf("%v: picked %s, %v", k, table.Rules().Format(p), err)
					}
				}
				if counted != uint64(len(states)) {
					t.Fatalf("%v: %d are counted, %d found", k, counted, len(states))
				}
				s, err := Random(t.Context(), table, k, r)
				p, _ := s.(game.Position)
				if _, is := states[p]; len(states) > 0 && (err != nil || !is) {
					t.Fatalf("%v: %s, %v", k, table.Rules().Format(p), err)
				}
				if len(states) == 0 && !errors.Is(err, ErrNoSuchState) {
					t.Fatalf("%v: %s, %v; want ErrNoSuchState", k, table.Rules().Format(p), err)
				}
			}
		})
	}
}

// chiSquare checks that counts of equally likely events are plausible: the sum of the squares
// is about the number of events, with a standard deviation of the root of twice that.
func chiSquare(t *testing.T, counts map[game.Position]int, draws int) {
	t.Helper()
	expected := float64(draws) / float64(len(counts))
	var sum float64
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	if free := float64(len(counts) - 1); (sum-free)*(sum-free) > 16*2*free {
		t.Errorf("the states are not equally likely: chi-square is %.0f with %.0f degrees of freedom", sum, free)
	}
}

// TestRandomIsUniform checks that matching states are drawn about uniformly, from the table
// and, by number and symmetry, from the class that has most of them.
func TestRandomIsUniform(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	const each = 10
	for name, table := range filterBoards(t) {
		all := lookUpAll(t, table)
		for _, k := range []Filter{{}, {Outcome: new(game.Lose)}, {Outcome: new(game.Draw)}, {new(game.Win), new(2)}, {nil, new(3)}} {
			states := statesOf(all, k)
			if k.Steps != nil && !table.HasSteps() || len(states) < 2 || len(states) > 2000 {
				continue
			}
			t.Run(name+" "+k.String(), func(t *testing.T) {
				r := rand.New(rand.NewPCG(2, 3))
				draws := each * len(states)
				for range draws {
					p, err := Random(t.Context(), table, k, r)
					if err != nil {
						t.Fatal(err)
					}
					states[p.(game.Position)]++
				}
				chiSquare(t, states, draws)
				checkPicks(t, table, k, 2*each)
			})
		}
	}
}

// checkPicks picks from the class with the most matching states.
func checkPicks(t *testing.T, table *probe.Table, k Filter, each int) {
	t.Helper()
	classes := table.Stored().Classes()
	class, most := 0, uint64(0)
	for i, c := range classes {
		if n := k.count(c); n > most && n < 300 {
			class, most = i, n
		}
	}
	if most < 2 {
		return
	}
	r := rand.New(rand.NewPCG(5, 6))
	counts := map[game.Position]int{}
	for range each * int(most) {
		p, err := pick(t.Context(), table, class, k, r.Uint64N(most), r.IntN(table.Space().Symmetries.Len()))
		if err != nil {
			t.Fatal(err)
		}
		counts[p.(game.Position)]++
	}
	if len(counts) != int(most) {
		t.Errorf("%d states are picked of %d", len(counts), most)
	}
	chiSquare(t, counts, each*int(most))
}

func TestRandomRefuses(t *testing.T) {
	plain := open(t, "notakto", 4, false)
	r := rand.New(rand.NewPCG(1, 1))
	if _, err := Random(t.Context(), plain, Filter{Steps: new(3)}, r); !errors.Is(err, ErrNoSteps) ||
		!errors.As(err, new(*probe.StepsError)) {
		t.Errorf("steps of a table without: %v", err)
	}
	table := open(t, "notakto", 4, true)
	_, err := Random(t.Context(), table, Filter{new(game.Win), new(3)}, r)
	if !errors.Is(err, ErrNoSuchState) || err.Error() != "there is no such state: notakto 4×4 has none of win in 3" {
		t.Errorf("an odd win: %v", err)
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := Random(ctx, table, Filter{}, r); !errors.Is(err, cause) {
		t.Errorf("drawing after the end: %v", err)
	}
	if _, err := pick(ctx, table, 0, Filter{}, 0, 0); !errors.Is(err, cause) {
		t.Errorf("picking after the end: %v", err)
	}
}

// TestRandomFindsWrongCounts opens a table whose counts have too many states, which is damaged.
func TestRandomFindsWrongCounts(t *testing.T) {
	table := altered(t, open(t, "notakto", 2, true), 0, func(_ *tablebase.Planes, c *tablebase.Counts) {
		c.BySteps[1], c.BySteps[2] = tablebase.StepCounts{Wins: 1, Losses: 3}, tablebase.StepCounts{Losses: 1}
	})
	_, err := Random(t.Context(), table, Filter{new(game.Win), new(1)}, rand.New(rand.NewPCG(1, 1)))
	if !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("%v, want ErrDamaged", err)
	}
}

// The matching states of a block are numbered from the first to the last.
func TestNth(t *testing.T) {
	for name, table := range map[string]*probe.Table{"quixo 3": open(t, "quixo", 3, true), "notakto 3 plain": open(t, "notakto", 3, false)} {
		filters := allFilters(table)
		for i := range table.Stored().Classes() {
			err := eachRun(t.Context(), table, i, 1, table.Stored().Planes, func(r *gridRun) (more bool, err error) {
				for b := range r.masks {
					for _, f := range filters {
						n := uint64(0)
						for index := range uint32(1) << r.class.IndexBits {
							if !f.matches(r.value(b, index)) {
								continue
							}
							if got, passed, found := r.nth(b, f, n); !found || got != index || passed != 0 {
								t.Fatalf("%s, class %d, block %d, %v: number %d is %d, %t, want %d", name, r.class.Class, b, f, n, got, found, index)
							}
							n++
						}
						if _, passed, found := r.nth(b, f, n); found || passed != n {
							t.Fatalf("%s, class %d, block %d, %v: %d states, %t, want %d", name, r.class.Class, b, f, passed, found, n)
						}
					}
				}
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
