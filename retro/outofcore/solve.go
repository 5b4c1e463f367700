// Package outofcore solves spaces whose classes are larger than memory: only the
// two classes in work are kept, in work files; the class in work is solved in
// groups of blocks that fit in memory, past which the class above streams once for
// each group. What comes of it are the counts and the value of the first state.
package outofcore

import (
	"context"
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Result is what a solve tells.
type Result struct {
	// Classes are the counts of each class, the fullest first.
	Classes []ClassCounts
	// Won says whether the player to move wins the state that play begins with.
	Won bool
	// Resumed is the number of classes that an interrupted solve had finished.
	Resumed int
	// Read and Written are the bytes of slices that went through work files.
	Read, Written int64
	// Memory is the most memory reserved, in bytes.
	Memory int64
}

// ClassCounts are the counts of one class.
type ClassCounts struct {
	Class, IndexBits, Blocks int
	Counts                   tablebase.Counts
}

// readAhead is how many slices of the class above are read before they are asked
// for.
const readAhead = 16

// solver is a solve in work.
type solver struct {
	o        retro.Options
	cut      *partition.Cut
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	files    *Files
	locks    work.Stripes
	passes   int    // over classes above
	before   uint64 // states of the classes finished before
	// slices are memory for the blocks of a group; free has those that are not in
	// use, nor waiting to be written.
	slices        [][]uint64
	free          chan []uint64
	child         chan []uint64 // memory for slices of the class above
	read, written atomic.Int64
}

// standard fills in what the options leave open, and leaves the steps out: there
// are none here.
func standard(o retro.Options) retro.Options {
	o.Steps = false
	return o.WithDefaults()
}

// Solve solves the space of the files, from where an interrupted solve has left
// off. The work files stay until they are removed, so that the result can be saved
// before. The error wraps ErrDamaged where the class above cannot be read back.
func (f *Files) Solve(ctx context.Context, o retro.Options) (*Result, error) {
	o = standard(o)
	resumed := len(f.state.Classes)
	s := &solver{o: o, files: f, locks: make(work.Stripes, o.Stripes)}
	if resumed <= f.space.MaskBits {
		if err := s.solve(ctx); err != nil {
			return nil, err
		}
	}
	var counts []tablebase.Counts
	for _, c := range f.state.Classes {
		counts = append(counts, c.Counts)
	}
	if err := work.CheckWhole(f.space, counts); err != nil {
		return nil, err
	}
	r := &Result{
		Classes: f.state.Classes, Won: f.state.Won, Resumed: resumed,
		Read: s.read.Load(), Written: s.written.Load(),
	}
	if s.ledger != nil {
		r.Memory = s.ledger.Top()
	}
	return r, nil
}

// solve solves the classes that are left.
func (s *solver) solve(ctx context.Context) error {
	space := s.files.space
	s.ledger = work.NewLedger(s.o.Memory, bitslice.Words(space.IndexBits[0]))
	defer s.ledger.Close()
	if err := s.ledger.Reserve(partition.CutBytes(space) + retro.FixedBytes(space, s.o)); err != nil {
		return err
	}
	var err error
	if s.cut, err = partition.NewCut(space, s.o.Threads); err != nil {
		return err
	}
	defer s.cut.Free()
	s.pool = work.NewPool(ctx, s.o.Threads, s.o.TasksPerThread)
	s.progress = work.NewProgress(s.o.Progress, s.cut.Stored())
	for _, c := range s.files.state.Classes {
		s.before += s.cut.Class(c.Class).States()
	}
	for class := space.MaskBits - len(s.files.state.Classes); class >= 0; class-- {
		if err := s.solveClass(work.NewClass(s.cut, class, s.pool)); err != nil {
			return err
		}
	}
	return nil
}

// solveClass solves a class group by group and seals it.
func (s *solver) solveClass(c *work.Class) error {
	class, blocks := c.Class.Class, len(c.Masks)
	s.progress.Begin(class, s.before)
	c.ResetTallies(0)
	if err := s.makeSlices(c); err != nil {
		return err
	}
	out, err := s.files.begin(class, blocks, len(s.slices))
	if err != nil {
		return err
	}
	for first := 0; first < blocks; first += len(s.slices) {
		// Every other pass goes backwards: what the last one read is still cached.
		g := &group{s: s, class: c, first: first, slices: make([][]uint64, min(len(s.slices), blocks-first))}
		if err := g.solve(out, s.passes%2 == 0); err != nil {
			out.abandon()
			return err
		}
		s.passes++
	}
	counts, err := c.Counts(false)
	if err != nil {
		out.abandon()
		return err
	}
	s.written.Add(int64(blocks) * s.files.sliceBytes)
	if err := out.finish(ClassCounts{class, c.IndexBits, blocks, counts}); err != nil {
		return err
	}
	s.before += c.States()
	s.progress.Sealed(class)
	return nil
}

// makeSlices reserves memory for as many blocks of a class as the limit allows.
func (s *solver) makeSlices(c *work.Class) error {
	words := c.Words()
	if s.child == nil {
		s.child = make(chan []uint64, s.o.Threads+readAhead)
		for range cap(s.child) {
			b, err := s.ledger.Plane(words)
			if err != nil {
				return err
			}
			s.child <- b
		}
	}
	overhead := blockOverhead(s.cut.Space)
	for len(s.slices) < len(c.Masks) {
		if len(s.slices) >= s.o.Threads && !s.ledger.Room(int64(words)*8+overhead) {
			break
		}
		if err := s.ledger.Reserve(overhead); err != nil {
			return err
		}
		b, err := s.ledger.Plane(words)
		if err != nil {
			return err
		}
		s.slices = append(s.slices, b)
	}
	s.free = make(chan []uint64, len(s.slices))
	for _, b := range s.slices {
		s.free <- b
	}
	return nil
}
