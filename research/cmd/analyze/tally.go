package main

import (
	"context"
	"iter"
	"sync"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/probe/survey"
)

// choice is what a state that is not over leaves to the player to move.
type choice struct {
	outcome game.Outcome
	legal   uint8 // moves
	lenient uint8 // of them keep the outcome
	strict  uint8 // of them also win as soon or lose as late as can be
}

// single says whether just one move keeps the win.
func (c choice) single() bool { return c.outcome == game.Win && c.lenient == 1 }

// choiceOf returns the choice of a state that is not over.
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

// stratumTally counts the visits of a stratum, each as many times as it stands
// for states.
type stratumTally struct {
	visits  uint64
	choices map[choice]uint64 // of the states that are not over
	single  map[int]uint64    // where just one move keeps the win, by steps
}

func (s *stratumTally) add(v *survey.Visit, c choice) {
	if s.choices == nil {
		s.choices, s.single = map[choice]uint64{}, map[int]uint64{}
	}
	s.choices[c] += v.Images
	if c.single() {
		s.single[v.Steps] += v.Images
	}
}

func (s *stratumTally) merge(other *stratumTally) {
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

// tally counts the visits of a walk by stratum and keeps some examples.
type tally struct {
	strata   []stratumTally
	examples [len(criteria)]*example
}

// takeTally walks through a table and counts.
func takeTally(ctx context.Context, t *probe.Table, o survey.WalkOptions) (*tally, error) {
	strata := len(survey.Strata(t))
	all := &tally{strata: make([]stratumTally, strata)}
	var lock sync.Mutex
	err := survey.Walk(ctx, t, o, func(visits iter.Seq[*survey.Visit]) error {
		mine := &tally{strata: make([]stratumTally, strata)}
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

func (t *tally) add(v *survey.Visit) {
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

func (t *tally) merge(other *tally) {
	for i := range t.strata {
		t.strata[i].merge(&other.strata[i])
	}
	for _, e := range other.examples {
		if e != nil {
			t.propose(*e)
		}
	}
}
