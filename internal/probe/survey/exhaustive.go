package survey

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// exhaustive derives every state of a board's table, class by class from the fullest. It finds blocks by number, and
// loads the current class and the one before it, where all moves lead.
type exhaustive struct {
	*verification
	table  *probe.Table
	cut    *partition.Cut
	loaded []*loadedClass // by class, nil unless loaded
}

type loadedClass struct {
	planes tablebase.Planes
	words  int // of a slice
}

const exhaustiveTask = 1 << 14 // states

// maxLoaded is the most bytes of a class that is loaded. Tests make it small.
var maxLoaded int64 = 1 << 30

func (g grid) deriveAll(ctx context.Context, v *verification) (err error) {
	classes := g.classes()
	e := &exhaustive{verification: v, table: g.table, loaded: make([]*loadedClass, len(classes)+1)}
	if e.cut, err = partition.NewCut(g.table.Space()); err != nil {
		return err
	}
	defer e.cut.Free()
	v.wanted = StoredStates(g.table)
	for i, c := range classes {
		e.cut.Keep(c.Class)
		if err := e.load(i, c); err != nil {
			return err
		}
		if err := e.deriveClass(ctx, c); err != nil {
			return err
		}
		e.loaded[c.Class+1] = nil
	}
	return nil
}

func (e *exhaustive) load(i int, c tablebase.ClassInfo) error {
	masks, err := e.table.Stored().Masks(i)
	if err != nil {
		return err
	}
	if !slices.Equal(masks, e.cut.Class(c.Class).Masks) {
		return e.table.File().Damaged("the blocks of class %d are not those of the game", c.Class)
	}
	if planes := int64(e.table.Stored().Shape().Planes + c.Digits); int64(c.Blocks)*int64(c.Words())*8*planes > maxLoaded {
		return nil
	}
	h := &loadedClass{words: c.Words()}
	e.loaded[c.Class] = h
	return e.table.Stored().Planes(i, 0, c.Blocks, &h.planes)
}

// value returns the stored value of a position of the current class or the one before it.
func (e *exhaustive) value(p game.Position) (probe.Value, error) {
	class, block, index := e.cut.Find(p)
	return e.valueAt(class, block, index)
}

func (e *exhaustive) valueAt(class, block int, index uint32) (probe.Value, error) {
	if h := e.loaded[class]; h != nil {
		return valueIn(e.table, &h.planes, h.words, block, index), nil
	}
	if class >= e.table.Classes() {
		return probe.Value{}, e.table.OutOfTable(class)
	}
	entry, err := e.table.Stored().Lookup(class, block, uint64(index))
	return valueOf(entry, storesNimbers(e.table)), err
}

func (e *exhaustive) deriveClass(ctx context.Context, c tablebase.ClassInfo) error {
	n := storedStates(c)
	terminal := newClassCount(c, tablebase.Shape{})
	err := eachTask(ctx, e.options.Threads, (n+exhaustiveTask-1)/exhaustiveTask, func(tasks iter.Seq[uint64]) error {
		d := newDeriver(e.table, e.value)
		mine := newClassCount(c, tablebase.Shape{})
		for task := range tasks {
			first, end := task*exhaustiveTask, min((task+1)*exhaustiveTask, n)
			if err := e.deriveStates(d, mine, first, end); err != nil {
				return err
			}
			e.addDerived(end-first, e.wanted)
		}
		e.lock.Lock()
		defer e.lock.Unlock()
		terminal.merge(mine)
		return nil
	})
	if err != nil {
		return err
	}
	for weight, stored := range c.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.Class, weight)
		e.compareCount(where+", terminal wins", stored.TerminalWins, terminal.wins[weight])
		e.compareCount(where+", terminal losses", stored.TerminalLosses, terminal.losses[weight])
	}
	return nil
}

func (e *exhaustive) deriveStates(d *deriver, terminal *classCount, first, end uint64) error {
	class, k, space := terminal.class.Class, uint(terminal.class.IndexBits), e.table.Space()
	cut := e.cut.Class(class)
	for i := first; i < end; i++ {
		block, index := int(i>>k), uint32(i&(1<<k-1))
		stored, err := e.valueAt(class, block, index)
		if err != nil {
			return err
		}
		p := space.Position(partition.State{Class: class, Mask: cut.Masks[block], Index: index})
		derived, over, err := e.compareState(d, p, stored)
		if err != nil {
			return err
		}
		switch weight, images := bits.OnesCount32(index), uint64(cut.Images[block]); {
		case over && derived.Outcome == game.Win:
			terminal.wins[weight] += images
		case over && derived.Outcome == game.Lose:
			terminal.losses[weight] += images
		}
	}
	return nil
}
