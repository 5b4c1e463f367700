package survey

import (
	"context"
	"iter"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/tablebase"
)

// traversal visits all stored states of a table, class by class from the fullest on. It finds
// blocks by number, and loads the current class and the one before it, to which all moves
// lead.
type traversal struct {
	table   *probe.Table
	space   *partition.Space
	threads int
	limit   int64               // bytes of a class to load
	notify  func(states uint64) // called after each task, by any thread
	nimbers bool                // take the place of steps; see deriver
	cut     *partition.Cut
	loaded  []*loadedClass // by class, nil unless loaded
}

// loadedClass is a class in memory.
type loadedClass struct {
	planes tablebase.Planes
	words  int // of a slice
}

const (
	// traversalTask is the number of states of a task.
	traversalTask = 1 << 14
	// maxLoaded is the number of bytes up to which a class is loaded.
	maxLoaded = 1 << 30
)

func newTraversal(table *probe.Table, threads int, limit int64, notify func(states uint64)) *traversal {
	return &traversal{table: table, space: table.Space(), threads: threads, limit: limit, notify: notify, nimbers: storesNimbers(table)}
}

// eachClass calls do for each class. During the call, its values can be asked for.
func (t *traversal) eachClass(do func(c tablebase.ClassInfo) error) (err error) {
	if t.cut, err = partition.NewCut(t.space, t.threads); err != nil {
		return err
	}
	defer t.cut.Free()
	classes := t.table.Stored().Classes()
	t.loaded = make([]*loadedClass, len(classes)+1)
	for i, c := range classes {
		if err := t.load(i, c); err != nil {
			return err
		}
		if err := do(c); err != nil {
			return err
		}
		t.loaded[c.Class+1] = nil
	}
	return nil
}

// load loads a class unless it is too large.
func (t *traversal) load(i int, c tablebase.ClassInfo) error {
	masks, err := t.table.Stored().Masks(i)
	if err != nil {
		return err
	}
	if !slices.Equal(masks, t.cut.Class(c.Class).Masks) {
		return damaged(t.table, "the blocks of class %d are not those of the game", c.Class)
	}
	if planes := int64(t.table.Stored().Shape().Planes + c.Digits); int64(c.Blocks)*int64(c.Words())*8*planes > t.limit {
		return nil
	}
	h := &loadedClass{words: c.Words()}
	t.loaded[c.Class] = h
	return t.table.Stored().Planes(i, 0, c.Blocks, &h.planes)
}

// eachState visits the states of a class, by block and index, in parallel. Each thread calls
// work once.
func (t *traversal) eachState(ctx context.Context, c tablebase.ClassInfo, work func(states iter.Seq2[int, uint32]) error) error {
	n := storedStates(c)
	return eachTask(ctx, t.threads, (n+traversalTask-1)/traversalTask, func(tasks iter.Seq[uint64]) error {
		return work(func(yield func(int, uint32) bool) {
			for task := range tasks {
				first, end := task*traversalTask, min((task+1)*traversalTask, n)
				for i := first; i < end; i++ {
					if !yield(int(i>>uint(c.IndexBits)), uint32(i&(1<<uint(c.IndexBits)-1))) {
						return
					}
				}
				t.notify(end - first)
			}
		})
	})
}

// position returns the position of a state.
func (t *traversal) position(class, block int, index uint32) game.Position {
	return t.space.Position(partition.State{Class: class, Mask: t.cut.Class(class).Masks[block], Index: index})
}

// value returns the stored value of a position of the current class or the one before it.
func (t *traversal) value(p game.Position) (probe.Value, error) {
	class, block, index := t.cut.Find(p)
	return t.valueAt(class, block, index)
}

func (t *traversal) valueAt(class, block int, index uint32) (probe.Value, error) {
	if class >= t.table.Classes() {
		return probe.Value{}, t.table.OutOfTable(class)
	}
	h := t.loaded[class]
	if h == nil {
		e, err := t.table.Stored().Lookup(class, block, uint64(index))
		return valueOf(e, t.nimbers), err
	}
	return valueIn(t.table, &h.planes, h.words, block, index), nil
}
