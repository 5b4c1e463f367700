package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/retro/oracle"
)

// asked are the means to compare.
var asked = map[string]func(choice) float64{
	"legal":   func(c choice) float64 { return float64(c.legal) },
	"right":   func(c choice) float64 { return float64(c.lenient) },
	"lenient": lenient, "strict": strictShare, "single": single,
}

// brute has the figures of the open states of an outcome by marked cells, by the rules and
// the one-state-at-a-time solver; −1 stands for all.
type brute struct {
	states map[int]float64
	sums   map[int]map[string]float64
	single map[int]float64
	steps  map[int]float64 // of single, by steps
}

func bruteForce(rules game.Grid, steps bool) map[game.Outcome]*brute {
	solution := oracle.Solve(rules)
	value := func(p game.Position) probe.Value {
		outcome, n := solution.Value(p)
		if outcome == game.Draw || !steps {
			n = -1
		}
		return probe.Value{Outcome: outcome, Steps: n}
	}
	all := map[game.Outcome]*brute{}
	for _, outcome := range outcomes {
		all[outcome] = &brute{map[int]float64{}, map[int]map[string]float64{}, map[int]float64{}, map[int]float64{}}
	}
	for i := range solution.Len() {
		p := solution.State(i)
		if _, over := rules.Terminal(p); over {
			continue
		}
		v := value(p)
		c := choice{outcome: v.Outcome}
		for _, m := range rules.Moves(nil, p) {
			c.legal++
			after := value(rules.Play(p, m))
			if after.Outcome.Flip() == v.Outcome {
				c.lenient++
				if v.Steps == -1 || after.Steps+1 == v.Steps {
					c.strict++
				}
			}
		}
		b := all[v.Outcome]
		for _, marks := range []int{-1, bits.OnesCount64(p.X | p.O)} {
			b.states[marks]++
			if b.sums[marks] == nil {
				b.sums[marks] = map[string]float64{}
			}
			for name, f := range asked {
				b.sums[marks][name] += f(c)
			}
			if c.single() {
				b.single[marks]++
			}
		}
		if c.single() {
			b.steps[v.Steps]++
		}
	}
	return all
}

// findingsOf walks a table and returns the groups by marks, and all strata as number −1.
func findingsOf(t *testing.T, table *probe.Table, o survey.WalkOptions) (findings, []group) {
	t.Helper()
	s, err := newFindings(context.Background(), table, o)
	if err != nil {
		t.Fatal(err)
	}
	strata := survey.Strata(table)
	all := whole(strata)
	all.number = -1
	return s, append(byMarks(strata), all)
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// Visiting every state, by a walk or by a large sample, agrees with brute force and is
// exact.
func TestSurveyAgreesWithBruteForce(t *testing.T) {
	for _, c := range []struct {
		game string
		n    int
	}{{"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"quixo", 2}, {"quixo", 3}} {
		for _, steps := range []bool{true, false} {
			table := openTable(t, c.game, c.n, steps)
			want := bruteForce(table.Rules(), steps)
			for _, o := range []survey.WalkOptions{{}, {Threads: 3}, {Sample: 1 << 20}} {
				t.Run(fmt.Sprintf("%s-%d/steps=%v/sample=%d/threads=%d", c.game, c.n, steps, o.Sample, o.Threads), func(t *testing.T) {
					s, groups := findingsOf(t, table, o)
					for outcome, b := range want {
						compareExact(t, s, groups, outcome, b)
					}
				})
			}
		}
	}
}

func compareExact(t *testing.T, s findings, groups []group, outcome game.Outcome, want *brute) {
	t.Helper()
	for _, g := range groups {
		if states := float64(open(g.Counts, outcome)); states != want.states[g.number] {
			t.Errorf("%v with %d marks: %g states, %g by brute force", outcome, g.number, states, want.states[g.number])
		}
		for name, f := range asked {
			got := s.mean(g, outcome, f)
			if want.states[g.number] == 0 {
				if got.known() {
					t.Errorf("%v with %d marks: mean %s of no states is %v", outcome, g.number, name, got)
				}
			} else if mean := want.sums[g.number][name] / want.states[g.number]; !near(got.value, mean) || got.margin != 0 {
				t.Errorf("%v with %d marks: mean %s is %v, %g by brute force", outcome, g.number, name, got, mean)
			}
		}
		if outcome != game.Win {
			continue
		}
		if got := s.total(g, outcome, single); got != (estimate{value: want.single[g.number]}) {
			t.Errorf("%d marks: %v with one winning move, %g by brute force", g.number, got, want.single[g.number])
		}
	}
	all := groups[len(groups)-1]
	for steps := range 30 {
		got := s.total(all, outcome, func(c choice) float64 {
			if c.steps == steps {
				return single(c)
			}
			return 0
		})
		if outcome == game.Win && got != (estimate{value: want.steps[steps]}) {
			t.Errorf("%d steps: %v with one winning move, %g by brute force", steps, got, want.steps[steps])
		}
	}
}

// single reports whether just one move keeps the win.
func (c choice) single() bool { return c.outcome == game.Win && c.lenient == 1 }

// Samples of any seed are right within a few margins, and larger ones have smaller margins.
func TestSampleTellsTheTruth(t *testing.T) {
	const sure = 3 // margins: six standard deviations
	table := openTable(t, "quixo", 3, true)
	exact, groups := findingsOf(t, table, survey.WalkOptions{})
	all := groups[len(groups)-1]
	var margins []float64
	for _, sample := range []uint64{50, 500} {
		drawn, _ := findingsOf(t, table, survey.WalkOptions{Sample: sample, Seed: 3})
		for _, outcome := range outcomes {
			for name, f := range asked {
				want, got := exact.mean(all, outcome, f), drawn.mean(all, outcome, f)
				if math.Abs(got.value-want.value) > sure*got.margin+1e-9 {
					t.Errorf("%d draws: %v %s is %v, exactly %v", sample, outcome, name, got, want)
				}
			}
		}
		for _, g := range groups {
			want, got := exact.total(g, game.Win, single), drawn.total(g, game.Win, single)
			if math.Abs(got.value-want.value) > sure*got.margin+1e-9 {
				t.Errorf("%d draws, %d marks: %v with one winning move, exactly %v", sample, g.number, got, want)
			}
		}
		margins = append(margins, drawn.mean(all, game.Win, lenient).margin)
	}
	if margins[0] <= margins[1] || margins[1] == 0 {
		t.Errorf("the margins are %v", margins)
	}
}

// A group without visits is unknown, and one with equal visits is not certain.
func TestWhatWasNotMet(t *testing.T) {
	s := findings{{
		Stratum: survey.Stratum{Counts: survey.Counts{States: 1000, Wins: 990, Draws: 10}},
		visits:  100, choices: map[choice]uint64{{game.Win, 4, 2, 1, 0}: 100},
	}}
	g := group{strata: []int{0}}
	if e := s.mean(g, game.Draw, lenient); e.known() {
		t.Errorf("%v of draws that were not met", e)
	}
	if e := s.mean(g, game.Win, lenient); e.value != 0.5 || e.margin <= 0 || e.margin > 0.05 {
		t.Errorf("%v of wins that are all alike", e)
	}
	if e := s.total(g, game.Win, single); e.value != 0 || e.margin < 10 || e.margin > 50 {
		t.Errorf("%v states of which none was met", e)
	}
}

func TestSurveyStops(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := newFindings(ctx, openTable(t, "notakto", 3, true), survey.WalkOptions{}); !errors.Is(err, enough) {
		t.Error(err)
	}
}
