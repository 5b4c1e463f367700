package probe

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
)

// states goes through all stored states of a table, class by class from the
// fullest on. Blocks are found by number instead of by search, and the class in
// work and the one before it, to which all moves lead, are held in memory.
type states struct {
	*Table
	threads int
	limit   int64               // bytes that a class may take in memory
	tell    func(states uint64) // is called after each task, by any thread
	cut     *partition.Cut
	held    []*heldClass // by class, nil where it is not held
}

// heldClass is a class in memory.
type heldClass struct {
	tablebase.Planes
	words int // of a slice
}

const (
	// statesTask is the most states of a task.
	statesTask = 1 << 14
	// maxHeld is the most bytes that a class takes in memory.
	maxHeld = 1 << 30
)

// eachClass calls do for each class while its values can be asked for.
func (s *states) eachClass(do func(c tablebase.ClassInfo) error) (err error) {
	if s.cut, err = partition.NewCut(s.space, s.threads); err != nil {
		return err
	}
	defer s.cut.Free()
	classes := s.stored.Classes()
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
	masks, err := s.stored.Masks(i)
	if err != nil {
		return err
	}
	if !slices.Equal(masks, s.cut.Class(c.Class).Masks) {
		return s.damaged("the blocks of class %d are not those of the game", c.Class)
	}
	if lanes := int64(s.stored.Shape().Planes + c.Digits); int64(c.Blocks)*int64(c.Words())*8*lanes > s.limit {
		return nil
	}
	h := &heldClass{words: c.Words()}
	s.held[c.Class] = h
	return s.stored.Planes(i, 0, c.Blocks, &h.Planes)
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
func (s *states) value(p game.Position) (Value, error) {
	class, block, index := s.cut.Find(p)
	return s.valueAt(class, block, index)
}

func (s *states) valueAt(class, block int, index uint32) (Value, error) {
	h := s.held[class]
	if h == nil {
		e, err := s.stored.Lookup(class, block, uint64(index))
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
	if v.Outcome == game.Draw || !s.HasSteps() {
		return v, nil
	}
	v.Steps = 0
	for d, plane := range h.Planes.Steps {
		v.Steps |= int(plane[w]>>bit&1) << d
	}
	return v, nil
}

// share shares the tasks 0..n−1 out among threads, each of which calls work once,
// and waits until all are done or one has failed. The tasks that work is given
// end early where ctx ends or another thread has failed.
func share(ctx context.Context, threads int, n uint64, work func(tasks iter.Seq[uint64]) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Uint64
	tasks := func(yield func(uint64) bool) {
		for ctx.Err() == nil {
			if task := next.Add(1) - 1; task >= n || !yield(task) {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range threads {
		wg.Go(func() {
			if err := work(tasks); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}
