package outofcore

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"time"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
)

// Shelf has the slices of finished stages, as they were stored.
type Shelf interface {
	// Read reads the slices of some blocks of a stage, in any order. deliver is called for
	// each with its length, by several goroutines at once, and calls fill once with so much
	// memory, into which the bytes are read; its error ends the reading and is returned, and so
	// is the cause of the context when that ends. What was delivered counts when Read returns
	// without error: the end of what it reads may tell that something of it was not right.
	Read(ctx context.Context, s Stage, blocks iter.Seq[int], deliver func(block int, length int64, fill func(to []byte) error) error) error
}

// Hand settles groups of blocks for a crew elsewhere, by all threads of this process. It is for
// one goroutine, and must be closed.
type Hand struct {
	shop
	cutting cutting
	passes  int
}

// NewHand cuts a space for who settles groups of it, with the limits of the options, where
// extra bytes of the memory are the shelf's. A *retro.MemoryError says that the limit is too
// small. When ctx ends, the Hand returns its cause from then on.
func NewHand(ctx context.Context, space partition.Space, o Options, shelf Shelf, extra int64) (*Hand, error) {
	h := &Hand{cutting: newCutting(space)}
	if err := h.equip(ctx, &h.cutting, standard(o), extra); err != nil {
		return nil, err
	}
	h.progress = work.NewProgress(nil, 0)
	h.from = func(number int) source {
		return &shelved{shelf, h.cutting.stage(number), sliceBytes(h.cutting.spaces[0])}
	}
	return h, nil
}

// Blocks returns the number of blocks of a class.
func (h *Hand) Blocks(class int) int { return len(h.cuts[0].Class(class).Masks) }

// Settle settles blocks of a stage and returns what they add up to. The slice of each goes to
// keep, as it is to be stored, in any order and from several goroutines at once: keep must
// have release called when the bytes are not used any more, which may be after Settle has
// returned, but must not wait for another call of keep. Memory for the next blocks is that
// which was released.
func (h *Hand) Settle(s Stage, first, blocks int, keep func(block int, stored []byte, release func())) (*retro.Tally, error) {
	if s.Number < 0 || s.Number >= h.cutting.stages() || s != h.cutting.stage(s.Number) || first < 0 || blocks < 1 || first+blocks > h.Blocks(s.Class) {
		return nil, fmt.Errorf("class %d has no %d blocks from %d on", s.Class, blocks, first)
	}
	if err := h.makeSlices(blocks, blocks); err != nil {
		return nil, err
	}
	c := h.class(s)
	c.ResetTallies(0)
	h.passes++
	if err := newGroup(&h.shop, s, c, first, blocks).solve(&keeping{keep, h.o.Packed}, h.passes%2 == 0); err != nil {
		return nil, err
	}
	return c.Sum(), nil
}

// Same reports whether two slices, as they are stored, packed or not, are the same.
func (h *Hand) Same(a, b []byte) bool {
	words := sliceBytes(h.cutting.spaces[0]) / 8
	one, other := make([]uint64, words), make([]uint64, words)
	return h.restore(one, a) && h.restore(other, b) && slices.Equal(one, other)
}

// restore writes a slice as it was before it was stored.
func (h *Hand) restore(slice []uint64, stored []byte) bool {
	b := bitslice.Bytes(slice)
	if len(stored) == len(b) {
		copy(b, stored)
		return true
	}
	return new(packer).unpack(b, stored) == nil
}

// Waited returns how long the threads of the Hand have waited for slices of a shelf so far, on
// average.
func (h *Hand) Waited() time.Duration { return time.Duration(h.waited.Load() / int64(h.o.Threads)) }

// Close gives the memory back. All of it must have been released.
func (h *Hand) Close() { h.close() }

// keeping hands finished slices to who keeps them.
type keeping struct {
	keep   func(block int, stored []byte, release func())
	packed bool
}

func (k *keeping) write(p *packer, block int, slice []uint64, free chan<- []uint64) error {
	k.keep(block, toStore(p, slice, k.packed), func() { free <- slice })
	return nil
}

// shelved is a finished stage whose slices are on a shelf.
type shelved struct {
	shelf      Shelf
	stage      Stage
	sliceBytes int64
}

func (s *shelved) read(ctx context.Context, blocks iter.Seq[int], buffers chan []uint64, to chan<- arrival) {
	asked, delivered := 0, atomic.Int64{}
	counted := func(yield func(int) bool) {
		for block := range blocks {
			if asked++; !yield(block) {
				return
			}
		}
	}
	err := s.shelf.Read(ctx, s.stage, counted, func(block int, length int64, fill func(to []byte) error) error {
		if length > s.sliceBytes {
			return s.damaged(block)
		}
		var buf []uint64
		select {
		case buf = <-buffers:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		b := bitslice.Bytes(buf)[:length]
		if err := fill(b); err != nil {
			buffers <- buf
			return err
		}
		select {
		case to <- arrival{block: block, slice: buf, bytes: b}:
		case <-ctx.Done():
			buffers <- buf
			return context.Cause(ctx)
		}
		delivered.Add(1)
		return nil
	})
	if err == nil && delivered.Load() != int64(asked) {
		err = fmt.Errorf("of %d slices of class %d only %d were read; this is a mistake in the program, please report it", asked, s.stage.Class, delivered.Load())
	}
	if err != nil {
		select {
		case to <- arrival{err: err}:
		case <-ctx.Done():
		}
	}
}

func (s *shelved) unpack(p *packer, block int, stored []byte, slice, unpacked []uint64) ([]uint64, error) {
	if slice, ok := unpackSlice(p, stored, s.sliceBytes, slice, unpacked); ok {
		return slice, nil
	}
	return nil, s.damaged(block)
}

// errSlice is the cause where what a shelf has cannot be a slice.
var errSlice = errors.New("this is a mistake in the program, please report it")

func (s *shelved) damaged(block int) error { return noSlice(block, s.stage.Class) }

func noSlice(block, class int) error {
	return fmt.Errorf("what is kept of block %d of class %d is no slice of it: %w", block, class, errSlice)
}
