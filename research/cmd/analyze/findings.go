package main

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"
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
	options  survey.WalkOptions
	strata   []finding
	examples [len(criteria)]*example
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
		s := &findings{options: o}
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
		s.propose(example{position: v.State.(game.Position), steps: v.Steps, legal: len(v.Moves)})
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
	for _, e := range other.examples {
		if e != nil {
			s.propose(*e)
		}
	}
}

// example is a state with one winning move.
type example struct {
	position game.Position
	steps    int
	legal    int // moves
}

func (e *example) marks() int { return bits.OnesCount64(e.position.X | e.position.O) }

// criteria choose the examples: the least of all states by each comparison.
var criteria = [...]struct {
	name       string
	needsSteps bool
	compare    func(a, b *example) int
}{
	{"with the fewest marks", false, func(a, b *example) int { return cmp.Compare(a.marks(), b.marks()) }},
	{"with the most legal moves", false, func(a, b *example) int { return cmp.Compare(b.legal, a.legal) }},
	{"with the longest win", true, func(a, b *example) int { return cmp.Compare(b.steps, a.steps) }},
}

// propose keeps an example if it is better. Of equal ones the least masks decide, so that the
// order of the visits does not matter.
func (s *findings) propose(e example) {
	for i, criterion := range criteria {
		old := s.examples[i]
		if old == nil || cmp.Or(criterion.compare(&e, old), comparePositions(e.position, old.position)) < 0 {
			s.examples[i] = &e
		}
	}
}

func comparePositions(a, b game.Position) int {
	return slices.Compare([]uint64{a.X, a.O}, []uint64{b.X, b.O})
}

func compareChoices(a, b choice) int {
	return cmp.Or(cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.legal, b.legal),
		cmp.Compare(a.lenient, b.lenient), cmp.Compare(a.strict, b.strict))
}

// sampled reports whether the numbers are estimates.
func (s *findings) sampled() bool { return s.options.Sample > 0 }

func (s *findings) visits() (n uint64) {
	for _, stratum := range s.strata {
		n += stratum.visits
	}
	return n
}

// String explains how the numbers were found.
func (s *findings) String() string {
	if !s.sampled() {
		return "What it says of moves is exact: every state was visited."
	}
	return fmt.Sprintf("What it says of moves is estimated from %s states: class and stones divide the states into %d strata, and of each "+
		"%s random ones, chosen by the seed %d, were visited, or all where there are no more. "+
		"Behind ± stands how far an estimate may be off with a confidence of 95 %%.",
		count(s.visits()), len(s.strata), count(s.options.Sample), s.options.Seed)
}
