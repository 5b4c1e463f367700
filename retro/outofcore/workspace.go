package outofcore

import (
	"context"
	"sync"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// workspace has the threads and the slices for solving shards.
type workspace struct {
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
	valid    uint64           // the bits of a word that stand for states
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

// equip reserves the memory that does not grow with a shard and extra bytes for the caller,
// cuts the space and starts the threads, which stop with the context. Without an error the
// workspace must be closed.
func (s *workspace) equip(ctx context.Context, c cutting, o Options, store ReadSlices, extra int64) error {
	half := c.spaces[0]
	words := bitslice.Words(half.IndexBits[0])
	s.o, s.cutting, s.store, s.valid, s.plan = o, c, store, bitslice.Valid(half.IndexBits[0]), o.Plan(c.space)
	s.free = make(chan []uint64, s.plan.MostBlocks)
	s.ledger = work.NewLedger(o.Memory, words)
	err := s.ledger.Reserve(s.plan.Fixed() + extra)
	if err == nil {
		err = s.makeBuffers(words)
	}
	if err == nil {
		s.cuts, err = c.cuts()
	}
	if err != nil {
		s.ledger.Close()
		return err
	}
	s.pool = work.NewPool(ctx, o.Threads, o.TasksPerThread)
	return nil
}

// close frees the memory.
func (s *workspace) close() {
	s.cuts[0].Free()
	s.ledger.Close()
}

// class returns the class of a stage.
func (s *workspace) class(at Stage) *work.Class {
	return work.NewClass(s.cuts[at.Half], at.Class, s.pool)
}

// makeBuffers allocates the slices for reading, packing and unpacking.
func (s *workspace) makeBuffers(words int) error {
	s.child = make(chan []uint64, s.plan.ChildSlices())
	s.codecs = make(chan *codec, s.o.Threads)
	for range cap(s.child) {
		b, err := s.ledger.Plane(words)
		if err != nil {
			return err
		}
		s.child <- b
	}
	for range cap(s.codecs) {
		b, err := s.ledger.Plane(words)
		if err != nil {
			return err
		}
		h := &codec{slice: b}
		if s.o.Packed { // what the plan assumes
			h.packed = make([]byte, 0, plan.PackedBytes(int64(words)*8))
		}
		s.codecs <- h
	}
	return nil
}

// makeSlices allocates slices for the given number of blocks, or for fewer, but at least least,
// where the limit does not allow more.
func (s *workspace) makeSlices(blocks, least int) error {
	words := bitslice.Words(s.cuts[0].IndexBits[0])
	overhead := s.plan.BlockOverhead()
	for s.slices < blocks {
		if s.slices >= least && !s.ledger.Room(int64(words)*8+overhead) {
			break
		}
		if err := s.ledger.Reserve(overhead); err != nil {
			return err
		}
		b, err := s.ledger.Plane(words)
		if err != nil {
			return err
		}
		s.free <- b
		s.slices++
	}
	return nil
}
