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

	"backsolve/partition"
	"backsolve/plan"
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

// solver is a solve in work.
type solver struct {
	workspace
	files   *Files
	passes  int    // over classes above
	before  uint64 // states of the subclasses finished before
	written atomic.Int64
}

// Plan returns what a solve of a space with these options takes.
func (o Options) Plan(space *partition.Space) *plan.OutOfCore {
	classes := 0
	if o.Opening != nil {
		classes = o.Opening.Classes
	}
	return plan.NewOutOfCore(space, o.Threads, o.Packed, classes)
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
	s := &solver{files: f}
	s.from = func(number int) source { return f.of(number) }
	if resumed < f.subclasses() || o.Opening.lacks(0) {
		if err := s.solve(ctx, o); err != nil {
			return nil, err
		}
	}
	r, err := f.result(f.state.Stages, f.state.First)
	if err != nil {
		return nil, err
	}
	r.Resumed, r.Read, r.Written = resumed/len(f.spaces), s.read.Load(), s.written.Load()
	if s.ledger != nil {
		r.Memory = s.ledger.Top()
	}
	return r, nil
}

// result puts together what the subclasses have come to, with the values of the positions that are
// noted, and checks that it is the whole.
func (c *cutting) result(sealed []ClassCounts, values []FirstValue) (*Result, error) {
	r := new(Result)
	var counts []tablebase.Counts
	for i := 0; i < c.subclasses(); i += len(c.spaces) {
		of := sealed[i : i+len(c.spaces)]
		r.Classes = append(r.Classes, c.whole(of))
		if c.halved() {
			r.Half, r.Cells = append(r.Half, of[0]), c.halves.Cells
		}
		counts = append(counts, r.Classes[len(r.Classes)-1].Counts)
	}
	if err := work.CheckWhole(c.space, counts); err != nil {
		return nil, err
	}
	start := c.space.Position(partition.State{})
	for _, v := range values {
		if v.Position == start {
			r.Start = v
		} else {
			r.First = append(r.First, v)
		}
	}
	return r, nil
}

// solve solves the subclasses that are left.
func (s *solver) solve(ctx context.Context, o Options) error {
	f := s.files
	if err := s.equip(ctx, &f.cutting, o, 0); err != nil {
		return err
	}
	defer s.close()
	s.progress = work.NewProgress(s.o.Progress, s.cuts[0].Stored()*uint64(len(s.cuts)))
	done := len(f.state.Stages)
	for number := range done {
		s.before += s.class(f.subclass(number)).States()
	}
	if done >= len(f.spaces) {
		if err := s.sealOpening(f.subclass(done - done%len(f.spaces) - 1)); err != nil {
			return err
		}
	}
	for number := done; number < f.subclasses(); number++ {
		at := f.subclass(number)
		if err := s.solveSubclass(at); err != nil {
			return err
		}
		if at.Last {
			if err := s.sealOpening(at); err != nil {
				return err
			}
			s.progress.Sealed(at.Class)
		}
	}
	return nil
}

// solveStage solves a subclass group by group and seals it.
func (s *solver) solveSubclass(at Subclass) error {
	c := s.class(at)
	blocks := len(c.Masks)
	s.progress.Begin(at.Class, s.before)
	c.ResetCounts(0)
	if err := s.makeSlices(blocks, s.o.Threads); err != nil {
		return err
	}
	out, err := s.files.begin(at, c.Class, s.o.Packed, s.slices)
	if err != nil {
		return err
	}
	for first := 0; first < blocks; first += s.slices {
		// Every other pass goes backwards: what the last one read is still cached.
		g := newGroup(&s.workspace, at, c, first, min(s.slices, blocks-first))
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
	written, err := out.finish(ClassCounts{at.Class, c.IndexBits, blocks, counts})
	if err != nil {
		return err
	}
	s.written.Add(written)
	s.before += c.States()
	return nil
}
