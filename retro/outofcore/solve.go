// Package outofcore solves spaces of fixed slices whose classes are larger than memory. It
// keeps the class in work and the one above in work files, packed on request. The class in work
// is solved in shards of blocks that fit in memory; for each shard the class above is
// streamed once. The result is the counts, the values of the first moves and, on request, a
// table of the emptiest classes.
package outofcore

import (
	"context"
	"fmt"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Options control how a space is solved.
type Options struct {
	retro.Options
	// Packed packs the work files, which saves space and costs time.
	Packed bool
	// Opening is the table of the emptiest classes, or nil.
	Opening *Opening
}

// Result describes a finished solve.
type Result struct {
	// Classes are the counts of each class, the fullest first.
	Classes []ClassCounts
	// Half are the counts of the states with Cells marked, by class; nil where nothing is halved.
	Half  []ClassCounts
	Cells uint64
	// Start is the value of the start position, First those of its children.
	Start FirstValue
	First []FirstValue
	// Resumed is the number of classes that an interrupted solve had finished before.
	Resumed int
	// Read and Written are the bytes read from and written to work files.
	Read, Written int64
	// Memory is the peak of the reserved memory in bytes.
	Memory int64
}

// ClassCounts are the counts of one class, or of a half of one.
type ClassCounts struct {
	Class, IndexBits, Blocks int
	Counts                   tablebase.Counts
}

type solver struct {
	*BlockWorker
	files   *Files
	written int64
}

// Plan returns what a solve of a space with these options takes.
func (o Options) Plan(space *partition.Space) *plan.OutOfCore {
	classes := 0
	if o.Opening != nil {
		classes = o.Opening.Classes
	}
	return plan.NewOutOfCore(space, o.Threads, o.Packed, classes)
}

// standard returns the options with defaults, without steps, which are not supported.
func standard(o Options) Options {
	o.Steps = false
	o.Options = o.WithDefaults()
	return o
}

// Solve solves the space of the files and resumes an interrupted solve. The work files stay
// until Remove, so that the result can be saved first. The error wraps ErrDamaged where
// work files cannot be read back.
func (f *Files) Solve(ctx context.Context, o Options) (*Result, error) {
	s := &solver{files: f}
	var err error
	if s.BlockWorker, err = NewBlockWorker(ctx, f.space, o, s.readFile, 0); err != nil {
		return nil, err
	}
	defer s.Close()
	d := newDriver(f.cutting, s.o, Scheduler{Solve: s.solve, Slices: s.storedSlices}, s.cuts)
	s.progress = d.progress
	r, err := d.solve(ctx)
	if err != nil {
		return nil, err
	}
	r.Read, r.Written, r.Memory = s.read.Load(), s.written, s.ledger.Top()
	return r, nil
}

func (c *cutting) result(sealed []ClassCounts, values []FirstValue, resumed int) (*Result, error) {
	r := &Result{Resumed: resumed}
	var counts []tablebase.Counts
	for i := 0; i < c.stages(); i += len(c.spaces) {
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

func (s *solver) solve(_ context.Context, b *Blocks) (*Sum, error) {
	at, f := b.Stage, s.files
	if at.Number < len(f.state.Stages) {
		return f.sum(b), nil
	}
	b.Begin()
	blocks, counts := b.Len(), new(retro.StateCounts)
	if err := s.makeSlices(blocks, s.o.Threads); err != nil {
		return nil, err
	}
	out, err := f.begin(at, blocks, s.o.Packed, s.slices, s.pool)
	if err != nil {
		return nil, err
	}
	for first := 0; first < blocks; first += s.slices {
		of, err := s.Solve(at, first, min(s.slices, blocks-first), out.write)
		if err != nil {
			out.abandon()
			return nil, err
		}
		counts.Add(of)
	}
	file, err := out.finish()
	if err != nil {
		return nil, err
	}
	sum, err := b.Sum(counts, file.stored)
	if err != nil {
		file.file.Close()
		return nil, err
	}
	s.written += file.table.size(f.sliceBytes)
	whole := counts.TableCounts(b.class.Class, false, false) // b.Sum has checked them
	return sum, f.take(ClassCounts{at.Class, b.class.IndexBits, blocks, whole}, sum.First, file)
}

func (f *Files) sum(b *Blocks) *Sum {
	sum := new(Sum)
	for _, n := range f.state.Stages[b.Number].Counts.ByWeight {
		c := &sum.Counts
		c.Wins, c.TerminalWins, c.TerminalLosses = append(c.Wins, n.Wins), append(c.TerminalWins, n.TerminalWins), append(c.TerminalLosses, n.TerminalLosses)
	}
	for _, v := range f.state.First {
		if slices.ContainsFunc(b.noted, func(of first) bool { return of.Position == v.Position }) {
			sum.First = append(sum.First, v)
		}
	}
	return sum
}

func (s *solver) storedSlices(_ context.Context, at Stage) func(block int) ([]byte, error) {
	return func(block int) ([]byte, error) {
		from := s.files.finished(at.Number)
		if from == nil {
			return nil, fmt.Errorf("%w: the slices of class %d are gone", ErrGone, at.Class)
		}
		if err := s.pool.Cause(); err != nil {
			return nil, err
		}
		buf := <-s.child
		defer func() { s.child <- buf }() // no shard is in work that would use it
		b := bitslice.Bytes(buf)[:from.length(block)]
		s.read.Add(int64(len(b)))
		return b, from.fill(block, b)
	}
}

func (s *solver) readFile(_ context.Context, at Stage, blocks []int, deliver DeliverSlice) error {
	from := s.files.finished(at.Number)
	for _, block := range blocks {
		if err := deliver(block, from.length(block), func(to []byte) error { return from.fill(block, to) }); err != nil {
			return err
		}
	}
	return nil
}
