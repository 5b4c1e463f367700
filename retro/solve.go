// Package retro is the engine: it solves a cut class by class, from the fullest
// to the emptiest, and hands each solved class to a table. It knows no game: what
// it sees are blocks of bit slices and the links between them.
package retro

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"backsolve/bitslice"
	"backsolve/partition"
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

	propagation propagation
	// partBits is the binary logarithm of the words of a part of a long slice, for
	// tests that want parts in short ones; 0 for the standard.
	partBits int
}

// propagation is how news travel; tests ask for each way alone.
type propagation uint8

const (
	byCost propagation = iota
	alwaysPull
	alwaysPush
)

// Event is a moment of a solve.
type Event struct {
	Class  int  // number of marked cells of the class in work
	Pass   int  // of spreading labels inside the class, 0 before that
	Sealed bool // the class is in the file; until then it is solved again after a crash
	// Done of the States to be stored are decided.
	Done, States uint64
}

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

type engine struct {
	Options
	cut    *partition.Cut
	crew   *crew
	ledger *ledger
	class  *partition.Class
	level  *level // of the class in work
	above  *level // of the class solved before, nil for the fullest
	step   int    // ply in work, in a solve with steps
	fresh  []int32

	events sync.Mutex
	event  Event
	before uint64 // states of the classes solved before
	times  []ClassTime
}

// Solve solves a space and finishes the table behind w, which may hold classes
// that an earlier, interrupted solve has sealed. When ctx ends, it returns its
// cause; what is sealed stays for another Solve. A *MemoryError says that the
// limit is too small.
func Solve(ctx context.Context, space partition.Space, w *tablebase.Writer, o Options) (*Result, error) {
	e := &engine{Options: o.withDefaults()}
	e.ledger = newLedger(e.Memory, longestPlane(space))
	defer e.ledger.close()
	if err := e.ledger.reserve(partition.CutBytes(space) + e.fixedBytes(space)); err != nil {
		return nil, err
	}
	cut, err := partition.NewCut(space, e.Threads)
	if err != nil {
		return nil, err
	}
	defer cut.Free()
	e.cut = cut
	e.crew = newCrew(ctx, e.Threads, e.TasksPerThread)
	for class := range space.MaskBits + 1 {
		e.event.States += e.states(class)
	}
	r := &Result{Resumed: len(w.Sealed())}
	if err := e.resume(w); err != nil {
		return nil, err
	}
	r.Decided = e.event.States - e.before
	if err := e.solveClasses(w); err != nil {
		return nil, err
	}
	r.Classes = e.times
	if e.DownTo > 0 {
		return r, nil
	}
	var counts []tablebase.Counts
	for _, s := range w.Sealed() {
		counts = append(counts, s.Counts)
	}
	if err := checkWhole(space, counts); err != nil {
		return nil, err
	}
	r.Summary, err = w.Finish()
	return r, err
}

func (o Options) withDefaults() Options {
	set := func(v *int, otherwise int) {
		if *v <= 0 {
			*v = otherwise
		}
	}
	set(&o.Threads, runtime.GOMAXPROCS(0))
	set(&o.TasksPerThread, 10)
	set(&o.Stripes, 1000)
	set(&o.partBits, standardPartBits)
	return o
}

// states returns the number of states stored for a class.
func (e *engine) states(class int) uint64 {
	c := e.cut.Class(class)
	return uint64(len(c.Masks)) << uint(c.IndexBits)
}

// resume takes up after the classes that are sealed already.
func (e *engine) resume(w *tablebase.Writer) error {
	sealed := w.Sealed()
	for i, s := range sealed {
		if want := e.cut.Class(e.cut.MaskBits - i); s.Class != want.Class || s.Blocks != len(want.Masks) {
			return fmt.Errorf("the unfinished solve holds class %d with %d blocks where class %d with %d is due; use --force to start over",
				s.Class, s.Blocks, want.Class, len(want.Masks))
		}
		e.before += e.states(s.Class)
	}
	if len(sealed) == 0 || len(sealed) > e.cut.MaskBits {
		return nil
	}
	planes, err := w.Load(len(sealed) - 1)
	if err != nil {
		return err
	}
	e.above = e.newLevel(sealed[len(sealed)-1].Class)
	if e.above.win, err = e.adopt(planes.Win); err != nil {
		return err
	}
	if e.above.lose, err = e.adoptLose(planes); err != nil {
		return err
	}
	for _, digit := range planes.Steps {
		plane, err := e.adopt(digit)
		if err != nil {
			return err
		}
		e.above.digits = append(e.above.digits, plane)
	}
	return nil
}

// adoptLose is adopt for the lost states, where the engine keeps a plane of them.
// A table of a space without draws does not.
func (e *engine) adoptLose(p tablebase.Planes) ([]uint64, error) {
	switch {
	case e.cut.FixedSlice:
		return nil, nil
	case p.Lose != nil:
		return e.adopt(p.Lose)
	}
	lose, err := e.ledger.plane(len(p.Win))
	if err != nil {
		return nil, err
	}
	valid := bitslice.Valid(e.above.class.IndexBits)
	for i, won := range p.Win {
		lose[i] = valid &^ won
	}
	return lose, nil
}

// adopt copies a plane into memory of the ledger's.
func (e *engine) adopt(loaded []uint64) ([]uint64, error) {
	plane, err := e.ledger.plane(len(loaded))
	if err == nil {
		copy(plane, loaded)
	}
	return plane, err
}

// solveClasses solves what is left. While a class is written, the next one is
// already being solved.
func (e *engine) solveClasses(w *tablebase.Writer) error {
	sealed := make(chan error, 1)
	sealed <- nil
	for class := e.cut.MaskBits - len(w.Sealed()); class >= e.DownTo; class-- {
		began := time.Now()
		if err := e.solveClass(class); err != nil {
			// What is being written is of a class that is whole.
			if werr := <-sealed; werr != nil {
				return werr
			}
			return err
		}
		counts, err := e.counts()
		if err != nil {
			return errors.Join(err, <-sealed)
		}
		e.times = append(e.times, ClassTime{class, time.Since(began).Seconds()})
		if err := <-sealed; err != nil {
			return err
		}
		if e.above != nil {
			e.above.free()
		}
		e.above = e.level
		go func(l *level, counts tablebase.Counts) {
			c := tablebase.Class{Class: l.class.Class, IndexBits: l.class.IndexBits, Masks: l.class.Masks}
			err := w.Seal(c, l.planes(e.cut.Draws), counts)
			if err == nil {
				e.sealed(l.class.Class)
			}
			sealed <- err
		}(e.level, counts)
		e.before += e.states(class)
	}
	err := <-sealed
	if e.above != nil {
		e.above.free()
	}
	return err
}

func (e *engine) newLevel(class int) *level {
	c := e.cut.Class(class)
	return &level{class: c, words: c.Words(), ledger: e.ledger}
}

func (e *engine) solveClass(class int) (err error) {
	e.level = e.newLevel(class)
	e.class = e.level.class
	e.begin(class)
	words := e.level.words * len(e.class.Masks)
	if e.level.win, err = e.ledger.plane(words); err != nil {
		return err
	}
	if e.cut.FixedSlice {
		return e.solveAcyclic()
	}
	if e.level.lose, err = e.ledger.plane(words); err != nil {
		return err
	}
	return e.solveCyclic()
}

// addDigit makes room for one more binary digit of the steps.
func (e *engine) addDigit() error {
	plane, err := e.ledger.plane(len(e.level.win))
	if err == nil {
		e.level.digits = append(e.level.digits, plane)
	}
	return err
}

// trimDigits drops the digits that are zero in all states counted.
func (e *engine) trimDigits() {
	if !e.Steps {
		return
	}
	sum := e.sum()
	digits := digitsFor(max(lastCounted(sum.stepsWins), lastCounted(sum.stepsLosses), 0))
	for _, plane := range e.level.digits[digits:] {
		e.ledger.free(plane)
	}
	e.level.digits = e.level.digits[:digits]
}

func (e *engine) resetTallies(digits int) {
	for _, w := range e.crew.workers {
		w.tally.reset(e.class.IndexBits, digits)
	}
}

// sum adds the workers' tallies of the class in work up.
func (e *engine) sum() *tally {
	sum := new(tally)
	sum.reset(e.class.IndexBits, digitsFor(len(e.crew.workers[0].tally.stepsWins)-1))
	for _, w := range e.crew.workers {
		sum.add(&w.tally)
	}
	return sum
}

// counts returns the counts of the class in work, if they can be.
func (e *engine) counts() (tablebase.Counts, error) {
	counts := e.sum().counts(e.class, !e.cut.FixedSlice, e.Steps)
	return counts, checkCounts(&e.cut.Facts, e.class, counts, e.Steps)
}
