package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"backsolve/cluster/store"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// StreamScheduler schedules a solve that keeps no table: it is an outofcore.Scheduler.
type StreamScheduler struct {
	c          *Coordinator
	subclasses []outofcore.Subclass
	halves     int         // subclasses of a class
	buffers    chan []byte // for reading parts
	read       atomic.Int64
	written    atomic.Int64
}

// NewStreamScheduler returns the scheduler of a solve that began with NewStream.
func NewStreamScheduler(c *Coordinator) *StreamScheduler {
	s := &StreamScheduler{c: c, subclasses: outofcore.Subclasses(c.space), halves: 1, buffers: newBuffers()}
	if !s.subclasses[0].Last {
		s.halves = 2
	}
	return s
}

// newBuffers returns buffers for all loaders.
func newBuffers() chan []byte {
	buffers := make(chan []byte, loaders)
	for range loaders {
		buffers <- make([]byte, scanBytes)
	}
	return buffers
}

// Sealed implements outofcore.Scheduler. If the counts of a subclass cannot be read, it is solved
// again.
func (s *StreamScheduler) Sealed(ctx context.Context, of outofcore.Subclass) (sum *outofcore.Sum, err error) {
	c, solve, sub := s.c, &s.c.record.solve, subclassOf(of)
	err = s.retry(ctx, func(ctx context.Context) error {
		var head sealHead
		err := getHead(ctx, c.o.Store, solve.sealObject(sub), sealMagic, &head)
		switch {
		case isUnusable(err):
			if !errors.Is(err, store.ErrNotFound) {
				c.o.Logf("%v: the class is solved again", err)
			}
			return nil
		case err == nil && head.Solve == solve.name() && head.Class == sub.class && head.Set == sub.set:
			sum = &head.Sum
		}
		return err
	})
	return sum, err
}

// retry retries do while the store is unreachable.
func (s *StreamScheduler) retry(ctx context.Context, do func(ctx context.Context) error) error {
	return retry(ctx, s.c.o, "the store", do)
}

// Solve implements outofcore.Scheduler: it has the workers solve a subclass.
func (s *StreamScheduler) Solve(ctx context.Context, b *outofcore.Blocks) error {
	sub := subclassOf(b.Subclass)
	if err := s.setSpread(ctx, sub); err != nil {
		return err
	}
	d := newDispatcher(s.c, sub, s.c.record.solve.streamGroups(sub, b.Len()))
	if b.Class < s.c.space.MaskBits {
		d.needs = append(d.needs, subclassOf(s.subclasses[b.Number-s.halves]))
	}
	if b.Half > 0 {
		d.needs = append(d.needs, subclassOf(s.subclasses[b.Number-1]))
	}
	d.load = func(ctx context.Context, g group, done completion) (accept, revoke func() error, err error) {
		s.read.Add(done.Read + done.Written) // by the worker, and here
		s.written.Add(done.Written)
		return s.load(ctx, b, g)
	}
	d.restore = func(_ context.Context, _ group, cause error) error {
		return &permanentError{fmt.Errorf("%w: %w", cause, ErrLost)}
	}
	return d.run(ctx, func() error { return nil })
}

// setSpread has a subclass cut into at least as many groups as there are workers. If it has begun,
// it stays as it was cut, since completions are recorded by group.
func (s *StreamScheduler) setSpread(ctx context.Context, sub subclass) error {
	c := s.c
	if c.o.Own {
		return nil // as many as are expected
	}
	begun, spread := false, 1
	err := c.conn.retry(ctx, c.o, func(ctx context.Context) error {
		tasks, err := c.conn.queued(ctx, c.record.solve.taskSubjects(sub))
		if err != nil {
			return err
		}
		done, err := getAll[completion](ctx, c.conn.state, c.record.solve.doneKeys(sub))
		if err != nil {
			return err
		}
		workers, err := c.conn.workers(ctx)
		begun, spread = len(tasks)+len(done) > 0, 0
		for _, w := range workers {
			if w.Refused == "" {
				spread++
			}
		}
		return err
	})
	if spread = max(1, spread); err != nil || begun || spread == c.record.solve.Spread {
		return err
	}
	return c.record.update(ctx, func(s *Solve) { s.Spread = spread })
}

// load reads the counts of a group, and counts all of its parts. So it finds missing, damaged and
// wrong parts while they can be made again, and before the next class is made from them.
func (s *StreamScheduler) load(ctx context.Context, b *outofcore.Blocks, g group) (accept, revoke func() error, err error) {
	c := s.c
	counts, err := getCounts(ctx, c.o.Store, &c.record.solve, g)
	if err != nil {
		return nil, nil, err
	}
	found := recount{wanted: map[int][]byte{}, sum: &retro.StateCounts{}}
	reading, readCtx := errgroup.WithContext(ctx)
	reading.SetLimit(scanners)
	for _, part := range g.cut(c.record.solve.PartBlocks) {
		reading.Go(func() error { return s.count(readCtx, b, part, &found) })
	}
	if err := reading.Wait(); err != nil {
		return nil, nil, err
	}
	if found.noSlice || !found.sum.Equal(counts) {
		err = fmt.Errorf("%w: %v: %w", errWrong, g, retro.ErrMiscounted)
	}
	return func() error { return b.Take(g.first, g.blocks, counts, found.wanted) },
		func() error { b.Drop(g.first, g.blocks, counts); return nil }, err
}

// scanners is how many parts of a group the coordinator reads at once.
const scanners = 2

// recount is what the coordinator has found in the parts of a group.
type recount struct {
	lock    sync.Mutex
	wanted  map[int][]byte // the slices that Blocks.Take needs
	sum     *retro.StateCounts
	noSlice bool // some block has something else than a slice
}

// count reads a part and counts it.
func (s *StreamScheduler) count(ctx context.Context, b *outofcore.Blocks, part group, to *recount) error {
	buffer := <-s.buffers
	defer func() { s.buffers <- buffer }()
	counter := b.NewCounter()
	all := func(int) bool { return true }
	_, err := scanSlices(ctx, s.c.o.Store, &s.c.record.solve, part, buffer, all, func(block int, length int64, r io.Reader) error {
		slice, isSlice, err := counter.Count(block, length, r)
		if b.Wants(block) || !isSlice {
			to.lock.Lock()
			defer to.lock.Unlock()
			to.wanted[block] = bytes.Clone(slice)
			to.noSlice = to.noSlice || !isSlice && err == nil
		}
		return wrapEOF(err)
	})
	to.lock.Lock()
	defer to.lock.Unlock()
	to.sum.Add(counter.Sum())
	return err
}

// Moved returns the bytes that coordinator and workers have read from the store and written to it
// since the coordinator began.
func (s *StreamScheduler) Moved() (read, written int64) { return s.read.Load(), s.written.Load() }

// Slices implements outofcore.Scheduler: it reads a finished subclass part by part.
func (s *StreamScheduler) Slices(ctx context.Context, of outofcore.Subclass) func(block int) ([]byte, error) {
	c, sub, blocks := s.c, subclassOf(of), int(s.c.progress.blocks[of.Class])
	var part group // whose slices are in memory
	var slices [][]byte
	return func(block int) ([]byte, error) {
		if p := c.record.solve.partOf(sub, blocks, block); slices == nil || p != part {
			var err error
			slices, err = getSlices(ctx, c.o.Store, &c.record.solve, p)
			if errors.Is(err, store.ErrNotFound) {
				err = fmt.Errorf("%w: %w", outofcore.ErrGone, err)
			} else if isUnusable(err) {
				err = fmt.Errorf("%w: %w", err, ErrLost)
			}
			if err != nil {
				return nil, err
			}
			part = p
		}
		return slices[block-part.first], nil
	}
}

// Seal implements outofcore.Scheduler: it stores the counts of a subclass, after its slices have
// reached the disk.
func (s *StreamScheduler) Seal(ctx context.Context, of outofcore.Subclass, sum *outofcore.Sum) error {
	c, solve, sub := s.c, &s.c.record.solve, subclassOf(of)
	return s.retry(ctx, func(ctx context.Context) error {
		if err := c.o.Store.Sync(ctx, solve.subclassPrefix(sub)); err != nil {
			return err
		}
		name := solve.sealObject(sub)
		if err := c.o.Store.Put(ctx, name, appendHead(nil, sealMagic, sealHead{solve.name(), sub.class, sub.set, *sum})); err != nil {
			return err
		}
		return c.o.Store.Sync(ctx, name)
	})
}

// Drop implements outofcore.Scheduler: it deletes the objects of a subclass.
func (s *StreamScheduler) Drop(ctx context.Context, of outofcore.Subclass) error {
	return s.retry(ctx, func(ctx context.Context) error {
		return s.c.deleteObjects(ctx, s.c.record.solve.subclassPrefix(subclassOf(of)))
	})
}
