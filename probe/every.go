package probe

import (
	"context"
	"fmt"
	"iter"
	"math/bits"

	"backsolve/game"
	"backsolve/tablebase"
)

// allStates is the derivation of every stored state.
type allStates struct {
	*verifier
	states *states
}

// deriveAll derives every stored state. In a class that takes more than limit
// bytes of memory, states are looked up in the file.
func (v *verifier) deriveAll(ctx context.Context, limit int64) error {
	total := uint64(0)
	for _, c := range v.stored.Classes() {
		total += storedStates(c)
	}
	a := &allStates{v, &states{
		Table: v.Table, threads: v.Threads, limit: limit,
		tell: func(states uint64) { v.derived(states, total) },
	}}
	return a.states.eachClass(func(c tablebase.ClassInfo) error { return a.deriveClass(ctx, c) })
}

// deriveClass derives the states of a class and counts its terminal ones.
func (a *allStates) deriveClass(ctx context.Context, c tablebase.ClassInfo) error {
	images := a.states.cut.Class(c.Class).Images
	terminal := newTerminalCount(c)
	err := a.states.eachState(ctx, c, func(states iter.Seq2[int, uint32]) error {
		d := deriver{Table: a.Table, value: a.states.value}
		mine := newTerminalCount(c)
		for block, index := range states {
			v, over, err := a.check(&d, c.Class, block, index)
			if err != nil {
				return err
			}
			if over {
				mine.add(v.Outcome, index, images[block])
			}
		}
		a.lock.Lock()
		defer a.lock.Unlock()
		terminal.merge(mine)
		return nil
	})
	if err == nil {
		a.compareTerminal(c, terminal)
	}
	return err
}

// check derives a state and returns its value and whether it is over.
func (a *allStates) check(d *deriver, class, block int, index uint32) (Value, bool, error) {
	stored, err := a.states.valueAt(class, block, index)
	if err != nil {
		return Value{}, false, err
	}
	p := a.states.position(class, block, index)
	derived, over, err := d.derive(p)
	if err == nil && stored != derived {
		a.differ(d.rules.Format(p), stored, derived)
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
func (a *allStates) compareTerminal(c tablebase.ClassInfo, counted *terminalCount) {
	for weight, stored := range c.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.Class, weight)
		a.compareCount(where+", terminal wins", stored.TerminalWins, counted.wins[weight])
		a.compareCount(where+", terminal losses", stored.TerminalLosses, counted.losses[weight])
	}
}
