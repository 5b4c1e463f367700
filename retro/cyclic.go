package retro

import (
	"runtime/debug"
	"unsafe"

	"backsolve/bitslice"
	"backsolve/partition"
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
	*engine
	units
	// candidates are the states that are lost if no child in the class spares
	// them: not labelled, and without an escape to the class above.
	candidates []uint64
	drawn      []uint64 // terminal states; nil in a space without such
	newWon     *news
	newLost    *news
	nextLost   *news // where newly lost states go: with steps a second plane
	links      []partition.Link
	first      []uint32 // block b's links are links[first[b]:first[b+1]]
	parents    []parent
	firstUp    []uint32 // block b's parents are parents[firstUp[b]:firstUp[b+1]]
	locks      stripes
	inject     injection
}

// parent is a link seen from the child.
type parent struct {
	block, link uint32
}

func (e *engine) solveCyclic() error {
	f := &fixpoint{engine: e, units: unitsOf(e.class, e.partBits)}
	defer f.free()
	if err := f.reserve(); err != nil {
		return err
	}
	if err := f.link(); err != nil {
		return err
	}
	states := uint64(1) << uint(f.k) / uint64(f.perBlock)
	err := f.crew.run(f.n, f.open, func(units int) { e.advance(uint64(units) * states / 2) })
	if err != nil {
		return err
	}
	if e.Steps {
		err = f.spreadBySteps()
	} else {
		err = f.spread()
	}
	if err != nil {
		return err
	}
	e.resetTallies(len(e.level.digits))
	if err := f.crew.run(f.n, f.sumUp, nil); err != nil {
		return err
	}
	e.trimDigits()
	return nil
}

// reserve allocates the planes of the fixpoint.
func (f *fixpoint) reserve() (err error) {
	blocks, words := len(f.class.Masks), f.level.words
	if f.candidates, err = f.ledger.plane(blocks * words); err != nil {
		return err
	}
	if f.cut.DrawnTerminals {
		if f.drawn, err = f.ledger.plane(blocks * words); err != nil {
			return err
		}
	}
	if f.newWon, err = newNews(f.ledger, blocks, words); err != nil {
		return err
	}
	if f.newLost, err = newNews(f.ledger, blocks, words); err != nil {
		return err
	}
	f.nextLost = f.newLost
	if !f.Steps {
		return nil
	}
	if f.nextLost, err = newNews(f.ledger, blocks, words); err != nil {
		return err
	}
	return f.inject.reserve(f)
}

func (f *fixpoint) free() {
	f.ledger.free(f.candidates)
	f.ledger.free(f.drawn)
	f.newWon.free()
	f.newLost.free()
	if f.Steps {
		f.nextLost.free()
	}
	f.ledger.release(f.linkBytes())
	if f.linkBytes() > 64<<20 {
		// The next class has links of its own; the limit has no room for both.
		f.links, f.parents = nil, nil
		debug.FreeOSMemory()
	}
	f.inject.free(f.ledger)
}

// link lists the links inside the class.
func (f *fixpoint) link() error {
	blocks := len(f.class.Masks)
	f.first = make([]uint32, blocks+1)
	err := f.crew.run(blocks, func(w *worker, b int) {
		w.moves = f.cut.Moves(f.class.Masks[b], w.moves[:0])
		for _, m := range w.moves {
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
	if err := f.ledger.reserve(f.linkBytes()); err != nil {
		f.first = nil
		return err
	}
	f.links = make([]partition.Link, f.first[blocks])
	f.locks = make(stripes, min(f.Stripes, blocks))
	return f.crew.run(blocks, func(w *worker, b int) {
		var err error
		_, w.moves, err = f.cut.Links(f.class.Class, b, true, f.links[f.first[b]:f.first[b]], w.moves)
		f.crew.fail(err)
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
	blocks := len(f.class.Masks)
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
	if !f.cut.Reversed {
		return src
	}
	bitslice.Reverse(dst, src, f.k)
	return dst
}

func (f *fixpoint) mirrored(unit int) int {
	if !f.cut.Reversed {
		return unit
	}
	return f.mirror(unit)
}

// open labels a unit's terminal states and those that the class above decides
// (with steps: notes when it will), and lists the candidates.
func (f *fixpoint) open(w *worker, unit int) {
	block, part := f.block(unit)
	home := f.mirrored(unit) // where the states are stored that unit reads
	_, homePart := f.block(home)
	t := f.terminals(w, block, w.buffer(terminalWinBuffer, f.units.words), homePart)
	win := f.of(f.level.win, home)
	copy(win, t.won)
	copy(f.of(f.level.lose, home), t.lost)
	if t.drawn != nil {
		copy(f.of(f.drawn, home), t.drawn)
	}
	f.newLost.publish(w, home, f.units, t.lost)
	over := f.readTerminals(w, t)

	var err error
	w.links, w.moves, err = f.cut.Links(f.class.Class, block, false, w.links[:0], w.moves)
	f.crew.fail(err)
	f.checkMovable(w, block, part, over, w.links, f.linksOf(block))
	if f.Steps {
		f.newWon.publish(w, home, f.units, t.won)
		f.openSteps(w, unit, part, over)
		return
	}
	read, candidates := w.buffer(readBuffer, f.units.words), f.of(f.candidates, unit)
	for i := range w.links {
		l := &w.links[i]
		w.Fold(bitslice.Or, &l.Plan, read, part, f.above.slice(f.above.lose, int(l.Block)), nil)
		w.Fold(bitslice.OrNot, &l.Plan, candidates, part, f.above.slice(f.above.win, int(l.Block)), nil)
	}
	valid := bitslice.Valid(f.k)
	for i, x := range over {
		read[i] &^= x
		candidates[i] = valid &^ (candidates[i] | read[i] | x)
	}
	for i, x := range f.reversed(w.dirtyBuffer(gatherWinBuffer, len(read)), read) {
		win[i] |= x & valid
	}
}

// readTerminals returns all terminal states of the unit that reads t's, in the
// order of reading.
func (f *fixpoint) readTerminals(w *worker, t terminals) []uint64 {
	over := w.dirtyBuffer(hasBuffer, len(t.won))
	copy(over, t.won)
	for i, x := range t.lost {
		over[i] |= x
	}
	for i, x := range t.drawn {
		over[i] |= x
	}
	return f.reversed(w.dirtyBuffer(overBuffer, len(over)), over)
}

// sumUp adds a unit's states to the tally.
func (f *fixpoint) sumUp(w *worker, unit int) {
	block, part := f.block(unit)
	t := f.terminals(w, block, w.buffer(terminalWinBuffer, f.units.words), part)
	win, lose := f.of(f.level.win, unit), f.of(f.level.lose, unit)
	w.count(f.units, unit, f.class.Images[block], win, lose, t)
	if f.Steps {
		steps := f.unitNumbers(w, unitDigits, f.level.digits, unit)
		w.countSteps(f.units, f.class.Images[block], win, lose, steps)
	}
}
