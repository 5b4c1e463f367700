// Package retro is the engine: it solves a cut class by class, from the fullest
// to the emptiest, and hands each solved class to a table. It knows no game: what
// it sees are blocks of bit slices and the links between them.
package retro

import (
	"context"
	"runtime"
	"time"

	"backsolve/partition"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Options say how a table is solved, never what comes out: its bytes are the
// same for all of them but Steps.
type Options struct {
	// Steps asks for the plies to the end of every state.
	Steps bool
	// Threads is the number of threads, 0 for all cores.
	Threads int
	// TasksPerThread is the number of block tasks a pass is cut into for each
	// thread, 0 for 10.
	TasksPerThread int
	// Stripes is the number of locks that blocks share, 0 for 1000.
	Stripes int
	// Memory is a limit in bytes that the solve keeps, 0 for none.
	Memory int64
	// Progress, if set, is told what goes on, by one thread at a time.
	Progress func(Event)

	// DownTo is the last class to solve. Unless it is 0, the table is not
	// finished: another solve goes on after that class.
	DownTo int
	// uncounted says that nobody asks for the counts of a class.
	uncounted bool

	propagation propagation
	// partBits is the binary logarithm of the words of a part of a long slice, for
	// tests that want parts in short ones; 0 for the standard.
	partBits int
}

// propagation is how labels travel; tests ask for each way alone.
type propagation uint8

const (
	byCost propagation = iota
	alwaysPull
	alwaysPush
)

// Event is a moment of a solve.
type Event = work.Event

// MemoryError says that a solve does not fit its memory limit.
type MemoryError = work.MemoryError

// Result is what a solve has to tell beside the table.
type Result struct {
	tablebase.Summary
	// Resumed is the number of classes that an interrupted solve had sealed.
	Resumed int
	// Decided is the number of stored states that this solve decided itself.
	Decided uint64
	// Classes are the times of the classes that it solved.
	Classes []ClassTime
}

// ClassTime is how long a class was in work. Writing it goes on beside the next.
type ClassTime struct {
	Class   int     `json:"class"`
	Seconds float64 `json:"seconds"`
}

// engine is a solve in work.
type engine struct {
	o        Options
	cut      *partition.Cut
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	above    *level // the class solved before, nil for the fullest
	before   uint64 // states of the classes solved before
	times    []ClassTime
}

// Solve solves a space and finishes the table behind w, which may hold classes
// that an earlier, interrupted solve has sealed. When ctx ends, it returns its
// cause; what is sealed stays for another Solve. A *MemoryError says that the
// limit is too small.
func Solve(ctx context.Context, space partition.Space, w *tablebase.Writer, o Options) (*Result, error) {
	o = o.WithDefaults()
	e := &engine{o: o, ledger: work.NewLedger(o.Memory, longestPlane(space))}
	defer e.ledger.Close()
	if err := e.ledger.Reserve(partition.CutBytes(space) + FixedBytes(space, o)); err != nil {
		return nil, err
	}
	var err error
	if e.cut, err = partition.NewCut(space, o.Threads); err != nil {
		return nil, err
	}
	defer e.cut.Free()
	e.pool = work.NewPool(ctx, o.Threads, o.TasksPerThread)
	e.progress = work.NewProgress(o.Progress, e.cut.Stored())
	r := &Result{Resumed: len(w.Sealed())}
	if err := e.resume(w); err != nil {
		return nil, err
	}
	r.Decided = e.cut.Stored() - e.before
	if err := e.solveClasses(w); err != nil {
		return nil, err
	}
	r.Classes = e.times
	if o.DownTo > 0 {
		return r, nil
	}
	var counts []tablebase.Counts
	for _, s := range w.Sealed() {
		counts = append(counts, s.Counts)
	}
	if err := work.CheckWhole(space, counts); err != nil {
		return nil, err
	}
	r.Summary, err = w.Finish()
	return r, err
}

// WithDefaults returns the options with what they leave open filled in.
func (o Options) WithDefaults() Options {
	set := func(v *int, otherwise int) {
		if *v <= 0 {
			*v = otherwise
		}
	}
	set(&o.Threads, runtime.GOMAXPROCS(0))
	set(&o.TasksPerThread, 10)
	set(&o.Stripes, 1000)
	set(&o.partBits, work.StandardPartBits)
	return o
}

// solveClasses solves what is left. While a class is written, the next one is
// already being solved.
func (e *engine) solveClasses(w *tablebase.Writer) error {
	sealed := make(chan error, 1)
	sealed <- nil
	for class := e.cut.MaskBits - len(w.Sealed()); class >= e.o.DownTo; class-- {
		began := time.Now()
		l, counts, err := e.solveClass(class)
		if err != nil {
			// What is being written is of a class that is whole.
			if werr := <-sealed; werr != nil {
				return werr
			}
			return err
		}
		e.times = append(e.times, ClassTime{class, time.Since(began).Seconds()})
		if err := <-sealed; err != nil {
			return err
		}
		if e.above != nil {
			e.above.free()
		}
		e.above = l
		go func() {
			c := tablebase.Class{Class: class, IndexBits: l.class.IndexBits, Masks: l.class.Masks}
			err := w.Seal(c, l.planes(e.cut.Draws), counts)
			if err == nil {
				e.progress.Sealed(class)
			}
			sealed <- err
		}()
		e.before += e.cut.Class(class).States()
	}
	err := <-sealed
	if e.above != nil {
		e.above.free()
	}
	return err
}

// job is a class to be solved: what is given, and the level that is filled in.
type job struct {
	class    *work.Class
	above    *level // the class solved before, nil for the fullest
	level    *level
	ledger   *work.Ledger
	progress *work.Progress
	o        Options
}

// solveClass solves a class and counts it.
func (e *engine) solveClass(class int) (*level, tablebase.Counts, error) {
	e.progress.Begin(class, e.before)
	c := work.NewClass(e.cut, class, e.pool)
	l, err := newLevel(c.Class, e.ledger, !e.cut.FixedSlice)
	if err != nil {
		return nil, tablebase.Counts{}, err
	}
	j := job{class: c, above: e.above, level: l, ledger: e.ledger, progress: e.progress, o: e.o}
	if e.cut.FixedSlice {
		err = j.solveAcyclic()
	} else {
		err = j.solveCyclic()
	}
	if err != nil {
		return nil, tablebase.Counts{}, err
	}
	if e.o.Steps {
		l.trim(c.Sum().MostDigits())
	}
	counts, err := c.Counts(e.o.Steps)
	return l, counts, err
}
