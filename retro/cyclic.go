package retro

import (
	"runtime/debug"
	"unsafe"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/retro/internal/work"
)

// fixpoint solves a class with moves from block to block in it. After what the
// class above decides, labels spread along those moves: parents of a lost state
// are won; a state all of whose children are won is lost. Both work with what is
// new, and what is never labelled is drawn.
//
// A unit's states are read in the order of its links, which for a reversed space
// is that of the complemented index. Planes of the class are in the order of the
// index; candidates and, in a solve with steps, the children above in the
// order of reading.
type fixpoint struct {
	job   *job
	units work.Units
	ply   int // in work, in a solve with steps
	// candidates are the states that are lost if no child in the class spares
	// them: not labelled, and without an escape to the class above.
	candidates []uint64
	drawn      []uint64 // terminal states; nil in a space without such
	newWon     *frontier
	newLost    *frontier
	nextLost   *frontier // where newly lost states go: with steps a second plane
	links      []partition.Link
	first      []uint32 // block b's links are links[first[b]:first[b+1]]
	parents    []parent
	firstUp    []uint32 // block b's parents are parents[firstUp[b]:firstUp[b+1]]
	locks      work.Stripes
	fromAbove  fromAbove
	freshList  []int32 // scratch of propagate
}

// parent is a link seen from the child.
type parent struct {
	block, link uint32
}

func (j *job) solveCyclic() error {
	f := &fixpoint{job: j, units: work.UnitsOf(j.class.Class, j.o.partBits)}
	defer f.free()
	if err := f.reserve(); err != nil {
		return err
	}
	if err := f.link(); err != nil {
		return err
	}
	states := uint64(1) << uint(f.units.K) / uint64(f.units.PerBlock)
	err := f.job.class.Pool.Run(f.units.N, f.open, func(units int) { j.progress.Advance(uint64(units) * states / 2) })
	if err != nil {
		return err
	}
	if j.o.Steps {
		err = f.spreadBySteps()
	} else {
		err = f.spread()
	}
	if err != nil {
		return err
	}
	j.class.ResetTallies(len(j.level.digits))
	return j.class.Pool.Run(f.units.N, f.sumUp, nil)
}

// reserve allocates the planes of the fixpoint.
func (f *fixpoint) reserve() (err error) {
	blocks, words := len(f.job.class.Masks), f.job.level.words
	if f.candidates, err = f.job.ledger.Plane(blocks * words); err != nil {
		return err
	}
	if f.job.class.Cut.DrawnTerminals {
		if f.drawn, err = f.job.ledger.Plane(blocks * words); err != nil {
			return err
		}
	}
	if f.newWon, err = newFrontier(f.job.ledger, blocks, words); err != nil {
		return err
	}
	if f.newLost, err = newFrontier(f.job.ledger, blocks, words); err != nil {
		return err
	}
	f.nextLost = f.newLost
	if !f.job.o.Steps {
		return nil
	}
	if f.nextLost, err = newFrontier(f.job.ledger, blocks, words); err != nil {
		return err
	}
	return f.fromAbove.reserve(f)
}

func (f *fixpoint) free() {
	f.job.ledger.Free(f.candidates)
	f.job.ledger.Free(f.drawn)
	f.newWon.free()
	f.newLost.free()
	if f.job.o.Steps {
		f.nextLost.free()
	}
	f.job.ledger.Release(f.linkBytes())
	if f.linkBytes() > 64<<20 {
		// The next class has links of its own; the limit has no room for both.
		f.links, f.parents = nil, nil
		debug.FreeOSMemory()
	}
	f.fromAbove.free(f.job.ledger)
}

// link lists the links inside the class.
func (f *fixpoint) link() error {
	blocks := len(f.job.class.Masks)
	f.first = make([]uint32, blocks+1)
	err := f.job.class.Pool.Run(blocks, func(w *work.Worker, b int) {
		w.Moves = f.job.class.Cut.Moves(f.job.class.Masks[b], w.Moves[:0])
		for _, m := range w.Moves {
			if m.Within {
				f.first[b+1]++
			}
		}
	}, nil)
	if err != nil {
		return err
	}
	for b := range blocks {
		f.first[b+1] += f.first[b]
	}
	if err := f.job.ledger.Reserve(f.linkBytes()); err != nil {
		f.first = nil
		return err
	}
	f.links = make([]partition.Link, f.first[blocks])
	f.locks = make(work.Stripes, min(f.job.o.Stripes, blocks))
	return f.job.class.Pool.Run(blocks, func(w *work.Worker, b int) {
		var err error
		_, w.Moves, err = f.job.class.Cut.Links(f.job.class.Class.Class, b, true, f.links[f.first[b]:f.first[b]], w.Moves)
		f.job.class.Pool.Fail(err)
	}, nil)
}

// linkBytes is the memory of the links, seen from both sides.
func (f *fixpoint) linkBytes() int64 {
	if f.first == nil {
		return 0
	}
	return int64(f.first[len(f.first)-1]) * linkBytes
}

const linkBytes = int64(unsafe.Sizeof(partition.Link{}) + unsafe.Sizeof(parent{}))

// turn lists the links by child.
func (f *fixpoint) turn() {
	blocks := len(f.job.class.Masks)
	f.firstUp = make([]uint32, blocks+2)
	for i := range f.links {
		f.firstUp[f.links[i].Block+2]++
	}
	for b := range blocks {
		f.firstUp[b+2] += f.firstUp[b+1]
	}
	f.parents = make([]parent, len(f.links))
	for b := range blocks {
		for i := f.first[b]; i < f.first[b+1]; i++ {
			at := &f.firstUp[f.links[i].Block+1]
			f.parents[*at] = parent{uint32(b), i}
			*at++
		}
	}
}

func (f *fixpoint) linksOf(block int) []partition.Link {
	return f.links[f.first[block]:f.first[block+1]]
}

// reversed writes a unit's words in the other order, that of reading or that of
// the index. The words belong to the mirror unit then.
func (f *fixpoint) reversed(dst, src []uint64) []uint64 {
	if !f.job.class.Cut.Reversed {
		return src
	}
	bitslice.Reverse(dst, src, f.units.K)
	return dst
}

func (f *fixpoint) mirrored(unit int) int {
	if !f.job.class.Cut.Reversed {
		return unit
	}
	return f.units.Mirror(unit)
}

// open labels a unit's terminal states and those that the class above decides
// (with steps: notes when it will), and lists the candidates.
func (f *fixpoint) open(w *work.Worker, unit int) {
	block, part := f.units.Block(unit)
	home := f.mirrored(unit) // where the states are stored that unit reads
	_, homePart := f.units.Block(home)
	t := f.job.class.Terminals(w, block, w.Buffer(work.WonBuffer, f.units.Words), homePart)
	win := f.units.Of(f.job.level.win, home)
	copy(win, t.Won)
	copy(f.units.Of(f.job.level.lose, home), t.Lost)
	if t.Drawn != nil {
		copy(f.units.Of(f.drawn, home), t.Drawn)
	}
	f.newLost.publish(w, home, f.units, t.Lost)
	over := f.readTerminals(w, t)

	var err error
	w.Links, w.Moves, err = f.job.class.Cut.Links(f.job.class.Class.Class, block, false, w.Links[:0], w.Moves)
	f.job.class.Pool.Fail(err)
	f.job.class.CheckMovable(w, block, part, over, w.Links, f.linksOf(block))
	if f.job.o.Steps {
		f.newWon.publish(w, home, f.units, t.Won)
		f.readAbove(w, unit, part, over)
		return
	}
	read, candidates := w.Buffer(readBuffer, f.units.Words), f.units.Of(f.candidates, unit)
	for i := range w.Links {
		l := &w.Links[i]
		w.Fold(bitslice.Or, &l.Plan, read, part, f.job.above.slice(f.job.above.lose, int(l.Block)), nil)
		w.Fold(bitslice.OrNot, &l.Plan, candidates, part, f.job.above.slice(f.job.above.win, int(l.Block)), nil)
	}
	valid := bitslice.Valid(f.units.K)
	for i, x := range over {
		read[i] &^= x
		candidates[i] = valid &^ (candidates[i] | read[i] | x)
	}
	for i, x := range f.reversed(w.DirtyBuffer(gatherWinBuffer, len(read)), read) {
		win[i] |= x & valid
	}
}

// readTerminals returns all terminal states of the unit that reads t's, in the
// order of reading.
func (f *fixpoint) readTerminals(w *work.Worker, t work.Terminals) []uint64 {
	over := w.DirtyBuffer(hasBuffer, len(t.Won))
	copy(over, t.Won)
	for i, x := range t.Lost {
		over[i] |= x
	}
	for i, x := range t.Drawn {
		over[i] |= x
	}
	return f.reversed(w.DirtyBuffer(overBuffer, len(over)), over)
}

// sumUp adds a unit's states to the tally.
func (f *fixpoint) sumUp(w *work.Worker, unit int) {
	block, part := f.units.Block(unit)
	t := f.job.class.Terminals(w, block, w.Buffer(work.WonBuffer, f.units.Words), part)
	win, lose := f.units.Of(f.job.level.win, unit), f.units.Of(f.job.level.lose, unit)
	w.Count(f.units, unit, f.job.class.Images[block], win, lose, t)
	if f.job.o.Steps {
		steps := f.unitNumbers(w, unitDigits, f.job.level.digits, unit)
		w.CountSteps(f.units, f.job.class.Images[block], win, lose, steps)
	}
}
