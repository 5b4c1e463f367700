package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"backsolve/cluster/store"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// StreamScheduler schedules a solve that keeps no table: it is an outofcore.Scheduler.
type StreamScheduler struct {
	c          *Coordinator
	subclasses []outofcore.Subclass
	halves     int                         // subclasses of a class
	latest     int                         // the greatest number of a subclass that was begun
	remade     int                         // how often finished subclasses had to be solved again
	sums       map[subclass]*outofcore.Sum // of finished subclasses
}

// NewStreamScheduler returns the scheduler of a solve that began with NewStream.
func NewStreamScheduler(c *Coordinator) *StreamScheduler {
	s := &StreamScheduler{c: c, subclasses: outofcore.Subclasses(c.space), halves: 1, sums: map[subclass]*outofcore.Sum{}}
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
		err := getEither(ctx, c.o.Store, solve, solve.sealObject(sub), s.decodeSeal(sub, &head))
		switch {
		case isUnusable(err):
			if !isLost(err) {
				c.o.Logf(slog.LevelWarn, "%v: the class is solved again", err)
			}
			return nil
		case err == nil:
			sum = &head.Sum
			s.sums[sub] = sum
			return s.mendSeal(ctx, sub)
		}
		return err
	})
	return sum, err
}

// decodeSeal returns a function that reads the counts of a subclass.
func (s *StreamScheduler) decodeSeal(sub subclass, head *sealHead) func(r io.Reader) error {
	return func(r io.Reader) error {
		err := readHead(r, sealMagic, head)
		if err == nil && (head.Solve != s.c.record.solve.name() || head.Class != sub.class || head.Set != sub.set) {
			err = fmt.Errorf("%w: it has the counts of class %d of %s", errObject, head.Class, head.Solve)
		}
		return err
	}
}

// mendSeal restores lost or damaged copies of the counts of a subclass.
func (s *StreamScheduler) mendSeal(ctx context.Context, sub subclass) error {
	solve := &s.c.record.solve
	return s.c.mend(ctx, solve, solve.sealObject(sub), s.decodeSeal(sub, new(sealHead)), s.sealBytes(sub))
}

// sealBytes returns the object with the counts of a subclass.
func (s *StreamScheduler) sealBytes(sub subclass) []byte {
	return appendHead(nil, sealMagic, sealHead{s.c.record.solve.name(), sub.class, sub.set, *s.sums[sub]})
}

// retry retries do while the store is unreachable.
func (s *StreamScheduler) retry(ctx context.Context, do func(ctx context.Context) error) error {
	return retry(ctx, s.c.o, "the store", do)
}

// Solve implements outofcore.Scheduler: it has the workers solve a subclass.
func (s *StreamScheduler) Solve(ctx context.Context, b *outofcore.Blocks) error {
	sub := subclassOf(b.Subclass)
	if err := s.c.setSpread(ctx, sub); err != nil {
		return err
	}
	s.latest = max(s.latest, b.Number)
	d := newDispatcher(s.c, sub, s.c.record.solve.streamGroups(sub, b.Len()))
	if b.Class < s.c.space.MaskBits {
		d.needs = append(d.needs, subclassOf(s.subclasses[b.Number-s.halves]))
	}
	if b.Half > 0 {
		d.needs = append(d.needs, subclassOf(s.subclasses[b.Number-1]))
	}
	d.load = func(ctx context.Context, g group, done completion) (accept, revoke func() error, err error) {
		return s.load(ctx, b, g, done.Counts)
	}
	d.restore = func(ctx context.Context, part group, cause error) error {
		return &permanentError{s.remake(ctx, part, cause)}
	}
	return d.run(ctx, func() error { return nil })
}

// remake has a finished subclass solved again, of which a part is lost. Only the group of the part is:
// the others are as they were, but all are checked again. It returns a *outofcore.RemakeError, or
// why that is not possible.
func (s *StreamScheduler) remake(ctx context.Context, part group, cause error) error {
	c, solve := s.c, &s.c.record.solve
	at := s.subclasses[slices.IndexFunc(s.subclasses, func(of outofcore.Subclass) bool { return subclassOf(of) == part.subclass })]
	// The class from which it is made must be in the store still.
	if s.remade++; s.remade > maxAttempts || at.Number >= s.halves && at.Number < s.latest-s.halves {
		return fmt.Errorf("%w: %w", cause, ErrLost)
	}
	c.o.Logf(slog.LevelWarn, "%v: it is made again, from the class before it", cause)
	c.progress.repeat()
	err := c.conn.retry(ctx, c.o, func(ctx context.Context) error {
		done, err := getAll[completion](ctx, c.conn.state, solve.doneKeys(part.subclass))
		for key, of := range done {
			if g := of.Task.group(); err == nil && (g.check || g.first < part.first+part.blocks && part.first < g.first+g.blocks) {
				err = c.conn.purge(ctx, stateStream, stateSubject+key)
			}
		}
		if err == nil {
			err = c.conn.purge(ctx, taskStream, taskSubject+"."+solve.ID+".>")
		}
		return err
	})
	if err == nil {
		delete(s.sums, part.subclass)
		err = s.retry(ctx, func(ctx context.Context) (err error) {
			for _, name := range solve.copies(solve.sealObject(part.subclass)) {
				err = errors.Join(err, c.o.Store.Delete(ctx, name))
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	return &outofcore.RemakeError{Subclass: at, Err: cause}
}

// load returns what accepts a group. It reads only the slices of the first moves, as another worker
// counts the parts.
func (s *StreamScheduler) load(ctx context.Context, b *outofcore.Blocks, g group, counts *retro.StateCounts) (accept, revoke func() error, err error) {
	c, wanted := s.c, map[int][]byte{}
	if counts == nil {
		return nil, nil, fmt.Errorf("%w: %v have no counts", errWrong, g)
	}
	buffer, counter := make([]byte, scanBytes), b.NewCounter()
	for _, part := range g.cut(c.record.solve.PartBlocks) {
		blocks := group{blocks: part.blocks}.cut(1)
		if !slices.ContainsFunc(blocks, func(i group) bool { return b.Wants(part.first + i.first) }) {
			continue
		}
		size, err := scanSlices(ctx, c.o.Store, &c.record.solve, part, buffer, b.Wants, func(block int, length int64, r io.Reader) error {
			slice, isSlice, err := counter.Count(block, length, r)
			if wanted[block] = bytes.Clone(slice); err == nil && !isSlice {
				return fmt.Errorf("%w: block %d of class %d is no slice", errWrong, block, g.class)
			}
			return wrapEOF(err)
		})
		if c.read.Add(size); err != nil {
			return nil, nil, err
		}
	}
	return func() error { return b.Take(g.first, g.blocks, counts, wanted) },
		func() error { b.Drop(g.first, g.blocks, counts); return nil }, nil
}

// Moved returns the bytes that coordinator and workers have read from the store and written to it
// since the coordinator began.
func (s *StreamScheduler) Moved() (read, written int64) { return s.c.read.Load(), s.c.written }

// Slices implements outofcore.Scheduler: it reads a finished subclass part by part.
func (s *StreamScheduler) Slices(ctx context.Context, of outofcore.Subclass) func(block int) ([]byte, error) {
	c, sub, blocks := s.c, subclassOf(of), int(s.c.progress.blocks[of.Class])
	var part group // whose slices are in memory
	var stored [][]byte
	return func(block int) ([]byte, error) {
		if p := c.record.solve.partOf(sub, blocks, block); stored == nil || p != part {
			var err error
			stored, err = getSlices(ctx, c.o.Store, &c.record.solve, p)
			if errors.Is(err, store.ErrNotFound) {
				err = fmt.Errorf("%w: %w", outofcore.ErrGone, err)
			} else if isUnusable(err) {
				err = s.remake(ctx, p, err)
			}
			if err != nil {
				return nil, err
			}
			part = p
		}
		return stored[block-part.first], nil
	}
}

// Seal implements outofcore.Scheduler: it stores the counts of a subclass, after its slices have
// reached the disk. It mends those of the earlier ones, which the result needs.
func (s *StreamScheduler) Seal(ctx context.Context, of outofcore.Subclass, sum *outofcore.Sum) error {
	c, solve, sub := s.c, &s.c.record.solve, subclassOf(of)
	return s.retry(ctx, func(ctx context.Context) error {
		if err := c.o.Store.Sync(ctx, solve.subclassPrefix(sub)); err != nil {
			return err
		}
		for earlier := range s.sums {
			if err := s.mendSeal(ctx, earlier); err != nil {
				return err
			}
		}
		s.sums[sub] = sum
		return putTwice(ctx, c.o.Store, solve, solve.sealObject(sub), s.sealBytes(sub))
	})
}

// Drop implements outofcore.Scheduler: it deletes the objects of a subclass.
func (s *StreamScheduler) Drop(ctx context.Context, of outofcore.Subclass) error {
	return s.retry(ctx, func(ctx context.Context) error {
		return s.c.deleteObjects(ctx, s.c.record.solve.subclassPrefix(subclassOf(of)))
	})
}
