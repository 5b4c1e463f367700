// Package outofcore solves spaces whose classes are larger than memory: only the
// two classes in work are kept, in work files, packed where there is not room for
// them as they are; the class in work is solved in groups of blocks that fit in
// memory, past which the class above streams once for each group. What comes of it
// are the counts and the values of the first moves, and the table of the emptiest
// classes where it is asked for.
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

// Options say how a space is solved.
type Options struct {
	retro.Options
	// Packed has what is written packed: the work files take less room and more time.
	Packed bool
	// Opening takes the emptiest classes, nil for none.
	Opening *Opening
}

// Result is what a solve tells.
type Result struct {
	// Classes are the counts of each class, the fullest first.
	Classes []ClassCounts
	// Half counts the states with these cells marked, by class; nil where the space
	// is not cut in halves.
	Half  []ClassCounts
	Cells uint64
	// Start is the state that play begins with, and First are those that the first
	// moves lead to.
	Start FirstValue
	First []FirstValue
	// Resumed is the number of classes that an interrupted solve had finished.
	Resumed int
	// Read and Written are the bytes that went through work files.
	Read, Written int64
	// Memory is the most memory reserved, in bytes.
	Memory int64
}

// ClassCounts are the counts of one class, or of a half of one.
type ClassCounts struct {
	Class, IndexBits, Blocks int
	Counts                   tablebase.Counts
}

// readAhead is how many slices of the class above are read before they are asked
// for.
const readAhead = 16

// solver is a solve in work.
type solver struct {
	o        Options
	cuts     []*partition.Cut // one for each half
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	files    *Files
	locks    work.Stripes
	valid    uint64 // the bits of a word that stand for states
	passes   int    // over classes above
	before   uint64 // states of the stages finished before
	// slices are memory for the blocks of a group; free has those that are not in
	// use, nor waiting to be written.
	slices        [][]uint64
	free          chan []uint64
	child         chan []uint64 // memory for slices of the class above
	hands         chan *hand
	read, written atomic.Int64
}

// hand is what a thread unpacks and packs slices with.
type hand struct {
	packer
	slice []uint64
}

// standard fills in what the options leave open, and leaves the steps out: there
// are none here.
func standard(o Options) Options {
	o.Steps = false
	o.Options = o.WithDefaults()
	return o
}

// Solve solves the space of the files, from where an interrupted solve has left
// off. The work files stay until they are removed, so that the result can be saved
// before. The error wraps ErrDamaged where what is kept cannot be read back.
func (f *Files) Solve(ctx context.Context, o Options) (*Result, error) {
	o = standard(o)
	resumed := len(f.state.Stages)
	s := &solver{o: o, files: f, locks: make(work.Stripes, o.Stripes), valid: bitslice.Valid(f.spaces[0].IndexBits[0])}
	if resumed < f.stages() || o.Opening.lacks(0) {
		if err := s.solve(ctx); err != nil {
			return nil, err
		}
	}
	r := &Result{Resumed: resumed / len(f.spaces), Read: s.read.Load(), Written: s.written.Load()}
	var counts []tablebase.Counts
	for i := 0; i < f.stages(); i += len(f.spaces) {
		of := f.state.Stages[i : i+len(f.spaces)]
		r.Classes = append(r.Classes, f.whole(of))
		if f.halved() {
			r.Half, r.Cells = append(r.Half, of[0]), f.halves.Cells
		}
		counts = append(counts, r.Classes[len(r.Classes)-1].Counts)
	}
	if err := work.CheckWhole(f.space, counts); err != nil {
		return nil, err
	}
	start := f.space.Position(partition.State{})
	for _, v := range f.state.First {
		if v.Position == start {
			r.Start = v
		} else {
			r.First = append(r.First, v)
		}
	}
	if s.ledger != nil {
		r.Memory = s.ledger.Top()
	}
	return r, nil
}

// solve solves the stages that are left.
func (s *solver) solve(ctx context.Context) error {
	f := s.files
	space := f.spaces[0]
	s.ledger = work.NewLedger(s.o.Memory, bitslice.Words(space.IndexBits[0]))
	defer s.ledger.Close()
	if err := s.ledger.Reserve(fixedBytes(f.space, space, s.o)); err != nil {
		return err
	}
	if err := s.makeBuffers(bitslice.Words(space.IndexBits[0])); err != nil {
		return err
	}
	var err error
	if s.cuts, err = f.cuts(s.o.Threads); err != nil {
		return err
	}
	defer s.cuts[0].Free()
	s.pool = work.NewPool(ctx, s.o.Threads, s.o.TasksPerThread)
	s.progress = work.NewProgress(s.o.Progress, s.cuts[0].Stored()*uint64(len(s.cuts)))
	done := len(f.state.Stages)
	for number := range done {
		s.before += s.class(f.stage(number)).States()
	}
	if done >= len(f.spaces) {
		if err := s.sealOpening(f.stage(done - done%len(f.spaces) - 1)); err != nil {
			return err
		}
	}
	for number := done; number < f.stages(); number++ {
		at := f.stage(number)
		if err := s.solveStage(at); err != nil {
			return err
		}
		if f.last(at) {
			if err := s.sealOpening(at); err != nil {
				return err
			}
			s.progress.Sealed(at.class)
		}
	}
	return nil
}

// class returns the class of a stage, as the stage has it.
func (s *solver) class(at stage) *work.Class {
	return work.NewClass(s.cuts[at.half], at.class, s.pool)
}

// solveStage solves a stage group by group and seals it.
func (s *solver) solveStage(at stage) error {
	c := s.class(at)
	blocks := len(c.Masks)
	s.progress.Begin(at.class, s.before)
	c.ResetTallies(0)
	if err := s.makeSlices(c); err != nil {
		return err
	}
	out, err := s.files.begin(at, c.Class, s.o.Packed, len(s.slices))
	if err != nil {
		return err
	}
	for first := 0; first < blocks; first += len(s.slices) {
		// Every other pass goes backwards: what the last one read is still cached.
		g := &group{s: s, stage: at, class: c, first: first, slices: make([][]uint64, min(len(s.slices), blocks-first))}
		if err := g.solve(out, s.passes%2 == 0); err != nil {
			out.abandon()
			return err
		}
		s.passes++
	}
	counts, err := c.Counts(tablebase.Shape{})
	if err != nil {
		out.abandon()
		return err
	}
	written, err := out.finish(ClassCounts{at.class, c.IndexBits, blocks, counts})
	if err != nil {
		return err
	}
	s.written.Add(written)
	s.before += c.States()
	return nil
}

// makeBuffers reserves memory for the slices that are read, and for packing and
// unpacking them.
func (s *solver) makeBuffers(words int) error {
	s.child = make(chan []uint64, childSlices(s.o))
	s.hands = make(chan *hand, s.o.Threads)
	for range cap(s.child) {
		b, err := s.ledger.Plane(words)
		if err != nil {
			return err
		}
		s.child <- b
	}
	for range cap(s.hands) {
		b, err := s.ledger.Plane(words)
		if err != nil {
			return err
		}
		h := &hand{slice: b}
		if s.o.Packed { // what fixedBytes reckons with
			h.packed = make([]byte, 0, packedBytes(int64(words)*8))
		}
		s.hands <- h
	}
	return nil
}

// makeSlices reserves memory for as many blocks of a class as the limit allows.
func (s *solver) makeSlices(c *work.Class) error {
	words := c.Words()
	overhead := blockOverhead(s.files.space)
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
