package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"backsolve/probe"
	"backsolve/probe/survey"
)

// findings are what a walk has found of a table's states and their moves. Where the
// walk came to every state, its numbers are exact; where it drew some of each
// stratum, they are estimates.
type findings struct {
	options  survey.WalkOptions
	strata   []finding
	examples []*example // one for each of the criteria, or none
}

// finding is a stratum with what was found in it.
type finding struct {
	survey.Stratum
	visits  float64
	choices []counted[choice]
	single  []counted[int] // by steps
}

// counted is something that was met so many times.
type counted[T any] struct {
	what  T
	times float64
}

// newFindings walks through a table.
func newFindings(ctx context.Context, t *probe.Table, o survey.WalkOptions) (*findings, error) {
	tally, err := takeTally(ctx, t, o)
	if err != nil {
		return nil, err
	}
	s := &findings{options: o, strata: make([]finding, len(tally.strata)), examples: tally.examples[:]}
	for i, stratum := range survey.Strata(t) {
		found := &tally.strata[i]
		s.strata[i] = finding{
			Stratum: stratum, visits: float64(found.visits),
			choices: inOrder(found.choices, compareChoices), single: inOrder(found.single, cmp.Compare[int]),
		}
	}
	return s, nil
}

// inOrder returns what was counted in an order of its own, so that sums over it
// are always rounded alike.
func inOrder[T comparable](counts map[T]uint64, compare func(a, b T) int) (all []counted[T]) {
	for _, what := range slices.SortedFunc(maps.Keys(counts), compare) {
		all = append(all, counted[T]{what, float64(counts[what])})
	}
	return all
}

func compareChoices(a, b choice) int {
	return cmp.Or(cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.legal, b.legal),
		cmp.Compare(a.lenient, b.lenient), cmp.Compare(a.strict, b.strict))
}

// sampled says whether the numbers are estimates.
func (s *findings) sampled() bool { return s.options.Sample > 0 }

// visits is the number of states that were visited.
func (s *findings) visits() (n uint64) {
	for _, stratum := range s.strata {
		n += uint64(stratum.visits)
	}
	return n
}

// String says in sentences how the numbers were found.
func (s *findings) String() string {
	if !s.sampled() {
		return "What it says of moves is exact: every state was visited."
	}
	return fmt.Sprintf("What it says of moves is estimated from %s states: class and stones divide the states into %d strata, and of each "+
		"%s random ones, chosen by the seed %d, were visited, or all where there are no more. "+
		"Behind ± stands how far an estimate may be off with a confidence of 95 %%.",
		count(s.visits()), len(s.strata), count(s.options.Sample), s.options.Seed)
}
