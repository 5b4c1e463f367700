// Package retro is the engine. It solves a cut class by class, from the fullest to the
// emptiest, and writes each solved class to a table. It knows no game, only blocks of bit
// slices and the links between them.
package retro

import (
	"context"
	"fmt"
	"sync"
	"time"

	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/internal/work"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Result describes a finished solve.
type Result struct {
	tablebase.Summary
	// Resumed is the number of classes that an interrupted solve had sealed before.
	Resumed int
	// Decided is the number of stored states that this solve decided.
	Decided uint64
	// Classes describes the classes that this solve solved.
	Classes []ClassResult
	// WorkWritten and WorkRead are the bytes written to and read from work files, of shards and logs.
	WorkWritten, WorkRead int64
	// Disk is the peak of the disk space of table and work files in bytes.
	Disk int64
}

// ClassResult describes a solved class.
type ClassResult struct {
	Class int `json:"class"`
	// Seconds is the time to solve it, without writing it, which overlaps with the next.
	Seconds float64 `json:"seconds"`
	// Digits is the number of binary digits of its steps or nimbers.
	Digits int `json:"digits"`
	// Shards is the number of shards that it was solved in, 0 where it fits in memory, and
	// Turns how often one of them was in memory.
	Shards int `json:"shards,omitempty"`
	Turns  int `json:"turns,omitempty"`
}

type engine struct {
	tuning
	o        Options
	plan     *plan.Plan
	cut      *partition.Cut
	pool     *work.Pool
	ledger   *work.Ledger
	progress *work.Progress
	table    *writer.Writer // nil where there is none
	// previous is the class solved before, nil for the fullest. The engine owns its planes, files and
	// logs: the job of the next class reads them, and so does sealing, until freePrevious. Where classes
	// are solved elsewhere it has none.
	previous *level
	// uncounted says that states are not counted and that the two last classes are kept.
	uncounted bool
	// elsewhere says that several processes solve the classes, and sections are those of these.
	elsewhere bool
	// sealed waits until the class before is written, and returns the error of that.
	sealed func() error
	before uint64 // states of the classes solved before
	result Result
}

// Solve solves a space and finishes the table of w, resuming after the classes that are
// sealed there. When ctx ends, it returns its cause, and sealed classes stay for another
// Solve. A *MemoryError says that the limit is too small.
func Solve(ctx context.Context, space *partition.Space, w *writer.Writer, o Options) (*Result, error) {
	return solveTuned(ctx, space, w, o, standard)
}

func solveTuned(ctx context.Context, space *partition.Space, w *writer.Writer, o Options, t tuning) (*Result, error) {
	o = o.WithDefaults()
	if o.Nimbers && (o.Steps || !space.HasNimbers()) {
		return nil, fmt.Errorf("%s has no nimbers, or steps were requested, too", space.Board())
	}
	e := newEngine(space, o, t)
	e.elsewhere, e.table = o.Scheduler != nil, w
	defer e.ledger.Close()
	if err := e.ledger.Reserve(e.plan.Writing()); err != nil {
		return nil, err
	}
	if err := e.begin(ctx, space); err != nil {
		return nil, err
	}
	defer e.cut.Free()
	r := &e.result
	r.Resumed = len(w.Sealed())
	if err := e.resume(); err != nil {
		return nil, err
	}
	r.Decided = e.plan.States - e.before
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
	err := work.CheckWhole(space, counts)
	if err != nil {
		return nil, err
	}
	r.Summary, err = w.Finish()
	return r, err
}

func (e *engine) begin(ctx context.Context, space *partition.Space) (err error) {
	if err = e.ledger.Reserve(e.plan.Fixed()); err != nil {
		return err
	}
	e.pool = work.NewPool(ctx, e.o.Threads, e.o.TasksPerThread)
	e.pool.Trace = e.o.Trace
	e.progress = work.NewProgress(e.o.Progress, e.plan.States)
	e.cut, err = partition.NewCut(space)
	return err
}

func newEngine(space *partition.Space, o Options, t tuning) engine {
	p := o.Plan(space)
	return engine{
		tuning: t, o: o, plan: p, ledger: work.NewLedger(o.Memory, int(p.LongestPlane)), sealed: func() error { return nil },
	}
}

// tasks returns how many tasks a pass should have at least: ten a thread, or a quarter of the
// most. For more, parts and sections would be too short.
func (e *engine) tasks() int {
	return e.o.Threads * max(min(e.o.TasksPerThread, 10), e.o.TasksPerThread/4)
}

// unitsOf returns the units of a class, enough for these tasks where slices are long.
func (e *engine) unitsOf(c *partition.Class) work.Units {
	return work.UnitsOf(c, e.partBits, e.tasks())
}

// solveClasses solves the classes that are not sealed, and writes each while it solves the next.
func (e *engine) solveClasses() error {
	var listing sync.WaitGroup
	defer listing.Wait()
	for class := e.cut.MaskBits - len(e.table.Sealed()); class >= e.o.DownTo; class-- {
		if e.o.Threads > 1 { // one class cannot be listed by several
			e.cut.ListAhead(&listing, class-1, max(class-e.o.Threads, e.o.DownTo))
		}
		began := time.Now()
		var counts tablebase.Counts
		l, c, err := e.solveClass(class)
		if err == nil {
			counts, err = c.Counts(c.Sum(), e.shape())
		}
		// The class being written is whole, so it is sealed even after an error.
		if werr := e.sealed(); werr != nil {
			return werr
		}
		if err != nil {
			return err
		}
		e.record(l, counts, time.Since(began))
		e.freePrevious()
		e.previous = l
		planes := l.planes() // the next class may read outcomes of a file into memory
		e.seal(class, func() (err error) {
			if l.sums != nil {
				err = e.table.SealWritten(l.table(), counts, l.sums)
			} else {
				err = e.table.Seal(l.table(), planes, counts)
			}
			if err == nil {
				e.progress.Sealed(class)
			}
			return err
		})
		e.before += e.cut.Class(class).States()
	}
	err := e.sealed()
	e.freePrevious()
	return err
}

func (e *engine) freePrevious() {
	if e.previous != nil {
		e.count(e.previous.file, e.previous.won, e.previous.lost)
		e.previous.free()
	}
}

func (e *engine) record(l *level, counts tablebase.Counts, took time.Duration) {
	r := &e.result
	r.Classes = append(r.Classes, ClassResult{
		Class: l.class.Class, Seconds: took.Seconds(), Digits: work.DigitsFor(max(len(counts.BySteps)-1, 0)), Shards: l.shards, Turns: l.turns,
	})
	held := l.bytes()
	if l.shards > 0 {
		held += l.file.bytes() / outcomePlanes * leftPlanes
	}
	if e.previous != nil {
		held += e.previous.bytes()
	}
	r.Disk = max(r.Disk, e.table.Written()+held)
}

// seal writes a class while the next one is solved, to its end even if the solve is to end: the class
// took long to solve. Packing a large class takes minutes, so sealed then reports what it waits for.
func (e *engine) seal(class int, write func() error) {
	done := make(chan error, 1)
	go func() { done <- write() }()
	e.sealed = sync.OnceValue(func() error {
		select {
		case err := <-done:
			return err
		case <-e.pool.Context.Done():
			e.progress.Stopping(class)
			return <-done
		}
	})
}

type job struct {
	*engine
	class *work.Class
	above *level // the class solved before, nil for the fullest
	level *level // the class itself
}

func (e *engine) shape() tablebase.Shape {
	return tablebase.Shape{Steps: e.o.Steps, Nimbers: e.o.Nimbers}
}

func (e *engine) solveClass(class int) (*level, *work.Class, error) {
	e.progress.Begin(class, e.before)
	e.cut.Keep(class)
	c := work.NewClass(e.cut, class, e.pool)
	l := newLevel(c.Class, e.ledger)
	j := job{engine: e, class: c, above: e.previous, level: l}
	solve := j.solveSlices
	shards := e.shards(class)
	switch {
	case e.elsewhere:
		solve = j.solveElsewhere
	case shards > 1:
		solve = func() error { return j.solveShards(shards) }
	case e.cut.Kind != partition.FixedSlice:
		solve = j.solveFixpoint
	}
	var err error
	if shards <= 1 && !e.elsewhere && j.above != nil && j.above.file != nil {
		err = j.toMemory(j.above)
	}
	if err == nil {
		err = solve()
	}
	if err != nil {
		l.free()
		return nil, nil, err
	}
	return l, c, nil
}

// shards returns the number of shards that a class is solved in, 0 or 1 for one whole.
func (e *engine) shards(class int) int {
	shards := e.plan.Classes[e.cut.MaskBits-class].Shards
	if c := e.cut.Class(class); e.inShards > 0 && e.o.LogPath != "" && !e.o.Nimbers && e.cut.Kind != partition.FixedSlice {
		shards = min(e.inShards, e.sectioning(c).sections())
	}
	return shards
}
