package outofcore

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
)

// BlockWorker has the threads and the slices to solve shards of blocks: here, or for a scheduler in another
// process. It is not safe for concurrent use and must be closed.
type BlockWorker struct {
	o        Options
	plan     *plan.OutOfCore
	cuts     []*partition.Cut // one for each half
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	store    ReadSlices
	cutting  cutting
	passes   int              // over classes above
	locks    [1000]sync.Mutex // of the blocks of a shard, by their number modulo that of the locks
	// slices is the number of slices for the blocks of a shard. free has those that are
	// neither in use nor waiting to be written.
	slices int
	free   chan []uint64
	child  chan []uint64 // memory for slices of the class above
	codecs chan *codec
	read   atomic.Int64 // bytes of stored slices
	waited atomic.Int64 // nanoseconds that threads waited for them
}

// codec is the scratch memory of a thread for packing and unpacking slices.
type codec struct {
	packer
	slice []uint64
}

// NewBlockWorker cuts a space, within the limits of the options, to solve shards of blocks of it. It reserves
// the memory that does not grow with a shard, and extra bytes for the store. A *retro.MemoryError says that
// the limit is too small. Once ctx ends, methods return its cause.
func NewBlockWorker(ctx context.Context, space *partition.Space, o Options, store ReadSlices, extra int64) (*BlockWorker, error) {
	o = standard(o)
	h := &BlockWorker{o: o, plan: o.Plan(space), cutting: newCutting(space), store: store, progress: work.NewProgress(nil, 0)}
	words := bitslice.Words(h.cutting.spaces[0].IndexBits[0])
	h.free = make(chan []uint64, h.plan.MostBlocks)
	h.ledger = work.NewLedger(o.Memory, words)
	err := h.ledger.Reserve(h.plan.Fixed() + extra)
	if err == nil {
		err = h.makeBuffers(words)
	}
	if err == nil {
		h.cuts, err = h.cutting.cuts()
	}
	if err != nil {
		h.ledger.Close()
		return nil, err
	}
	h.pool = work.NewPool(ctx, o.Threads, o.TasksPerThread)
	return h, nil
}

// Len returns the number of blocks of a class.
func (h *BlockWorker) Len(class int) int { return h.cuts[0].Blocks(class) }

// KeepSlice takes a solved slice as it is stored, and calls release once its bytes are not needed any more.
// That must not wait for another call, as the next blocks use the released memory.
type KeepSlice = func(block int, stored []byte, release func())

// Solve solves blocks of a stage and returns their counts. It calls keep with each slice, in any order
// and from several goroutines. Slices may be released after it has returned.
func (h *BlockWorker) Solve(s Stage, first, blocks int, keep KeepSlice) (*retro.StateCounts, error) {
	if s.Number < 0 || s.Number >= h.cutting.stages() || s != h.cutting.stage(s.Number) || first < 0 || blocks < 1 || first+blocks > h.Len(s.Class) {
		return nil, fmt.Errorf("class %d has no %d blocks from %d on", s.Class, blocks, first)
	}
	if err := h.makeSlices(blocks, blocks); err != nil {
		return nil, err
	}
	h.cuts[0].Keep(s.Class)
	c := work.NewClass(h.cuts[s.Half], s.Class, h.pool)
	c.ResetCounts(0)
	g := &shard{s: h, stage: s, class: c, first: first, slices: make([][]uint64, blocks)}
	err := g.solve(keep)
	return c.Sum(), err
}

// NewCounter returns a counter for slices of a stage. It is safe for concurrent use.
func (h *BlockWorker) NewCounter(s Stage) *Counter {
	c := work.NewClass(h.cuts[s.Half], s.Class, work.NewPool(h.pool.Context, 1, 1)) // a thread of its own
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
func (h *BlockWorker) Close() {
	h.cuts[0].Free()
	h.ledger.Close()
}

func (h *BlockWorker) makeBuffers(words int) error {
	h.child = make(chan []uint64, h.plan.ChildSlices())
	h.codecs = make(chan *codec, h.o.Threads)
	for range cap(h.child) {
		b, err := h.ledger.Plane(words)
		if err != nil {
			return err
		}
		h.child <- b
	}
	for range cap(h.codecs) {
		b, err := h.ledger.Plane(words)
		if err != nil {
			return err
		}
		of := &codec{slice: b}
		if h.o.Packed { // what the plan assumes
			of.packed = make([]byte, 0, plan.PackedBytes(int64(words)*8))
		}
		h.codecs <- of
	}
	return nil
}

// makeSlices allocates slices for the given number of blocks, or for fewer, but at least least,
// where the limit does not allow more.
func (h *BlockWorker) makeSlices(blocks, least int) error {
	words := bitslice.Words(h.cuts[0].IndexBits[0])
	overhead := h.plan.BlockOverhead()
	for h.slices < blocks {
		if h.slices >= least && !h.ledger.Room(int64(words)*8+overhead) {
			break
		}
		if err := h.ledger.Reserve(overhead); err != nil {
			return err
		}
		b, err := h.ledger.Plane(words)
		if err != nil {
			return err
		}
		h.free <- b
		h.slices++
	}
	return nil
}

func noSlice(block, class int) error {
	return fmt.Errorf("the stored slice of block %d of class %d is damaged: this is a bug; please report it", block, class)
}
