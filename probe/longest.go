package probe

import (
	"context"
	"slices"

	"backsolve/game"
	"backsolve/tablebase"
)

// longest returns the most steps that states of an outcome take, with an
// example: the first one of the fullest class that has one. It is nil where
// there is none.
func (t *Table) longest(ctx context.Context, bySteps []StepsStats, outcome game.Outcome) (*Longest, error) {
	for _, s := range slices.Backward(bySteps) {
		count := s.Win
		if outcome == game.Lose {
			count = s.Lose
		}
		if count == 0 {
			continue
		}
		p, err := t.example(ctx, Kind{&outcome, &s.Steps})
		if err != nil {
			return nil, err
		}
		return &Longest{Steps: s.Steps, Count: count, Position: t.rules.Format(p)}, nil
	}
	return nil, nil
}

// example finds the first state of a kind that the counts say there is.
func (t *Table) example(ctx context.Context, k Kind) (game.Position, error) {
	for i, c := range t.stored.Classes() {
		if k.count(c) > 0 {
			return t.pick(ctx, i, k, 0, 0)
		}
	}
	return game.Position{}, t.damaged("states of %v are counted, but no class has them", k)
}

// runWords is how much of a class's plane is read at a time: 1 MiB.
const runWords = 1 << 17

// eachRun reads the planes of the i-th class run by run and calls f with the
// number of the run's first block, until f returns false.
func (t *Table) eachRun(ctx context.Context, i int, f func(first int, planes *tablebase.Planes) bool) error {
	c := t.stored.Classes()[i]
	var planes tablebase.Planes
	run := max(1, runWords/c.Words())
	for first := 0; first < c.Blocks; first += run {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := t.stored.Planes(i, first, min(run, c.Blocks-first), &planes); err != nil {
			return err
		}
		if !f(first, &planes) {
			return nil
		}
	}
	return nil
}
