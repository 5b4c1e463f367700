package main

import (
	"cmp"
	"context"
	"iter"
	"math/bits"
	"slices"
	"sync"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/probe/survey"
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

// stratumCounts counts the visits of a stratum, weighted by the states that they stand for.
type stratumCounts struct {
	visits  uint64
	choices map[choice]uint64 // of open states
	single  map[int]uint64    // states with one winning move, by steps
}

func (s *stratumCounts) add(v *survey.Visit, c choice) {
	if s.choices == nil {
		s.choices, s.single = map[choice]uint64{}, map[int]uint64{}
	}
	s.choices[c] += v.Images
	if c.single() {
		s.single[v.Steps] += v.Images
	}
}

func (s *stratumCounts) merge(other *stratumCounts) {
	s.visits += other.visits
	if s.choices == nil {
		s.choices, s.single = other.choices, other.single
		return
	}
	for c, n := range other.choices {
		s.choices[c] += n
	}
	for steps, n := range other.single {
		s.single[steps] += n
	}
}

// visitCounts counts the visits of a walk by stratum and keeps some examples.
type visitCounts struct {
	strata   []stratumCounts
	examples [len(criteria)]*example
}

func countVisits(ctx context.Context, t *probe.Table, o survey.WalkOptions) (*visitCounts, error) {
	strata := len(survey.Strata(t))
	all := &visitCounts{strata: make([]stratumCounts, strata)}
	var lock sync.Mutex
	err := survey.Walk(ctx, t, o, func(visits iter.Seq[*survey.Visit]) error {
		mine := &visitCounts{strata: make([]stratumCounts, strata)}
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

func (t *visitCounts) add(v *survey.Visit) {
	s := &t.strata[v.Stratum]
	s.visits += v.Images
	if v.Terminal {
		return
	}
	c := choiceOf(v)
	s.add(v, c)
	if c.single() {
		t.propose(example{position: v.Position, steps: v.Steps, legal: len(v.Moves)})
	}
}

func (t *visitCounts) merge(other *visitCounts) {
	for i := range t.strata {
		t.strata[i].merge(&other.strata[i])
	}
	for _, e := range other.examples {
		if e != nil {
			t.propose(*e)
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
func (t *visitCounts) propose(e example) {
	for i, criterion := range criteria {
		old := t.examples[i]
		if old == nil || cmp.Or(criterion.compare(&e, old), comparePositions(e.position, old.position)) < 0 {
			t.examples[i] = &e
		}
	}
}

func comparePositions(a, b game.Position) int {
	return slices.Compare([]uint64{a.X, a.O}, []uint64{b.X, b.O})
}
