package retro

import (
	"backsolve/bitslice"
)

// Scratch buffers of a worker, by number. Each is as long as a unit.
const (
	terminalWinBuffer = iota
	terminalLoseBuffer
	terminalDrawBuffer
	overBuffer // terminal states in the order in which links are read
	readBuffer // in that order too
	hasBuffer
	countBuffer
	gatherWinBuffer
	gatherLoseBuffer
	digitBuffers // from here on, MaxDigits for each set of scratch numbers
)

// Sets of numbers of a worker: those of the unit in work, which are planes of
// the class, and three in scratch buffers.
const (
	leastDigits = iota
	greatestDigits
	childDigits
	unitDigits
	numberSets
)

// solveAcyclic solves a class whose moves either set an index bit, and so stay
// in the slice, or lead to the class above: one pass over the blocks decides
// all.
func (e *engine) solveAcyclic() error {
	c := e.class
	if e.Steps {
		// Play ends at the latest when every cell is marked.
		most := e.cut.MaskBits - c.Class + c.IndexBits
		for range digitsFor(most) {
			if err := e.addDigit(); err != nil {
				return err
			}
		}
	}
	u := wholeBlocks(c)
	states := uint64(1) << uint(c.IndexBits)
	e.resetTallies(len(e.level.digits))
	err := e.crew.run(u.n, func(w *worker, unit int) {
		e.settleBlock(w, u, unit)
	}, func(blocks int) { e.advance(uint64(blocks) * states) })
	if err != nil {
		return err
	}
	e.trimDigits()
	return nil
}

// settleBlock decides a block from the finished blocks of the class above.
func (e *engine) settleBlock(w *worker, u units, block int) {
	c := e.class
	part := bitslice.Whole(u.k)
	t := e.terminals(w, block, w.buffer(terminalWinBuffer, u.words), part)
	win := e.level.slice(e.level.win, block)
	var err error
	w.links, w.moves, err = e.cut.Links(c.Class, block, false, w.links[:0], w.moves)
	e.crew.fail(err)
	if len(w.links) == 0 {
		e.checkEnd(block, t)
	}
	if e.Steps {
		steps := e.settleSteps(w, u, block, t, win)
		w.countSteps(u, c.Images[block], win, nil, steps)
	} else {
		copy(win, t.won)
		for i := range w.links {
			l := &w.links[i]
			w.Fold(bitslice.OrNot, &l.Plan, win, part, e.above.slice(e.above.win, int(l.Block)), nil)
		}
		settleSlice(win, t.lost, u.k)
	}
	w.count(u, block, c.Images[block], win, nil, t)
}

// settleSlice decides the moves inside a slice. Terminal states that are lost have
// no moves; where there are none such it is faster.
func settleSlice(win, lost []uint64, k int) {
	if lost != nil {
		bitslice.SettleSliceExcept(win, lost, k)
	} else {
		bitslice.SettleSlice(win, k)
	}
}

// settleSteps is settleBlock with the steps to the end.
func (e *engine) settleSteps(w *worker, u units, block int, t terminals, win []uint64) bitslice.Numbers {
	digits := len(e.level.digits)
	steps := w.sets[unitDigits][:0]
	for _, plane := range e.level.digits {
		steps = append(steps, e.level.slice(plane, block))
	}
	w.sets[unitDigits] = steps
	s := bitslice.StepsSlice{
		Won: t.won, Lost: t.lost,
		HasLost:  w.buffer(hasBuffer, u.words),
		Least:    w.numbers(leastDigits, digits, u.words),
		Greatest: w.numbers(greatestDigits, digits, u.words),
	}
	for i := range w.links {
		childWin, _, v := e.gather(w, u, i, bitslice.Whole(u.k))
		for i, won := range childWin {
			s.Least.KeepLeast(i, &s.HasLost[i], ^won, v, i)
			s.Greatest.KeepGreatest(i, won, v, i)
		}
	}
	s.Settle(win, steps, u.k)
	return steps
}

// numbers returns zeroed scratch numbers, the set-th of three.
func (w *worker) numbers(set, digits, words int) bitslice.Numbers {
	n := w.sets[set][:0]
	for d := range digits {
		n = append(n, w.buffer(digitBuffers+set*bitslice.MaxDigits+d, words))
	}
	w.sets[set] = n
	return n
}

// gather brings what link i of the worker's list leads to in the class above
// into the order in which the part reads it: outcomes and steps of the child.
func (e *engine) gather(w *worker, u units, i int, part bitslice.Part) (win, lose []uint64, steps bitslice.Numbers) {
	l := &w.links[i]
	w.from, w.to = w.from[:0], w.to[:0]
	fetch := func(buffer int, plane []uint64) []uint64 {
		dst := w.dirtyBuffer(buffer, u.words)
		w.to = append(w.to, dst)
		w.from = append(w.from, e.above.slice(plane, int(l.Block)))
		return dst
	}
	win = fetch(gatherWinBuffer, e.above.win)
	if e.above.lose != nil {
		lose = fetch(gatherLoseBuffer, e.above.lose)
	}
	steps = w.sets[childDigits][:0]
	for d, plane := range e.above.digits {
		steps = append(steps, fetch(digitBuffers+childDigits*bitslice.MaxDigits+d, plane))
	}
	w.sets[childDigits] = steps
	w.Gather(&l.Plan, w.to, part, w.from)
	return win, lose, steps
}
