package survey

import (
	"context"
	"iter"
	"math/bits"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// storedStates returns the number of states that a class stores.
func storedStates(c tablebase.ClassInfo) uint64 { return uint64(c.Blocks) << uint(c.IndexBits) }

// damaged reports a table that contradicts itself or the rules.
func damaged(t *probe.Table, format string, args ...any) error {
	return t.Errorf(tablebase.ErrDamaged, format, args...)
}

// run is a run of blocks of a class with their planes.
type run struct {
	class   tablebase.ClassInfo
	masks   []uint64 // of the blocks
	planes  tablebase.Planes
	scratch []uint64
}

// value returns the stored value of a state of the b-th block.
func (r *run) value(t *probe.Table, b int, index uint32) probe.Value {
	return valueIn(t, &r.planes, r.class.Words(), b, index)
}

// valueIn returns the value of a state of the b-th block of planes, with the words of a slice.
// Nimbers take the place of steps; see deriver.
func valueIn(t *probe.Table, planes *tablebase.Planes, words, b int, index uint32) probe.Value {
	w, bit := b*words+int(index/64), index%64
	v := probe.Value{Outcome: game.Draw, Steps: -1}
	switch {
	case planes.Win[w]>>bit&1 == 1:
		v.Outcome = game.Win
	case planes.Lose == nil || planes.Lose[w]>>bit&1 == 1:
		v.Outcome = game.Lose
	}
	if v.Outcome != game.Draw && (t.HasSteps() || storesNimbers(t)) {
		v.Steps = bitslice.Numbers(planes.Steps).At(w, int(bit))
	}
	return v
}

// lost returns the lost states of a word.
func (r *run) lost(w int) uint64 {
	if r.planes.Lose != nil {
		return r.planes.Lose[w]
	}
	return ^r.planes.Win[w] & bitslice.Valid(r.class.IndexBits)
}

// lostOf returns the lost states of words, which it works out where they are not stored.
func (r *run) lostOf(first, end int) []uint64 {
	if r.planes.Lose != nil {
		return r.planes.Lose[first:end]
	}
	r.scratch = r.scratch[:0]
	for w := first; w < end; w++ {
		r.scratch = append(r.scratch, r.lost(w))
	}
	return r.scratch
}

// runWords is the words of a plane that are read at a time: 256 KiB, so that they stay in the cache.
const runWords = 1 << 15

// eachRun reads the i-th class of a table run by run and calls f with each, until f fails. With
// one thread it also ends when more is false. Several threads call f at once.
func eachRun(ctx context.Context, t *probe.Table, i, threads int,
	read func(i, firstBlock, blocks int, dst *tablebase.Planes) error, f func(r *run) (more bool, err error)) error {
	c := t.Stored().Classes()[i]
	masks, err := t.Stored().Masks(i)
	if err != nil {
		return err
	}
	most := max(1, runWords/c.Words())
	return eachTask(ctx, threads, uint64((c.Blocks+most-1)/most), func(tasks iter.Seq[uint64]) error {
		r := run{class: c}
		for n := range tasks {
			first := int(n) * most
			r.masks = masks[first:min(first+most, c.Blocks)]
			if err := read(i, first, len(r.masks), &r.planes); err != nil {
				return err
			}
			if more, err := f(&r); err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// images returns the size of the orbit of a block's mask. A mask that cannot be a block's is
// damage. If none is, the ascending masks are complete, as their number is checked.
func images(t *probe.Table, class int, mask uint64) (uint64, error) {
	space := t.Space()
	if bits.Len64(mask) > space.MaskBits || bits.OnesCount64(mask) != class {
		return 0, damaged(t, "class %d has a block of the mask %#x, which is not one of %d marked cells", class, mask, class)
	}
	least, size := space.Symmetries.Orbit(mask)
	if least != mask {
		return 0, damaged(t, "class %d has a block of the mask %#x, whose least image is another", class, mask)
	}
	return uint64(size), nil
}
