package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"backsolve/cluster/store"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// Streams is the scheduler of a solve that keeps no table.
type Streams struct {
	c      *Coordinator
	stages []outofcore.Subclass
	halves int // stages of a class
	blocks []int64
	// buffers are for parts that are read, loaders of them.
	buffers chan []byte
	read    atomic.Int64
	wrote   atomic.Int64
}

// scanBytes is how much of a part the coordinator reads at once: more than a frame of the store,
// and little enough for the cache of a core.
const scanBytes = 128 << 10

// Streams returns who settles the stages of a solve that was begun by NewStream.
func (c *Coordinator) Streams() *Streams {
	s := &Streams{c: c, stages: outofcore.Subclasses(c.space), halves: 1, blocks: c.progress.counts, buffers: make(chan []byte, loaders)}
	for range loaders {
		s.buffers <- make([]byte, scanBytes)
	}
	if !s.stages[0].Last {
		s.halves = 2
	}
	return s
}

// layerOf is a stage in names.
func layerOf(s outofcore.Subclass) layer { return layer{s.Class, !s.Last} }

// Sealed reads what a stage has come to. What cannot be read is found out anew.
func (s *Streams) Sealed(_ context.Context, at outofcore.Subclass) (sum *outofcore.Sum, err error) {
	c, l := s.c, layerOf(at)
	err = s.patiently(func(ctx context.Context) error {
		var head sealHead
		err := getHead(ctx, c.o.Store, c.solve.sealObject(l), sealMagic, &head)
		switch {
		case useless(err):
			if !errors.Is(err, store.ErrNotFound) {
				c.o.Say(fmt.Sprintf("%v: it is found out anew", err))
			}
			return nil
		case err == nil && head.Solve == c.solve.name() && head.Class == l.class && head.Set == l.set:
			sum = &head.Sum
		}
		return err
	})
	return sum, err
}

// patiently has something done with the store, which may be away for a while.
func (s *Streams) patiently(do func(ctx context.Context) error) error {
	return patiently(s.c.ctx, s.c.o, "the store", do)
}

// Settle has the workers settle a stage.
func (s *Streams) Solve(ctx context.Context, b *outofcore.Blocks) error {
	c, l := s.c, layerOf(b.Subclass)
	if err := c.spread(l); err != nil {
		return err
	}
	r := newRun(c, l, c.solve.streamGroups(l, b.Len()))
	if b.Class < c.space.MaskBits {
		r.from = append(r.from, layerOf(s.stages[b.Number-s.halves]))
	}
	if b.Half > 0 {
		r.from = append(r.from, layerOf(s.stages[b.Number-1]))
	}
	r.load = func(ctx context.Context, g group) (take, drop func() error, err error) { return s.load(ctx, b, g) }
	r.restore = func(_ group, cause error) error { return &final{fmt.Errorf("%w: %w", cause, ErrLost)} }
	return r.settle(ctx, func() error { return nil })
}

// load reads what a group adds up to, and counts all of its parts: while they can be made again, and
// the next class is not made from them, it is found out whether they are whole and what they say.
func (s *Streams) load(ctx context.Context, b *outofcore.Blocks, g group) (take, drop func() error, err error) {
	c := s.c
	tally, err := getSum(ctx, c.o.Store, &c.solve, g)
	if err != nil {
		return nil, nil, err
	}
	l := counted{wanted: map[int][]byte{}, sum: &retro.StateCounts{}}
	parts := c.solve.parts(g)
	err = each(ctx, len(parts), func(ctx context.Context, i int) error { return s.count(ctx, b, parts[i], &l) })
	if err != nil {
		return nil, nil, err
	}
	s.account(ctx, g)
	if l.noSlices || !l.sum.Equal(tally) {
		err = fmt.Errorf("%w: blocks %d to %d of class %d: %w", errMade, g.first, g.first+g.blocks-1, g.class, retro.ErrMiscounted)
	}
	return func() error { return b.Take(g.first, g.blocks, tally, l.wanted) },
		func() error { b.Drop(g.first, g.blocks, tally); return nil }, err
}

// counted is what was found in the parts of a group.
type counted struct {
	lock     sync.Mutex
	wanted   map[int][]byte // slices that are to be handed in
	sum      *retro.StateCounts
	noSlices bool // something is stored that is no slice
}

// count reads a part and counts it.
func (s *Streams) count(ctx context.Context, b *outofcore.Blocks, part group, to *counted) error {
	buffer := <-s.buffers
	defer func() { s.buffers <- buffer }()
	counter := b.NewCounter()
	every := func(int) bool { return true }
	_, err := scanSlices(ctx, s.c.o.Store, &s.c.solve, part, buffer, every, func(block int, length int64, from io.Reader) error {
		slice, sliced, err := counter.Count(block, length, from)
		if b.Wants(block) || !sliced {
			to.lock.Lock()
			defer to.lock.Unlock()
			to.wanted[block] = bytes.Clone(slice)
			to.noSlices = to.noSlices || !sliced && err == nil
		}
		return cutShort(err)
	})
	to.lock.Lock()
	defer to.lock.Unlock()
	to.sum.Add(counter.Sum())
	return err
}

// scanners is how many parts of a group the coordinator reads at once.
const scanners = 2

// each calls do for every number below n, some at once. It ends with the first error.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var working sync.WaitGroup
	for range scanners {
		working.Go(func() {
			for i := int(next.Add(1) - 1); i < n && ctx.Err() == nil; i = int(next.Add(1) - 1) {
				if err := do(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	working.Wait()
	return context.Cause(ctx)
}

// account adds up what was moved for a group, as far as its note tells.
func (s *Streams) account(ctx context.Context, g group) {
	note, err := read[doneNote](ctx, s.c.conn.state, s.c.solve.doneKey(g))
	if err == nil && note != nil {
		s.read.Add(note.Read + note.Bytes) // by the worker, and here
		s.wrote.Add(note.Bytes)
	}
}

// Moved returns the bytes that all together have read from the store and written to it, since
// this coordinator began.
func (s *Streams) Moved() (read, written int64) { return s.read.Load(), s.wrote.Load() }

// Slices reads a finished stage part by part.
func (s *Streams) Slices(ctx context.Context, at outofcore.Subclass) func(block int) ([]byte, error) {
	c, l, blocks := s.c, layerOf(at), int(s.blocks[at.Class])
	var here group // the part that is held
	var stored [][]byte
	return func(block int) ([]byte, error) {
		if part := c.solve.partOf(l, blocks, block); stored == nil || part != here {
			var err error
			stored, err = getSlices(ctx, c.o.Store, &c.solve, part, nil)
			if errors.Is(err, store.ErrNotFound) {
				err = fmt.Errorf("%w: %w", outofcore.ErrGone, err)
			} else if useless(err) {
				err = fmt.Errorf("%w: %w", err, ErrLost)
			}
			if err != nil {
				return nil, err
			}
			here = part
		}
		return stored[block-here.first], nil
	}
}

// Seal keeps what a stage has come to, when its slices have reached the disk.
func (s *Streams) Seal(_ context.Context, at outofcore.Subclass, sum *outofcore.Sum) error {
	c, l := s.c, layerOf(at)
	return s.patiently(func(ctx context.Context) error {
		if err := c.o.Store.Sync(ctx, c.solve.layerPrefix(l)); err != nil {
			return err
		}
		name := c.solve.sealObject(l)
		if err := putHead(ctx, c.o.Store, name, sealMagic, sealHead{c.solve.name(), l.class, l.set, *sum}); err != nil {
			return err
		}
		return c.o.Store.Sync(ctx, name)
	})
}

// Drop takes the objects of a stage away.
func (s *Streams) Drop(_ context.Context, at outofcore.Subclass) error {
	return s.patiently(func(ctx context.Context) error {
		return s.c.deleteAll(ctx, s.c.solve.layerPrefix(layerOf(at)))
	})
}
