package retro

import (
	"math"
	"math/bits"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
)

// fixpoint solves a class of slices of its own, with or without moves inside the class.
// The class above decides some states. From there, labels propagate along the moves inside
// the class: a parent of a lost state is won, and a state all of whose children are won is
// lost. Each pass propagates only new labels. States that are never labelled are drawn.
//
// Planes are in the order of the index. Links read their children in the order of the
// complemented index, the order of reading. The candidates are in that order, and so are
// the ready states of a solve with steps.
type fixpoint struct {
	*job
	units work.Units
	// firstUnit and endUnit bound the units in work: all, or those of a shard.
	firstUnit, endUnit int
	// reach bounds the blocks whose won planes tests read: all, or those in memory.
	reach [2]int
	// The fixpoint owns the planes that follow, and free gives them back. Those of won and, in the end,
	// lost states are the level's. They are valid from open on, for the units in work.

	// candidates are the unlabelled states whose children above are all won. They are
	// lost if their children in the class are won, too.
	candidates []uint64
	// undecided are the states that are neither terminal nor labelled. A state is lost if
	// it is not undecided, won or a drawn terminal state. When the class is solved, seal makes it the
	// level's plane of lost states.
	undecided []uint64
	newWon    *frontier // empty between two passes, except for states that the next one propagates
	newLost   *frontier
	nextLost  *frontier // receives newly lost states: newLost itself, or with steps another
	gathered  *frontier // receives pushed states, where the step's frontier has others; else nil
	within    *linkage
	// relabelled says which sections of perSection words have new labels, where it is not nil.
	relabelled []atomic.Bool
	perSection int
}

func (j *job) solveFixpoint() error {
	f := &fixpoint{job: j, units: j.unitsOf(j.class.Class), reach: [2]int{0, len(j.class.Masks)}}
	f.endUnit = f.units.N
	defer f.free()
	j.class.ResetCounts(0)
	var err error
	if j.o.Steps {
		s := &bySteps{fixpoint: f}
		defer s.freeSteps()
		err = s.solve()
	} else {
		err = f.solveOutcomes()
	}
	if err != nil {
		return err
	}
	f.run(f.seal)
	j.level.lose, f.undecided = f.undecided, nil
	return f.class.Pool.Cause()
}

// forEach runs a function for first to end−1. The pool keeps its errors: after one, it runs nothing any
// more, and solve and its like return the cause at their end.
func (j *job) forEach(first, end int, do func(w *work.Worker, i int)) {
	_ = j.class.Pool.Run(first, end, do, nil)
}

func (f *fixpoint) run(do func(w *work.Worker, unit int)) { f.forEach(f.firstUnit, f.endUnit, do) }

// runOpening is run for what opens a class. Progress counts that as half of its work.
func (f *fixpoint) runOpening(do func(w *work.Worker, unit int)) {
	states := uint64(1) << uint(f.units.K) / uint64(f.units.PerBlock)
	_ = f.class.Pool.Run(f.firstUnit, f.endUnit, do, func(units int) { f.progress.Advance(uint64(units) * states / 2) })
}

func (f *fixpoint) solveOutcomes() (err error) {
	if err = allocate(f.ledger.DirtyPlane, f.level.planeWords(), &f.candidates, &f.level.win, &f.undecided); err != nil {
		return err
	}
	if f.within, err = newLinkage(f.job, len(f.undecided), 0, len(f.class.Masks)); err != nil {
		return err
	}
	f.runOpening(f.open)
	// The frontiers take the memory of the class above.
	if err = f.releaseAbove(); err != nil {
		return err
	}
	if err = f.reserveFrontiers(f.ledger.Plane, &f.newWon); err != nil {
		return err
	}
	if err = f.reserveFrontiers(f.ledger.DirtyPlane, &f.newLost); err != nil {
		return err
	}
	f.nextLost = f.newLost
	f.run(f.publishLost)
	f.propagateOutcomes()
	return f.class.Pool.Cause()
}

// terminals finds the terminal states that a unit stores.
func (f *fixpoint) terminals(w *work.Worker, unit int) work.Terminals {
	block, part := f.units.Block(unit)
	return f.class.Terminals(w, block, w.Buffer(work.WonBuffer, f.units.Words), part)
}

func (f *fixpoint) publishLost(w *work.Worker, unit int) {
	f.newLost.publish(w, unit, f.units, f.terminals(w, unit).Lost)
}

// releaseAbove frees the planes of the class above once they are written, unless lookups need them.
func (j *job) releaseAbove() error {
	if err := j.sealed(); err != nil {
		return err
	}
	if j.above != nil && !j.uncounted {
		j.above.freePlanes()
	}
	return j.class.Pool.Cause()
}

// allocate allocates planes by a function, mostly of the ledger.
func allocate(plane func(words int) ([]uint64, error), words int, planes ...*[]uint64) (err error) {
	for _, p := range planes {
		if *p, err = plane(words); err != nil {
			return err
		}
	}
	return nil
}

// reserveFrontiers allocates frontiers. Unless each unit is published first, their planes must be zeroed.
func (f *fixpoint) reserveFrontiers(plane func(words int) ([]uint64, error), frontiers ...**frontier) (err error) {
	for _, n := range frontiers {
		if *n, err = newFrontier(f.ledger, plane, len(f.class.Masks), f.level.words); err != nil {
			return err
		}
	}
	return nil
}

func (f *fixpoint) free() {
	f.ledger.Free(f.candidates)
	f.ledger.Free(f.undecided)
	f.newWon.free()
	f.newLost.free()
	if f.nextLost != f.newLost {
		f.nextLost.free()
	}
	f.gathered.free()
	f.within.free()
}

// order maps the words of a stretch between the order of the index and the order of
// reading, in which the index is complemented.
type order struct {
	last  int  // number of the stretch's last word
	short uint // bits by which a slice is shorter than a word
}

func newOrder(indexBits, words int) order {
	return order{words - 1, uint(64 - min(1<<uint(indexBits), 64))}
}

// word returns where word i is in the other order, and its bits there.
func (o order) word(i int, x uint64) (int, uint64) {
	return o.last - i, bits.Reverse64(x) >> o.short
}

// labelTerminals labels the terminal states that a unit reads, and returns them and the unit that stores them.
func (f *fixpoint) labelTerminals(w *work.Worker, unit int) (home int, t work.Terminals) {
	home = f.units.Mirror(unit)
	t = f.terminals(w, home)
	copy(f.units.Of(f.level.win, home), t.Won)
	undecided, valid := f.units.Of(f.undecided, home), bitslice.Valid(f.units.K)
	for i, x := range f.over(w, t) {
		undecided[i] = valid &^ x
	}
	return home, t
}

// open labels a unit's terminal states and those that the class above decides, and finds candidates.
func (f *fixpoint) open(w *work.Worker, unit int) {
	block, part := f.units.Block(unit)
	home, t := f.labelTerminals(w, unit)
	over := f.readTerminals(w, t)

	read, candidates := w.Buffer(readBuffer, f.units.Words), f.units.Of(f.candidates, unit)
	clear(candidates)
	w.Needs = f.within.needs(w.Needs[:0], block)
	f.eachAbove(w, block, 0, math.MaxInt, func(child int, m *bitslice.IndexMap) {
		plan := w.Plan(m)
		w.Needs = append(w.Needs, plan.Needs())
		w.Fold(bitslice.Or, plan, read, part, f.above.slice(f.above.lose, child), nil)
		w.Fold(bitslice.OrNot, plan, candidates, part, f.above.slice(f.above.win, child), nil)
	})
	f.decide(w, unit, home, over, read)
}

// eachAbove calls a function with the links of a block to blocks first to end−1 of the class above.
func (f *fixpoint) eachAbove(w *work.Worker, block, first, end int, do func(child int, m *bitslice.IndexMap)) {
	var err error
	w.Moves, err = f.class.Cut.EachMap(f.class.Class.Class, block, false, first, end, w.Moves, do)
	f.class.Pool.Fail(err)
}

// listNeeds lists in the worker's Needs the index bits that each link of a block requires, in the class and above it.
func (f *fixpoint) listNeeds(w *work.Worker, block int) {
	w.Needs = f.within.needs(w.Needs[:0], block)
	f.eachAbove(w, block, 0, math.MaxInt, func(_ int, m *bitslice.IndexMap) {
		w.Needs = append(w.Needs, m.One&(1<<uint(m.Dst)-1))
	})
}

// decide labels the states of a unit with a lost child in the class above, and finds the
// candidates among those without a child there that is not won. It checks that all states that
// are not over have a move. over and hasLost are in the order of reading.
func (f *fixpoint) decide(w *work.Worker, unit, home int, over, hasLost []uint64) {
	block, part := f.units.Block(unit)
	f.class.CheckMovable(w, block, part, over)
	candidates := f.units.Of(f.candidates, unit)
	win, undecided, valid := f.units.Of(f.level.win, home), f.units.Of(f.undecided, home), bitslice.Valid(f.units.K)
	for i, x := range over {
		hasLost[i] &^= x
		candidates[i] = valid &^ (candidates[i] | hasLost[i] | x)
	}
	mirror := w.DirtyBuffer(gatherWinBuffer, len(hasLost))
	bitslice.Reverse(mirror, hasLost, f.units.K)
	for i, x := range mirror {
		win[i] |= x & valid
		undecided[i] &^= x
	}
}

// over returns all terminal states of a unit.
func (f *fixpoint) over(w *work.Worker, t work.Terminals) []uint64 {
	over := w.DirtyBuffer(hasBuffer, len(t.Won))
	copy(over, t.Won)
	for _, others := range [][]uint64{t.Lost, t.Drawn} {
		for i, x := range others {
			over[i] |= x
		}
	}
	return over
}

// readTerminals is over in the order of reading.
func (f *fixpoint) readTerminals(w *work.Worker, t work.Terminals) []uint64 {
	over := f.over(w, t)
	read := w.DirtyBuffer(overBuffer, len(over))
	bitslice.Reverse(read, over, f.units.K)
	return read
}

// seal turns a unit's plane of undecided states into that of lost ones, and counts its states.
func (f *fixpoint) seal(w *work.Worker, unit int) {
	t := f.terminals(w, unit)
	win, lose, valid := f.units.Of(f.level.win, unit), f.units.Of(f.undecided, unit), bitslice.Valid(f.units.K)
	for i, x := range lose {
		lose[i] = valid &^ (x | win[i])
	}
	for i, x := range t.Drawn {
		lose[i] &^= x
	}
	w.Count(f.units, unit, f.class.Images[unit/f.units.PerBlock], win, lose, t)
}
