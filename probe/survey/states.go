package survey

import (
	"context"
	"iter"
	"slices"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/tablebase"
)

// states goes through all stored states of a table, class by class from the
// fullest on. Blocks are found by number instead of by search, and the class in
// work and the one before it, to which all moves lead, are held in memory.
type states struct {
	table   *probe.Table
	space   *partition.Space
	threads int
	limit   int64               // bytes that a class may take in memory
	tell    func(states uint64) // is called after each task, by any thread
	nimbers bool                // stand where else the steps do, see deriver
	cut     *partition.Cut
	held    []*heldClass // by class, nil where it is not held
}

// heldClass is a class in memory.
type heldClass struct {
	planes tablebase.Planes
	words  int // of a slice
}

const (
	// statesTask is the most states of a task.
	statesTask = 1 << 14
	// maxHeld is the most bytes that a class takes in memory.
	maxHeld = 1 << 30
)

func newStates(t *probe.Table, threads int, limit int64, tell func(states uint64)) *states {
	return &states{table: t, space: t.Space(), threads: threads, limit: limit, tell: tell}
}

// eachClass calls do for each class while its values can be asked for.
func (s *states) eachClass(do func(c tablebase.ClassInfo) error) (err error) {
	if s.cut, err = partition.NewCut(s.space, s.threads); err != nil {
		return err
	}
	defer s.cut.Free()
	classes := s.table.Stored().Classes()
	s.held = make([]*heldClass, len(classes)+1)
	for i, c := range classes {
		if err := s.hold(i, c); err != nil {
			return err
		}
		if err := do(c); err != nil {
			return err
		}
		s.held[c.Class+1] = nil
	}
	return nil
}

// hold makes a class ready: it is read into memory, unless it is too large.
func (s *states) hold(i int, c tablebase.ClassInfo) error {
	masks, err := s.table.Stored().Masks(i)
	if err != nil {
		return err
	}
	if !slices.Equal(masks, s.cut.Class(c.Class).Masks) {
		return damaged(s.table, "the blocks of class %d are not those of the game", c.Class)
	}
	if lanes := int64(s.table.Stored().Shape().Planes + c.Digits); int64(c.Blocks)*int64(c.Words())*8*lanes > s.limit {
		return nil
	}
	h := &heldClass{words: c.Words()}
	s.held[c.Class] = h
	return s.table.Stored().Planes(i, 0, c.Blocks, &h.planes)
}

// eachState shares the states of a class out among the threads, by block and
// index. Each thread calls work once.
func (s *states) eachState(ctx context.Context, c tablebase.ClassInfo, work func(states iter.Seq2[int, uint32]) error) error {
	n := storedStates(c)
	return share(ctx, s.threads, (n+statesTask-1)/statesTask, func(tasks iter.Seq[uint64]) error {
		return work(func(yield func(int, uint32) bool) {
			for task := range tasks {
				first, end := task*statesTask, min((task+1)*statesTask, n)
				for i := first; i < end; i++ {
					if !yield(int(i>>uint(c.IndexBits)), uint32(i&(1<<uint(c.IndexBits)-1))) {
						return
					}
				}
				s.tell(end - first)
			}
		})
	})
}

// position returns the position of a state.
func (s *states) position(class, block int, index uint32) game.Position {
	return s.space.Position(partition.State{Class: class, Mask: s.cut.Class(class).Masks[block], Index: index})
}

// value returns what is stored of a position of the class in work or the one
// before it.
func (s *states) value(p game.Position) (probe.Value, error) {
	class, block, index := s.cut.Find(p)
	return s.valueAt(class, block, index)
}

func (s *states) valueAt(class, block int, index uint32) (probe.Value, error) {
	if class >= s.table.Classes() {
		return probe.Value{}, s.table.OutOfTable(class)
	}
	h := s.held[class]
	if h == nil {
		e, err := s.table.Stored().Lookup(class, block, uint64(index))
		return valueOf(e, s.nimbers), err
	}
	return valueIn(s.table, &h.planes, h.words, block, index), nil
}
