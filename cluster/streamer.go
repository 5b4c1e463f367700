package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"sync"
	"time"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// streamer settles the groups of a solve that keeps no table: the class above streams past each
// of them.
type streamer struct {
	*service
	hand    *outofcore.BlockWorker
	stages  map[layer]outofcore.Subclass
	buffers chan []byte // for what is read of parts and not needed, loaders of them
}

func newStreamer(ctx context.Context, s *service) (*streamer, error) {
	m := &streamer{service: s, stages: map[layer]outofcore.Subclass{}, buffers: make(chan []byte, loaders)}
	for _, stage := range outofcore.Subclasses(s.space) {
		m.stages[layerOf(stage)] = stage
	}
	blocks, alone := 0, *s.solve
	alone.Spread = 1 // when there are fewer workers the groups are larger
	for _, n := range partition.BlockCounts(s.space) {
		blocks = max(blocks, alone.streamGroups(layer{}, int(n))[0].blocks)
	}
	o := outofcore.Options{Options: retro.Options{Threads: s.o.Threads, Memory: s.o.Memory}, Packed: s.solve.Packed}
	if need := o.Plan(s.space).WorkerMemory(int64(blocks)) + readBytes; o.Memory > 0 && need > o.Memory {
		return nil, &retro.MemoryError{Limit: o.Memory, Need: need}
	}
	var err error
	if m.hand, err = outofcore.NewBlockWorker(ctx, s.space, o, m, readBytes); err != nil {
		return nil, err
	}
	for range loaders {
		m.buffers <- make([]byte, scanBytes)
	}
	return m, nil
}

// eager is false: a group is long in work, and another worker may have nothing to do.
func (m *streamer) eager() bool { return false }

func (m *streamer) close() { m.hand.Close() }

func (m *streamer) settle(ctx context.Context, g group) (put putting, err error) {
	began, before, read := time.Now(), m.hand.Waited(), m.account().Read
	b := newBatch(ctx, m, g)
	tally, err := m.hand.Solve(m.stages[g.layer], g.first, g.blocks, b.keep)
	waited := m.hand.Waited() - before
	m.set(func(s *WorkerStatus) {
		s.Reading += waited.Seconds()
		s.Settling += (time.Since(began) - waited).Seconds()
	})
	if err != nil {
		b.end()
		return nil, err
	}
	read = m.account().Read - read
	return func(ctx context.Context) (moved, error) {
		if err := b.end(); err != nil {
			return moved{}, err
		}
		head := sumHead{m.solve.name(), g.class, g.set, g.first, g.blocks, *tally}
		return moved{read: read, written: b.bytes}, putHead(ctx, m.o.Store, m.solve.sumObject(g), sumMagic, head)
	}, nil
}

func (m *streamer) compare(ctx context.Context, g, blocks group) (block int, differs bool, err error) {
	made := map[int][]byte{}
	buffer := make([]byte, scanBytes)
	for _, part := range m.solve.parts(g) {
		if part.first+part.blocks <= blocks.first || part.first >= blocks.first+blocks.blocks {
			continue
		}
		wants := func(block int) bool { return block >= blocks.first && block < blocks.first+blocks.blocks }
		_, err := scanSlices(ctx, m.o.Store, m.solve, part, buffer, wants, func(block int, length int64, from io.Reader) error {
			made[block], err = readSaid(from, length)
			return err
		})
		if useless(err) {
			err = fmt.Errorf("%w: %w", errUnreadable, err)
		}
		if err != nil {
			return 0, false, err
		}
	}
	var lock sync.Mutex
	settled := map[int][]byte{} // those that are stored otherwise
	_, err = m.hand.Solve(m.stages[g.layer], blocks.first, blocks.blocks, func(block int, stored []byte, release func()) {
		lock.Lock()
		defer lock.Unlock()
		if !bytes.Equal(stored, made[block]) {
			settled[block] = bytes.Clone(stored)
		}
		release()
	})
	for block, slice := range settled {
		if err == nil && !m.hand.Same(slice, made[block]) {
			return block, true, nil
		}
	}
	return 0, false, err
}

func (m *streamer) discard(ctx context.Context, g group) error {
	if err := m.o.Store.Delete(ctx, m.solve.sumObject(g)); err != nil {
		return err
	}
	for _, part := range m.solve.parts(g) {
		if err := m.o.Store.Delete(ctx, m.solve.object(part)); err != nil {
			return err
		}
	}
	return nil
}

// Read reads slices of a stage, some parts at once.
func (m *streamer) Read(ctx context.Context, s outofcore.Subclass, blocks iter.Seq[int], deliver func(block int, length int64, fill func(to []byte) error) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type wanted struct {
		part   group
		blocks []int
	}
	parts := make(chan wanted)
	var reading sync.WaitGroup
	for range loaders {
		reading.Go(func() {
			for w := range parts {
				if err := m.readPart(ctx, w.part, w.blocks, deliver); err != nil {
					cancel(err)
				}
			}
		})
	}
	var w wanted
	send := func() {
		if len(w.blocks) > 0 {
			select {
			case parts <- w:
			case <-ctx.Done():
			}
		}
	}
	l, all := layerOf(s), m.hand.Len(s.Class)
	for block := range blocks {
		if part := m.solve.partOf(l, all, block); part != w.part {
			send()
			w = wanted{part: part}
		}
		w.blocks = append(w.blocks, block)
		if ctx.Err() != nil {
			break
		}
	}
	send()
	close(parts)
	reading.Wait()
	return context.Cause(ctx)
}

// errPartly is the cause where a part was not whole, and some of it has been used when that was
// found out.
var errPartly = errors.New("what it is for begins again")

// readPart reads some blocks of a part. They are used as they come, so that they need no room and
// stay in the cache: when it turns out that the part is not whole the group is settled again.
func (m *streamer) readPart(ctx context.Context, g group, blocks []int, deliver func(block int, length int64, fill func(to []byte) error) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	buffer := <-m.buffers
	defer func() { m.buffers <- buffer }()
	var failed error // after something was delivered
	return m.insist(ctx, g, func() error {
		if failed != nil {
			return fmt.Errorf("%w: %w", failed, errPartly)
		}
		left := slices.Sorted(slices.Values(blocks)) // a class may be read from its end on
		wants := func(block int) bool { return len(left) > 0 && left[0] == block }
		size, err := scanSlices(ctx, m.o.Store, m.solve, g, buffer, wants, func(block int, length int64, from io.Reader) error {
			left = left[1:]
			return deliver(block, length, func(to []byte) error { return readFull(from, to) })
		})
		if err != nil && len(left) < len(blocks) {
			failed = err
		}
		if err == nil {
			m.set(func(s *WorkerStatus) { s.Read += size })
		}
		return err
	})
}

// batch puts the parts of a group into the store as they are settled.
type batch struct {
	m       *streamer
	ctx     context.Context
	group   group
	ready   chan *part
	putting sync.WaitGroup
	ended   func()

	lock  sync.Mutex // guards what follows
	parts []part
	bytes int64
	err   error
}

// part is a part that is settled block by block.
type part struct {
	group   group
	stored  [][]byte
	release []func()
	missing int
}

func newBatch(ctx context.Context, m *streamer, g group) *batch {
	b := &batch{m: m, ctx: ctx, group: g}
	for _, of := range m.solve.parts(g) {
		b.parts = append(b.parts, part{group: of, stored: make([][]byte, of.blocks), missing: of.blocks})
	}
	b.ready = make(chan *part, len(b.parts)) // nobody waits who settles blocks
	b.ended = sync.OnceFunc(func() { close(b.ready) })
	for range mostPuts {
		b.putting.Go(func() {
			for p := range b.ready {
				b.put(p)
			}
		})
	}
	return b
}

// keep takes the slice of a block.
func (b *batch) keep(block int, stored []byte, release func()) {
	p := &b.parts[(block-b.group.first)/b.m.solve.PartBlocks]
	b.lock.Lock()
	p.stored[block-p.group.first] = stored
	p.release = append(p.release, release)
	p.missing--
	whole := p.missing == 0
	b.lock.Unlock()
	if whole {
		b.ready <- p
	}
}

// put puts a part into the store, unless another one could not be put.
func (b *batch) put(p *part) {
	b.lock.Lock()
	err := b.err
	b.lock.Unlock()
	var size int64
	if err == nil {
		size, err = putSlices(b.ctx, b.m.o.Store, b.m.solve, p.group, p.stored)
	}
	for _, release := range p.release {
		release()
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.bytes += size; b.err == nil {
		b.err = err
	}
}

// end waits until all parts are put that are whole.
func (b *batch) end() error {
	b.ended()
	b.putting.Wait()
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.err
}
