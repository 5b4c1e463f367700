package probe

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

// allStates is the derivation of every stored state, class by class from the
// fullest on. Blocks are found by number instead of by search, and the class in
// work and the one before it, to which all moves lead, are held in memory.
type allStates struct {
	*verifier
	cut   *partition.Cut
	held  []*heldClass // by class, nil where it is not held
	limit int64        // bytes that a class may take in memory
	total uint64
}

// heldClass is a class in memory.
type heldClass struct {
	tablebase.Planes
	words int // of a slice
}

const (
	// deriveTask is the most states of a task.
	deriveTask = 1 << 14
	// maxHeld is the most bytes that a class takes in memory.
	maxHeld = 1 << 30
)

// deriveAll derives every stored state. In a class that takes more than limit
// bytes of memory, states are looked up in the file.
func (v *verifier) deriveAll(ctx context.Context, limit int64) error {
	cut, err := partition.NewCut(v.space, v.Threads)
	if err != nil {
		return err
	}
	defer cut.Free()
	classes := v.stored.Classes()
	a := &allStates{verifier: v, cut: cut, limit: limit, held: make([]*heldClass, len(classes)+1)}
	for _, c := range classes {
		a.total += storedStates(c)
	}
	for i, c := range classes {
		if err := a.hold(i, c); err != nil {
			return err
		}
		if err := a.deriveClass(ctx, i, c); err != nil {
			return err
		}
		a.held[c.Class+1] = nil
	}
	return nil
}

// hold reads a class into memory, unless it is too large.
func (a *allStates) hold(i int, c tablebase.ClassInfo) error {
	if lanes := int64(a.stored.Shape().Planes + c.Digits); int64(c.Blocks)*int64(c.Words())*8*lanes > a.limit {
		return nil
	}
	h := &heldClass{words: c.Words()}
	a.held[c.Class] = h
	return a.stored.Planes(i, 0, c.Blocks, &h.Planes)
}

// value returns what is stored of a position.
func (a *allStates) value(p game.Position) (Value, error) {
	class, block, index := a.cut.Find(p)
	return a.valueAt(class, block, index)
}

func (a *allStates) valueAt(class, block int, index uint32) (Value, error) {
	h := a.held[class]
	if h == nil {
		e, err := a.stored.Lookup(class, block, uint64(index))
		return Value(e), err
	}
	w, bit := block*h.words+int(index/64), index%64
	v := Value{game.Draw, -1}
	switch {
	case h.Win[w]>>bit&1 == 1:
		v.Outcome = game.Win
	case h.Lose == nil || h.Lose[w]>>bit&1 == 1:
		v.Outcome = game.Lose
	}
	if v.Outcome == game.Draw || !a.HasSteps() {
		return v, nil
	}
	v.Steps = 0
	for d, plane := range h.Planes.Steps {
		v.Steps |= int(plane[w]>>bit&1) << d
	}
	return v, nil
}

// deriveClass derives the states of a class and counts its terminal ones.
func (a *allStates) deriveClass(ctx context.Context, i int, c tablebase.ClassInfo) error {
	masks, err := a.stored.Masks(i)
	if err != nil {
		return err
	}
	class := a.cut.Class(c.Class)
	if !slices.Equal(masks, class.Masks) {
		return a.damaged("the blocks of class %d are not those of the game", c.Class)
	}
	states := storedStates(c)
	terminal := newTerminalCount(c)
	err = a.share(ctx, (states+deriveTask-1)/deriveTask, func() func(uint64) error {
		d := deriver{Table: a.Table, value: a.value}
		mine := newTerminalCount(c)
		return func(task uint64) error {
			first, end := task*deriveTask, min((task+1)*deriveTask, states)
			for s := first; s < end; s++ {
				block, index := int(s>>uint(c.IndexBits)), uint32(s&(1<<uint(c.IndexBits)-1))
				v, over, err := a.check(&d, c.Class, block, index)
				if err != nil {
					return err
				}
				if over {
					mine.add(v.Outcome, index, class.Images[block])
				}
			}
			a.derived(end-first, a.total)
			a.lock.Lock()
			defer a.lock.Unlock()
			terminal.take(mine)
			return nil
		}
	})
	if err == nil {
		a.compareTerminal(c, terminal)
	}
	return err
}

// check derives a state and returns its value and whether it is over.
func (a *allStates) check(d *deriver, class, block int, index uint32) (Value, bool, error) {
	stored, err := a.valueAt(class, block, index)
	if err != nil {
		return Value{}, false, err
	}
	p := a.space.Position(partition.State{Class: class, Mask: a.cut.Class(class).Masks[block], Index: index})
	derived, over, err := d.derive(p)
	if err == nil && stored != derived {
		a.differ(a.rules.Format(p), stored, derived)
	}
	return derived, over, err
}

// terminalCount counts the terminal states of a class by the weight of their
// index.
type terminalCount struct{ wins, loses []uint64 }

func newTerminalCount(c tablebase.ClassInfo) *terminalCount {
	return &terminalCount{make([]uint64, c.IndexBits+1), make([]uint64, c.IndexBits+1)}
}

func (t *terminalCount) add(outcome game.Outcome, index uint32, images uint32) {
	switch weight := bits.OnesCount32(index); outcome {
	case game.Win:
		t.wins[weight] += uint64(images)
	case game.Lose:
		t.loses[weight] += uint64(images)
	}
}

// take moves the counts of another one here.
func (t *terminalCount) take(other *terminalCount) {
	for weight := range t.wins {
		t.wins[weight] += other.wins[weight]
		t.loses[weight] += other.loses[weight]
	}
	clear(other.wins)
	clear(other.loses)
}

// compareTerminal reports where the stored counts of terminal states are others.
func (a *allStates) compareTerminal(c tablebase.ClassInfo, counted *terminalCount) {
	for weight, stored := range c.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.Class, weight)
		a.compareCount(where+", terminal wins", stored.TerminalWins, counted.wins[weight])
		a.compareCount(where+", terminal loses", stored.TerminalLoses, counted.loses[weight])
	}
}
