package outofcore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
)

// BlockWorker solves shards of blocks for a scheduler in another process. It is not safe for
// concurrent use and must be closed.
type BlockWorker struct {
	workspace
}

// NewBlockWorker cuts a space, within the limits of the options, to solve shards of blocks of
// it. extra bytes of the memory are reserved for the store. A *retro.MemoryError says that the
// limit is too small. Once ctx ends, methods return its cause.
func NewBlockWorker(ctx context.Context, space *partition.Space, o Options, store ReadSlices, extra int64) (*BlockWorker, error) {
	h := new(BlockWorker)
	if err := h.equip(ctx, newCutting(space), standard(o), store, extra); err != nil {
		return nil, err
	}
	h.progress = work.NewProgress(nil, 0)
	return h, nil
}

// Len returns the number of blocks of a class.
func (h *BlockWorker) Len(class int) int { return h.cuts[0].Blocks(class) }

// Solve solves blocks of a stage and returns their counts. It calls keep with the stored form
// of each slice, in any order and from several goroutines. The caller must call release once the
// bytes are not needed any more, which may be after Solve has returned. That must not wait for
// another call of keep, as the next blocks use the released memory.
func (h *BlockWorker) Solve(s Stage, first, blocks int, keep func(block int, stored []byte, release func())) (*retro.StateCounts, error) {
	if s.Number < 0 || s.Number >= h.cutting.stages() || s != h.cutting.stage(s.Number) || first < 0 || blocks < 1 || first+blocks > h.Len(s.Class) {
		return nil, fmt.Errorf("class %d has no %d blocks from %d on", s.Class, blocks, first)
	}
	if err := h.makeSlices(blocks, blocks); err != nil {
		return nil, err
	}
	h.cuts[0].Keep(s.Class)
	c := h.class(s)
	c.ResetCounts(0)
	if err := newShard(&h.workspace, s, c, first, blocks).solve(&keeping{keep, h.o.Packed}); err != nil {
		return nil, err
	}
	return c.Sum(), nil
}

// NewCounter returns a counter for slices of a stage. It is safe for concurrent use.
func (h *BlockWorker) NewCounter(s Stage) *Counter {
	c := work.NewClass(h.cuts[s.Half], s.Class, work.NewPool(h.pool.Context(), 1, 1)) // a thread of its own
	c.ResetCounts(0)
	return &Counter{class: c, codec: codec{slice: make([]uint64, c.Words())}}
}

// Same reports whether two stored slices, packed or not, are the same.
func (h *BlockWorker) Same(a, b []byte) bool {
	words := sliceBytes(h.cutting.spaces[0]) / 8
	one, other := make([]uint64, words), make([]uint64, words)
	var p packer
	return p.restore(one, a) && p.restore(other, b) && slices.Equal(one, other)
}

// Waited returns the average time that a thread has waited for slices of the store.
func (h *BlockWorker) Waited() time.Duration {
	return time.Duration(h.waited.Load() / int64(h.o.Threads))
}

// Close frees the memory. All slices must have been released.
func (h *BlockWorker) Close() { h.close() }

// keeping passes finished slices to the caller.
type keeping struct {
	keep   func(block int, stored []byte, release func())
	packed bool
}

func (k *keeping) write(p *packer, block int, slice []uint64, free chan<- []uint64) error {
	k.keep(block, toStore(p, slice, k.packed), func() { free <- slice })
	return nil
}

func noSlice(block, class int) error {
	return fmt.Errorf("the stored slice of block %d of class %d is damaged: this is a bug; please report it", block, class)
}
