package main

import (
	"cmp"
	"context"
	"iter"
	"sync"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

// choice counts the moves of an open state.
type choice struct {
	outcome game.Outcome
	legal   uint8
	lenient uint8 // keep the outcome
	strict  uint8 // also win soonest or lose latest
}

// single reports whether just one move keeps the win.
func (c choice) single() bool { return c.outcome == game.Win && c.lenient == 1 }

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
	return c
}

// findings are the result of a walk: exact if it visited every state, estimates if it drew
// some of each stratum.
type findings struct {
	strata []finding
}

// finding counts the visits of a stratum, weighted by the states that they stand for.
type finding struct {
	survey.Stratum
	visits  uint64
	choices map[choice]uint64 // of open states
	single  map[int]uint64    // states with one winning move, by steps
}

// newFindings walks through a table.
func newFindings(ctx context.Context, t *probe.Table, o survey.WalkOptions) (*findings, error) {
	begin := func() *findings {
		s := &findings{}
		for _, stratum := range survey.Strata(t) {
			s.strata = append(s.strata, finding{stratum, 0, map[choice]uint64{}, map[int]uint64{}})
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

func (s *findings) add(v *survey.Visit) {
	of := &s.strata[v.Stratum]
	of.visits += v.Images
	if v.Terminal {
		return
	}
	c := choiceOf(v)
	of.choices[c] += v.Images
	if c.single() {
		of.single[v.Steps] += v.Images
	}
}

func (s *findings) merge(other *findings) {
	for i, from := range other.strata {
		of := &s.strata[i]
		of.visits += from.visits
		for c, n := range from.choices {
			of.choices[c] += n
		}
		for steps, n := range from.single {
			of.single[steps] += n
		}
	}
}

func compareChoices(a, b choice) int {
	return cmp.Or(cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.legal, b.legal),
		cmp.Compare(a.lenient, b.lenient), cmp.Compare(a.strict, b.strict))
}
