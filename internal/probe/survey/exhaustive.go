package survey

import (
	"context"
	"fmt"
	"iter"
	"math/bits"

	"backsolve/game"
	"backsolve/tablebase"
)

// exhaustive derives every stored state.
type exhaustive struct {
	verification *verification
	states       *traversal
}

func (g grid) deriveAll(ctx context.Context, v *verification) error {
	return g.deriveWith(ctx, v, maxLoaded)
}

// deriveWith is deriveAll. Classes of more than limit bytes are not loaded.
func (g grid) deriveWith(ctx context.Context, v *verification, limit int64) error {
	total := StoredStates(g.table)
	derived := func(states uint64) { v.addDerived(states, total) }
	e := &exhaustive{v, newTraversal(g.table, v.options.Threads, limit, derived)}
	return e.states.eachClass(func(c tablebase.ClassInfo) error { return e.deriveClass(ctx, c) })
}

// deriveClass derives the states of a class and counts its terminal ones.
func (e *exhaustive) deriveClass(ctx context.Context, c tablebase.ClassInfo) error {
	images := e.states.cut.Class(c.Class).Images
	terminal := newClassCount(c, tablebase.Shape{})
	err := e.states.eachState(ctx, c, func(states iter.Seq2[int, uint32]) error {
		d := newDeriver(e.states.table, e.states.value)
		mine := newClassCount(c, tablebase.Shape{})
		for block, index := range states {
			stored, err := e.states.valueAt(c.Class, block, index)
			if err != nil {
				return err
			}
			derived, over, err := e.verification.compareState(d, e.states.position(c.Class, block, index), stored)
			if err != nil {
				return err
			}
			if over {
				mine.addTerminal(derived.Outcome, index, images[block])
			}
		}
		e.verification.lock.Lock()
		defer e.verification.lock.Unlock()
		terminal.merge(mine)
		return nil
	})
	if err == nil {
		e.compareTerminal(c, terminal)
	}
	return err
}

// addTerminal counts a terminal state.
func (c *classCount) addTerminal(outcome game.Outcome, index uint32, images uint32) {
	switch weight := bits.OnesCount32(index); outcome {
	case game.Win:
		c.wins[weight] += uint64(images)
	case game.Lose:
		c.losses[weight] += uint64(images)
	}
}

// compareTerminal compares the stored counts of terminal states.
func (e *exhaustive) compareTerminal(c tablebase.ClassInfo, counted *classCount) {
	for weight, stored := range c.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.Class, weight)
		e.verification.compareCount(where+", terminal wins", stored.TerminalWins, counted.wins[weight])
		e.verification.compareCount(where+", terminal losses", stored.TerminalLosses, counted.losses[weight])
	}
}
