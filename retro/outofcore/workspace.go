package outofcore

import (
	"context"
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro/internal/work"
)

// workspace holds what solving groups needs: threads, and memory for slices.
type workspace struct {
	o        Options
	plan     *plan.OutOfCore
	space    *partition.Space
	cuts     []*partition.Cut // one for each half
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	// from has the slices of a finished subclass, by its number.
	from  func(number int) source
	locks work.Stripes
	valid uint64 // the bits of a word that stand for states
	// slices is how many there are for the blocks of a group; free has those that are
	// not in use, nor waiting to be written.
	slices int
	free   chan []uint64
	child  chan []uint64 // memory for slices of the class above
	codecs chan *codec
	read   atomic.Int64 // bytes of slices, as they were stored
	waited atomic.Int64 // nanoseconds in which threads waited for such
}

// codec is the memory with which a thread packs and unpacks slices.
type codec struct {
	packer
	slice []uint64
}

// equip books the memory that does not grow with a group, where extra bytes of it are
// somebody else's, cuts the space and makes the threads, which end with the context. The
// workspace must be closed then.
func (s *workspace) equip(ctx context.Context, c *cutting, o Options, extra int64) error {
	half := c.spaces[0]
	words := bitslice.Words(half.IndexBits[0])
	s.o, s.space, s.valid, s.plan = o, c.space, bitslice.Valid(half.IndexBits[0]), o.Plan(c.space)
	s.locks, s.free = make(work.Stripes, o.Stripes), make(chan []uint64, s.plan.MostBlocks())
	s.ledger = work.NewLedger(o.Memory, words)
	err := s.ledger.Reserve(s.plan.Fixed() + extra)
	if err == nil {
		err = s.makeBuffers(words)
	}
	if err == nil {
		s.cuts, err = c.cuts(o.Threads)
	}
	if err != nil {
		s.ledger.Close()
		return err
	}
	s.pool = work.NewPool(ctx, o.Threads, o.TasksPerThread)
	return nil
}

// close gives the memory back.
func (s *workspace) close() {
	s.cuts[0].Free()
	s.ledger.Close()
}

// class returns the class of a subclass, as the subclass has it.
func (s *workspace) class(at Subclass) *work.Class {
	return work.NewClass(s.cuts[at.Half], at.Class, s.pool)
}

// makeBuffers reserves memory for the slices that are read, and for packing and
// unpacking them.
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

// makeSlices reserves memory for the slices of so many blocks: for fewer where the limit
// allows no more, but for least.
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
