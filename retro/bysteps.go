package retro

import (
	"slices"

	"backsolve/bitslice"
)

// injection is what the class above contributes to a solve with steps, in the
// order of reading: a state with a lost child there is won one ply after the
// least steps of these, and a state without any other escape can be lost only
// after the greatest steps of its won children there.
type injection struct {
	hasLost  []uint64
	least    bitslice.Numbers
	waiting  []uint64 // candidates-to-be
	greatest bitslice.Numbers
	until    []int32 // by unit: the greatest of all these numbers, −1: none
}

func (in *injection) reserve(f *fixpoint) (err error) {
	words := len(f.candidates)
	planes := []*[]uint64{&in.hasLost, &in.waiting}
	if f.above != nil {
		in.least = make(bitslice.Numbers, len(f.above.digits))
		in.greatest = make(bitslice.Numbers, len(f.above.digits))
	}
	for d := range in.least {
		planes = append(planes, &in.least[d], &in.greatest[d])
	}
	for _, p := range planes {
		if *p, err = f.ledger.plane(words); err != nil {
			return err
		}
	}
	in.until = make([]int32, f.n)
	return nil
}

func (in *injection) free(l *ledger) {
	for _, p := range slices.Concat([][]uint64{in.hasLost, in.waiting}, in.least, in.greatest) {
		l.free(p)
	}
}

// unitNumbers returns a unit's stretch of numbers.
func (f *fixpoint) unitNumbers(w *worker, set int, n bitslice.Numbers, unit int) bitslice.Numbers {
	of := w.sets[set][:0]
	for _, plane := range n {
		of = append(of, f.of(plane, unit))
	}
	w.sets[set] = of
	return of
}

// openSteps notes what the class above will decide of a unit, and when. The
// worker holds the unit's links; the terminal states are in the order of reading.
func (f *fixpoint) openSteps(w *worker, unit int, part bitslice.Part, over []uint64) {
	in := &f.inject
	hasLost, waiting := f.of(in.hasLost, unit), f.of(in.waiting, unit)
	least := f.unitNumbers(w, leastDigits, in.least, unit)
	greatest := f.unitNumbers(w, greatestDigits, in.greatest, unit)
	escape := w.buffer(readBuffer, f.units.words)
	for i := range w.links {
		childWin, childLose, v := f.gather(w, f.units, i, part)
		for i, cw := range childWin {
			least.KeepLeast(i, &hasLost[i], childLose[i], v, i)
			greatest.KeepGreatest(i, cw, v, i)
			escape[i] |= ^cw
		}
	}
	valid := bitslice.Valid(f.k)
	for i, x := range over {
		hasLost[i] &^= x
		waiting[i] = valid &^ (escape[i] | x)
	}
	scratch := w.dirtyBuffer(readBuffer, len(hasLost))
	in.until[unit] = int32(max(least.Max(hasLost, scratch), greatest.Max(waiting, scratch)))
}

// spreadBySteps labels the class ply by ply: in ply t the states whose value is
// decided in t steps, from those decided in t−1.
func (f *fixpoint) spreadBySteps() error {
	last := int(slices.Max(f.inject.until))
	for f.step = 1; f.step-1 <= last || f.newWon.any.Load() || f.newLost.any.Load(); f.step++ {
		f.report(f.step)
		for f.step>>uint(len(f.level.digits)) != 0 {
			if err := f.addDigit(); err != nil {
				return err
			}
		}
		// Lost states first: they need what is won in fewer than t steps.
		if err := f.carry(f.newWon, f.nextLost, f.settleLost); err != nil {
			return err
		}
		if err := f.injected(f.admit); err != nil {
			return err
		}
		if err := f.clear(f.newWon); err != nil {
			return err
		}
		if err := f.carry(f.newLost, f.newWon, f.settleWon); err != nil {
			return err
		}
		if err := f.injected(f.redeem); err != nil {
			return err
		}
		if err := f.clear(f.newLost); err != nil {
			return err
		}
		f.newLost, f.nextLost = f.nextLost, f.newLost
	}
	return nil
}

// injected does what is due to the class above in the units that still have
// something to come.
func (f *fixpoint) injected(do func(w *worker, unit int)) error {
	return f.crew.run(f.n, func(w *worker, unit int) {
		if int(f.inject.until[unit]) >= f.step-1 {
			do(w, unit)
		}
	}, nil)
}

// admit makes those states candidates whose won children above are all decided
// now, and settles which of them are lost.
func (f *fixpoint) admit(w *worker, unit int) {
	greatest := f.unitNumbers(w, greatestDigits, f.inject.greatest, unit)
	ready, any := f.due(w, f.of(f.inject.waiting, unit), greatest)
	if !any {
		return
	}
	candidates := f.of(f.candidates, unit)
	for i, x := range ready {
		candidates[i] |= x
	}
	f.settleLost(w, unit, ready, w.fullSummary(len(ready)))
}

// redeem makes those states won that have a lost child above decided now.
func (f *fixpoint) redeem(w *worker, unit int) {
	least := f.unitNumbers(w, leastDigits, f.inject.least, unit)
	if won, any := f.due(w, f.of(f.inject.hasLost, unit), least); any {
		f.settleWon(w, unit, won, w.fullSummary(len(won)))
	}
}

// due takes those states out whose number is that of the ply before this one, and
// reports whether there are any.
func (f *fixpoint) due(w *worker, states []uint64, n bitslice.Numbers) (due []uint64, any bool) {
	due = w.dirtyBuffer(readBuffer, len(states))
	for i, x := range states {
		if x != 0 {
			x &= n.Equal(i, f.step-1)
		}
		due[i] = x
		states[i] &^= x
		any = any || x != 0
	}
	return due, any
}

// stamp writes the steps of states labelled now, in word at of a unit.
func (f *fixpoint) stamp(unit, at int, states uint64) {
	for d, plane := range f.level.digits {
		if f.step>>uint(d)&1 == 1 {
			f.of(plane, unit)[at] |= states
		}
	}
}
