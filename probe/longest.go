package probe

import (
	"context"
	"math/bits"
	"slices"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/partition"
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
		p, err := t.example(ctx, Value{outcome, s.Steps})
		if err != nil {
			return nil, err
		}
		return &Longest{Steps: s.Steps, Count: count, Position: t.rules.Format(p)}, nil
	}
	return nil, nil
}

// example finds a state of a value that the counts say there is.
func (t *Table) example(ctx context.Context, v Value) (game.Position, error) {
	for i, c := range t.stored.Classes() {
		if v.Steps >= len(c.Counts.BySteps) {
			continue
		}
		tally := c.Counts.BySteps[v.Steps]
		if v.Outcome == game.Win && tally.Wins == 0 || v.Outcome == game.Lose && tally.Loses == 0 {
			continue
		}
		block, index, err := t.locate(ctx, i, v)
		if err != nil {
			return game.Position{}, err
		}
		masks, err := t.stored.Masks(i)
		if err != nil {
			return game.Position{}, err
		}
		return t.space.Position(partition.State{Class: c.Class, Mask: masks[block], Index: index}), nil
	}
	return game.Position{}, t.damaged("states of %v are counted, but no class has them", v)
}

// locate returns the first state of a value in the i-th class.
func (t *Table) locate(ctx context.Context, i int, v Value) (block int, index uint32, err error) {
	c := t.stored.Classes()[i]
	found := false
	err = t.eachRun(ctx, i, func(first int, planes *tablebase.Planes) bool {
		block, index, found = find(c, planes, v)
		block += first
		return !found
	})
	if err == nil && !found {
		err = t.damaged("class %d counts states of %v, but has none", c.Class, v)
	}
	return block, index, err
}

// find returns the first state of a value in the planes of a run of blocks.
func find(c tablebase.ClassInfo, planes *tablebase.Planes, v Value) (block int, index uint32, ok bool) {
	for w := range planes.Win {
		these := winners(planes, w, c.IndexBits, v.Outcome) & bitboard.Numbers(planes.Steps).Equal(w, v.Steps)
		if these != 0 {
			state := w%c.Words()*64 + bits.TrailingZeros64(these)
			return w / c.Words(), uint32(state), true
		}
	}
	return 0, 0, false
}

// winners returns the states of a word that are won, or those that are lost.
func winners(planes *tablebase.Planes, w, indexBits int, outcome game.Outcome) uint64 {
	switch {
	case outcome == game.Win:
		return planes.Win[w]
	case planes.Lose != nil:
		return planes.Lose[w]
	}
	return ^planes.Win[w] & bitboard.Valid(indexBits)
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
