package survey

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/bits"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// everyState is the derivation of every stored state.
type everyState struct {
	verification *verification
	states       *states
}

// deriveAll derives every stored state. In a class that takes more than limit
// bytes of memory, states are looked up in the file.
func (v *verification) deriveAll(ctx context.Context, limit int64) error {
	total := uint64(0)
	for _, c := range v.table.Stored().Classes() {
		total += storedStates(c)
	}
	tell := func(states uint64) { v.derived(states, total) }
	e := &everyState{v, newStates(v.table, v.options.Threads, limit, tell)}
	e.states.nimbers = storesNimbers(v.table)
	return e.states.eachClass(func(c tablebase.ClassInfo) error { return e.deriveClass(ctx, c) })
}

// deriveClass derives the states of a class and counts its terminal ones.
func (e *everyState) deriveClass(ctx context.Context, c tablebase.ClassInfo) error {
	images := e.states.cut.Class(c.Class).Images
	terminal := newTerminalCount(c)
	err := e.states.eachState(ctx, c, func(states iter.Seq2[int, uint32]) error {
		d := newDeriver(e.states.table, e.states.value)
		mine := newTerminalCount(c)
		for block, index := range states {
			v, over, err := e.check(d, c.Class, block, index)
			if err != nil {
				return err
			}
			if over {
				mine.add(v.Outcome, index, images[block])
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

// check derives a state and returns its value and whether it is over.
func (e *everyState) check(d *deriver, class, block int, index uint32) (probe.Value, bool, error) {
	stored, err := e.states.valueAt(class, block, index)
	if err != nil {
		return probe.Value{}, false, err
	}
	p := e.states.position(class, block, index)
	derived, over, err := d.derive(p)
	if errors.Is(err, probe.ErrOutOfTable) {
		e.verification.passOver()
		return stored, false, nil
	}
	if err == nil && stored != derived {
		e.verification.differValues(d.rules.Format(p), stored, derived)
	}
	return derived, over, err
}

// terminalCount counts the terminal states of a class by the weight of their
// index.
type terminalCount struct{ wins, losses []uint64 }

func newTerminalCount(c tablebase.ClassInfo) *terminalCount {
	return &terminalCount{make([]uint64, c.IndexBits+1), make([]uint64, c.IndexBits+1)}
}

func (t *terminalCount) add(outcome game.Outcome, index uint32, images uint32) {
	switch weight := bits.OnesCount32(index); outcome {
	case game.Win:
		t.wins[weight] += uint64(images)
	case game.Lose:
		t.losses[weight] += uint64(images)
	}
}

// merge adds the counts of another one.
func (t *terminalCount) merge(other *terminalCount) {
	for weight := range t.wins {
		t.wins[weight] += other.wins[weight]
		t.losses[weight] += other.losses[weight]
	}
}

// compareTerminal reports where the stored counts of terminal states are others.
func (e *everyState) compareTerminal(c tablebase.ClassInfo, counted *terminalCount) {
	for weight, stored := range c.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.Class, weight)
		e.verification.compareCount(where+", terminal wins", stored.TerminalWins, counted.wins[weight])
		e.verification.compareCount(where+", terminal losses", stored.TerminalLosses, counted.losses[weight])
	}
}
