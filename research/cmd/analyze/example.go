package main

import (
	"cmp"
	"math/bits"
	"slices"

	"backsolve/game"
)

// example is a state where just one move keeps the win.
type example struct {
	position game.Position
	steps    int
	legal    int // moves
}

func (e *example) marks() int { return bits.OnesCount64(e.position.X | e.position.O) }

// criteria choose the examples that are drawn: of all states the one that
// compares least.
var criteria = [...]struct {
	name       string
	needsSteps bool
	compare    func(a, b *example) int
}{
	{"with the fewest marks", false, func(a, b *example) int { return cmp.Compare(a.marks(), b.marks()) }},
	{"with the most legal moves", false, func(a, b *example) int { return cmp.Compare(b.legal, a.legal) }},
	{"with the longest win", true, func(a, b *example) int { return cmp.Compare(b.steps, a.steps) }},
}

// propose takes an example up where it is better than the one that is there. Of
// equal ones it is the one with the least masks, so that the order in which they
// come does not matter.
func (t *tally) propose(e example) {
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
