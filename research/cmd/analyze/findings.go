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

// findings are the result of a walk: exact if it visited every state, estimates if it drew
// some of each stratum.
type findings struct {
	options  survey.WalkOptions
	strata   []finding
	examples []*example // one for each of the criteria, or nil
}

// finding is the result in a stratum.
type finding struct {
	survey.Stratum
	visits  float64
	choices []counted[choice]
	single  []counted[int] // by steps
}

// counted is something with its number.
type counted[T any] struct {
	what  T
	times float64
}

// newFindings walks through a table.
func newFindings(ctx context.Context, t *probe.Table, o survey.WalkOptions) (*findings, error) {
	counts, err := countVisits(ctx, t, o)
	if err != nil {
		return nil, err
	}
	s := &findings{options: o, strata: make([]finding, len(counts.strata)), examples: counts.examples[:]}
	for i, stratum := range survey.Strata(t) {
		found := &counts.strata[i]
		s.strata[i] = finding{
			Stratum: stratum, visits: float64(found.visits),
			choices: inOrder(found.choices, compareChoices), single: inOrder(found.single, cmp.Compare[int]),
		}
	}
	return s, nil
}

// inOrder sorts counts, so that sums over them are always rounded alike.
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

// sampled reports whether the numbers are estimates.
func (s *findings) sampled() bool { return s.options.Sample > 0 }

func (s *findings) visits() (n uint64) {
	for _, stratum := range s.strata {
		n += uint64(stratum.visits)
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
