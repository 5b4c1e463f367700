package main

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/internal/player/arena"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

type choice struct {
	outcome game.Outcome
	legal   uint8
	lenient uint8 // keep the outcome
	strict  uint8 // also win soonest or lose latest
	steps   int   // to the end, of a win by a single move
}

func choiceOf(v *survey.Visit) choice {
	c := choice{outcome: v.Outcome, legal: uint8(len(v.Moves))}
	for _, m := range v.Moves {
		if m.Outcome == v.Outcome {
			c.lenient++
		}
		if m.Value == v.Value {
			c.strict++
		}
	}
	if c.outcome == game.Win && c.lenient == 1 {
		c.steps = v.Steps
	}
	return c
}

// findings are by stratum: exact if a walk visited every state, estimates if it drew some of each.
type findings []finding

// finding counts the visits of a stratum, weighted by the states that they stand for.
type finding struct {
	survey.Stratum
	visits  uint64
	choices map[choice]uint64 // of open states
	sorted  []choice          // these, so that sums are always rounded alike
}

func newFindings(ctx context.Context, t *probe.Table, o survey.WalkOptions) (findings, error) {
	begin := func() (s findings) {
		for _, stratum := range survey.Strata(t) {
			s = append(s, finding{Stratum: stratum, choices: map[choice]uint64{}})
		}
		return s
	}
	all := begin()
	var lock sync.Mutex
	err := survey.Walk(ctx, t, o, func(visits iter.Seq[*survey.Visit]) error {
		mine := begin()
		for v := range visits {
			mine.add(v)
		}
		lock.Lock()
		defer lock.Unlock()
		all.merge(mine)
		return nil
	})
	return all, err
}

func (s findings) add(v *survey.Visit) {
	of := &s[v.Stratum]
	of.visits += v.Images
	if !v.Terminal {
		of.choices[choiceOf(v)] += v.Images
	}
}

func (s findings) merge(other findings) {
	for i, from := range other {
		of := &s[i]
		of.visits += from.visits
		for c, n := range from.choices {
			of.choices[c] += n
		}
	}
}

// estimate is a number of the whole game with its margin of 95 %, 0 if exact. NaN is unknown.
type estimate struct{ value, margin float64 }

var unknown = estimate{value: math.NaN()}

func (e estimate) known() bool { return !math.IsNaN(e.value) }

// sums are over the visits of a stratum; x is 1 for states of interest, of others x and y are 0.
type sums struct{ x, y, yy float64 }

// mean estimates the mean of f over the open states of an outcome, by the combined ratio estimator.
func (s findings) mean(g group, outcome game.Outcome, f func(choice) float64) estimate {
	all, byStratum := sums{}, make([]sums, len(g.strata))
	for i, number := range g.strata {
		byStratum[i] = s[number].sums(outcome, f)
		all.x += s[number].scale() * byStratum[i].x
		all.y += s[number].scale() * byStratum[i].y
	}
	if all.x == 0 {
		return unknown
	}
	ratio := all.y / all.x
	variance := 0.0
	for i, number := range g.strata {
		if stratum := &s[number]; open(stratum.Counts, outcome) > 0 {
			sum := byStratum[i] // a visit adds z = y − ratio·x to the error
			variance += stratum.variance(sum.y-ratio*sum.x, sum.yy-2*ratio*sum.y+ratio*ratio*sum.x)
		}
	}
	return estimate{ratio, arena.Normal95 * math.Sqrt(variance) / all.x}
}

// sums sums f over the visits of open states of an outcome.
func (s *finding) sums(outcome game.Outcome, f func(choice) float64) (sum sums) {
	if s.sorted == nil {
		s.sorted = slices.SortedFunc(maps.Keys(s.choices), func(a, b choice) int {
			return cmp.Or(cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.legal, b.legal),
				cmp.Compare(a.lenient, b.lenient), cmp.Compare(a.strict, b.strict), cmp.Compare(a.steps, b.steps))
		})
	}
	for _, c := range s.sorted {
		if c.outcome == outcome {
			times, y := float64(s.choices[c]), f(c)
			sum.x += times
			sum.y += times * y
			sum.yy += times * y * y
		}
	}
	return sum
}

// total estimates the sum of f over the open states of an outcome in a group.
func (s findings) total(g group, outcome game.Outcome, f func(choice) float64) (e estimate) {
	variance := 0.0
	for _, number := range g.strata {
		if stratum := &s[number]; open(stratum.Counts, outcome) > 0 {
			sum := stratum.sums(outcome, f)
			e.value += stratum.scale() * sum.y
			variance += stratum.variance(sum.y, sum.yy)
		}
	}
	e.margin = arena.Normal95 * math.Sqrt(variance)
	return e
}

// scale is the number of states that a visit stands for.
func (s *finding) scale() float64 { return float64(s.States) / float64(s.visits) }

// variance returns the variance of the estimated sum over the stratum, 0 if all of it was visited. z
// and zz are the sums of values and of squares over the visits. One more visit is assumed to
// differ by 1, since equal visits do not prove equal states.
func (s *finding) variance(z, zz float64) float64 {
	if s.visits == s.States {
		return 0
	}
	visits := float64(s.visits)
	spread := max(0, zz-z*z/visits) + 1
	return s.scale() * s.scale() * visits * spread / max(1, visits-1)
}

// group is the strata with a number of marked cells, or all.
type group struct {
	number int
	strata []int
	survey.Counts
}

func byMarks(strata []survey.Stratum) (groups []group) {
	for i, s := range strata {
		at, found := slices.BinarySearchFunc(groups, s.Marked, func(g group, marks int) int { return cmp.Compare(g.number, marks) })
		if !found {
			groups = slices.Insert(groups, at, group{number: s.Marked})
		}
		groups[at].add(i, s.Counts)
	}
	return groups
}

func whole(strata []survey.Stratum) (all group) {
	for i, s := range strata {
		all.add(i, s.Counts)
	}
	return all
}

func (g *group) add(stratum int, c survey.Counts) {
	g.strata = append(g.strata, stratum)
	g.Counts = survey.Counts{
		States: g.States + c.States, Wins: g.Wins + c.Wins, Losses: g.Losses + c.Losses, Draws: g.Draws + c.Draws,
		TerminalWins: g.TerminalWins + c.TerminalWins, TerminalLosses: g.TerminalLosses + c.TerminalLosses,
	}
}

func open(c survey.Counts, outcome game.Outcome) uint64 {
	switch outcome {
	case game.Win:
		return c.Wins - c.TerminalWins
	case game.Lose:
		return c.Losses - c.TerminalLosses
	}
	return c.Draws
}
