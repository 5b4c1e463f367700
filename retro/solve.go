// Package retro is the engine: it solves a cut class by class, from the fullest
// to the emptiest, and writes each solved class to a table. It knows no game: what
// it sees are blocks of bit slices and the links between them.
package retro

import (
	"context"
	"fmt"
	"time"

	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
)

// Result is what a solve has to tell beside the table.
type Result struct {
	tablebase.Summary
	// Resumed is the number of classes that an interrupted solve had sealed.
	Resumed int
	// Decided is the number of stored states that this solve decided itself.
	Decided uint64
	// Classes are what it has to tell of the classes that it solved.
	Classes []ClassResult
	// LogsWritten and LogsRead are the bytes that went through logs of classes.
	LogsWritten, LogsRead int64
	// Disk is the most that the table and logs took on the disk at once, in bytes.
	Disk int64
}

// ClassResult is what a solve tells of a class.
type ClassResult struct {
	Class int `json:"class"`
	// Seconds is how long it was in work. Writing it goes on beside the next.
	Seconds float64 `json:"seconds"`
	// Digits is the number of binary digits that its steps, or nimbers, take.
	Digits int `json:"digits"`
}

// engine is a solve in work.
type engine struct {
	tuning
	o        Options
	plan     *plan.Plan
	cut      *partition.Cut
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	table    *tablebase.Writer // nil where there is none
	previous *level            // the class solved before, nil for the fullest
	// uncounted says that states are not counted and that the two last classes are kept.
	uncounted bool
	sealing   sealing
	before    uint64 // states of the classes solved before
	result    Result
}

// Solve solves a space and finishes the table behind w, which may hold classes
// that an earlier, interrupted solve has sealed. When ctx ends, it returns its
// cause; what is sealed stays for another Solve. A *MemoryError says that the
// limit is too small.
func Solve(ctx context.Context, space *partition.Space, w *tablebase.Writer, o Options) (*Result, error) {
	return solveTuned(ctx, space, w, o, standard)
}

func solveTuned(ctx context.Context, space *partition.Space, w *tablebase.Writer, o Options, t tuning) (*Result, error) {
	o = o.WithDefaults()
	if o.Nimbers && (o.Steps || !space.HasNimbers()) {
		return nil, fmt.Errorf("%s %d×%d has no nimbers that a solve could find, or none beside steps", space.Game, space.Size, space.Size)
	}
	if o.Scheduler != nil && space.Kind != partition.FixedSlice {
		return nil, fmt.Errorf("the blocks of %s cannot be solved one by one, so no scheduler can share them out", space.Game)
	}
	e := newEngine(space, o, t)
	e.table = w
	defer e.ledger.Close()
	if err := e.ledger.Reserve(e.plan.Writing()); err != nil {
		return nil, err
	}
	if err := e.begin(ctx, space); err != nil {
		return nil, err
	}
	defer e.cut.Free()
	stored := storedDownTo(e.cut, o.DownTo)
	e.progress = work.NewProgress(o.Progress, stored)
	e.sealing.stop, e.sealing.stopping = ctx.Done(), e.progress.Stopping
	r := &e.result
	r.Resumed = len(w.Sealed())
	if err := e.resume(); err != nil {
		return nil, err
	}
	r.Decided = stored - e.before
	if err := e.solveClasses(); err != nil {
		return nil, err
	}
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
	var err error
	r.Summary, err = w.Finish()
	return r, err
}

// begin cuts the space and has the workers ready.
func (e *engine) begin(ctx context.Context, space *partition.Space) (err error) {
	if err = e.ledger.Reserve(e.plan.Fixed()); err != nil {
		return err
	}
	e.pool = work.NewPool(ctx, e.o.Threads, e.o.TasksPerThread)
	cut := partition.NewCut
	if e.o.Scheduler != nil {
		cut = partition.NewListedCut // where moves lead is for others to know
	}
	e.cut, err = cut(space, e.o.Threads)
	return err
}

// newEngine returns the engine of a solve with options that have their defaults.
func newEngine(space *partition.Space, o Options, t tuning) engine {
	p := o.Plan(space)
	return engine{tuning: t, o: o, plan: p, ledger: work.NewLedger(o.Memory, int(p.LongestPlane()))}
}

// solveClasses solves what is left. While a class is written, the next one is
// already being solved.
func (e *engine) solveClasses() error {
	for class := e.cut.MaskBits - len(e.table.Sealed()); class >= e.o.DownTo; class-- {
		began := time.Now()
		l, counts, err := e.solveCounted(class)
		// What is being written is of a class that is whole.
		if werr := e.sealing.wait(); werr != nil {
			return werr
		}
		if err != nil {
			return err
		}
		e.record(l, counts, time.Since(began))
		if e.previous != nil {
			e.previous.free()
		}
		e.previous = l
		e.sealing.begin(class, func() error {
			err := e.seal(l, counts)
			if err == nil {
				e.progress.Sealed(class)
			}
			return err
		})
		e.before += e.cut.Class(class).States()
	}
	err := e.sealing.wait()
	if e.previous != nil {
		e.previous.free()
	}
	return err
}

// seal seals a class.
func (e *engine) seal(l *level, counts tablebase.Counts) error {
	return e.table.Seal(l.table(), l.planes(), counts)
}

// record records the result of a solved class, and of the logs that are freed now.
func (e *engine) record(l *level, counts tablebase.Counts, took time.Duration) {
	r := &e.result
	c := ClassResult{Class: l.class.Class, Seconds: took.Seconds()}
	if len(counts.BySteps) > 0 {
		c.Digits = work.DigitsFor(len(counts.BySteps) - 1)
	}
	r.Classes = append(r.Classes, c)
	held := l.logBytes()
	r.LogsWritten += held
	if e.previous != nil {
		held += e.previous.logBytes()
		r.LogsRead += e.previous.won.BytesRead() + e.previous.lost.BytesRead()
	}
	r.Disk = max(r.Disk, e.table.Written()+held)
}

// storedDownTo returns the number of states stored for the classes from the fullest down
// to one.
func storedDownTo(cut *partition.Cut, class int) uint64 {
	stored := cut.Stored()
	for below := range class {
		stored -= cut.Class(below).States()
	}
	return stored
}

// sealing is the writing of a class beside the solving of the next one.
type sealing struct {
	class int
	done  chan error // nil: nothing is being written
	// stop is closed when the solve is to end; stopping is then called with the
	// class that it waits for.
	stop     <-chan struct{}
	stopping func(class int)
}

func (s *sealing) begin(class int, seal func() error) {
	done := make(chan error, 1)
	s.class, s.done = class, done
	go func() { done <- seal() }()
}

// wait returns when nothing is being written any more, and what came of it. The
// second time it returns nil. That the solve is to end is no reason to give up a class
// that took long to solve, but to say what is waited for: packing a large one takes
// minutes.
func (s *sealing) wait() (err error) {
	if s.done == nil {
		return nil
	}
	select {
	case err = <-s.done:
	case <-s.stop:
		s.stopping(s.class)
		err = <-s.done
	}
	s.done = nil
	return err
}

// job is a class in work.
type job struct {
	*engine
	class *work.Class
	above *level // the class solved before, nil for the fullest
	level *level // the class itself
}

// solveCounted solves a class and counts it.
func (e *engine) solveCounted(class int) (*level, tablebase.Counts, error) {
	l, c, err := e.solveClass(class)
	if err != nil {
		return nil, tablebase.Counts{}, err
	}
	counts, err := c.Counts(e.o.numbers())
	return l, counts, err
}

// solveClass solves a class below the one that was solved before.
func (e *engine) solveClass(class int) (*level, *work.Class, error) {
	e.progress.Begin(class, e.before)
	c := work.NewClass(e.cut, class, e.pool)
	l := newLevel(c.Class, e.ledger)
	j := job{engine: e, class: c, above: e.previous, level: l}
	solve := j.solveSlices
	if e.cut.Kind != partition.FixedSlice {
		solve = j.solveFixpoint
	}
	if err := solve(); err != nil {
		l.free()
		return nil, nil, err
	}
	return l, c, nil
}
