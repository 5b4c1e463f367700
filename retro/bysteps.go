package retro

import (
	"slices"

	"backsolve/bitslice"
	"backsolve/retro/internal/work"
)

// fromAbove is what the class above contributes to a solve with steps, in the
// order of reading: a state with a lost child there is won one ply after the
// least steps of these, and a state without any other escape can be lost only
// after the greatest steps of its won children there.
type fromAbove struct {
	hasLost  []uint64
	least    bitslice.Numbers
	onlyWon  []uint64 // candidates-to-be
	greatest bitslice.Numbers
	until    []int32 // by unit: the greatest of all these numbers, −1: none
}

func (in *fromAbove) reserve(f *fixpoint) (err error) {
	words := len(f.candidates)
	planes := []*[]uint64{&in.hasLost, &in.onlyWon}
	if f.job.above != nil {
		in.least = make(bitslice.Numbers, len(f.job.above.digits))
		in.greatest = make(bitslice.Numbers, len(f.job.above.digits))
	}
	for d := range in.least {
		planes = append(planes, &in.least[d], &in.greatest[d])
	}
	for _, p := range planes {
		if *p, err = f.job.ledger.Plane(words); err != nil {
			return err
		}
	}
	in.until = make([]int32, f.units.N)
	return nil
}

func (in *fromAbove) free(l *work.Ledger) {
	for _, p := range slices.Concat([][]uint64{in.hasLost, in.onlyWon}, in.least, in.greatest) {
		l.Free(p)
	}
}

// unitNumbers returns a unit's stretch of numbers.
func (f *fixpoint) unitNumbers(w *work.Worker, set int, n bitslice.Numbers, unit int) bitslice.Numbers {
	of := w.Sets[set][:0]
	for _, plane := range n {
		of = append(of, f.units.Of(plane, unit))
	}
	w.Sets[set] = of
	return of
}

// readAbove notes what the class above will decide of a unit, and when. The
// worker holds the unit's links; the terminal states are in the order of reading.
func (f *fixpoint) readAbove(w *work.Worker, unit int, part bitslice.Part, over []uint64) {
	in := &f.fromAbove
	hasLost, onlyWon := f.units.Of(in.hasLost, unit), f.units.Of(in.onlyWon, unit)
	least := f.unitNumbers(w, leastDigits, in.least, unit)
	greatest := f.unitNumbers(w, greatestDigits, in.greatest, unit)
	escape := w.Buffer(readBuffer, f.units.Words)
	for i := range w.Links {
		childWin, childLose, v := f.job.above.gather(w, f.units, i, part)
		for i, cw := range childWin {
			least.KeepLeast(i, &hasLost[i], childLose[i], v, i)
			greatest.KeepGreatest(i, cw, v, i)
			escape[i] |= ^cw
		}
	}
	valid := bitslice.Valid(f.units.K)
	for i, x := range over {
		hasLost[i] &^= x
		onlyWon[i] = valid &^ (escape[i] | x)
	}
	scratch := w.DirtyBuffer(readBuffer, len(hasLost))
	in.until[unit] = int32(max(least.Max(hasLost, scratch), greatest.Max(onlyWon, scratch)))
}

// spreadBySteps labels the class ply by ply: in ply t the states whose value is
// decided in t steps, from those decided in t−1.
func (f *fixpoint) spreadBySteps() error {
	last := int(slices.Max(f.fromAbove.until))
	for f.ply = 1; f.ply-1 <= last || f.newWon.any.Load() || f.newLost.any.Load(); f.ply++ {
		f.job.progress.Pass(f.ply)
		for f.ply>>uint(len(f.job.level.digits)) != 0 {
			if err := f.job.level.addDigit(); err != nil {
				return err
			}
		}
		// Lost states first: they need what is won in fewer than t steps.
		if err := f.propagate(f.newWon, f.nextLost, f.settleLost); err != nil {
			return err
		}
		if err := f.eachDue(f.loseFromAbove); err != nil {
			return err
		}
		if err := f.clear(f.newWon); err != nil {
			return err
		}
		if err := f.propagate(f.newLost, f.newWon, f.settleWon); err != nil {
			return err
		}
		if err := f.eachDue(f.winFromAbove); err != nil {
			return err
		}
		if err := f.clear(f.newLost); err != nil {
			return err
		}
		f.newLost, f.nextLost = f.nextLost, f.newLost
	}
	return nil
}

// eachDue does what is due to the class above in the units that still have
// something to come.
func (f *fixpoint) eachDue(do func(w *work.Worker, unit int)) error {
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		if int(f.fromAbove.until[unit]) >= f.ply-1 {
			do(w, unit)
		}
	}, nil)
}

// loseFromAbove makes those states candidates whose won children above are all decided
// now, and settles which of them are lost.
func (f *fixpoint) loseFromAbove(w *work.Worker, unit int) {
	greatest := f.unitNumbers(w, greatestDigits, f.fromAbove.greatest, unit)
	ready, any := f.due(w, f.units.Of(f.fromAbove.onlyWon, unit), greatest)
	if !any {
		return
	}
	candidates := f.units.Of(f.candidates, unit)
	for i, x := range ready {
		candidates[i] |= x
	}
	f.settleLost(w, unit, ready, w.FullSummary(len(ready)))
}

// winFromAbove makes those states won that have a lost child above decided now.
func (f *fixpoint) winFromAbove(w *work.Worker, unit int) {
	least := f.unitNumbers(w, leastDigits, f.fromAbove.least, unit)
	if won, any := f.due(w, f.units.Of(f.fromAbove.hasLost, unit), least); any {
		f.settleWon(w, unit, won, w.FullSummary(len(won)))
	}
}

// due takes those states out whose number is that of the ply before this one, and
// reports whether there are any.
func (f *fixpoint) due(w *work.Worker, states []uint64, n bitslice.Numbers) (due []uint64, any bool) {
	due = w.DirtyBuffer(readBuffer, len(states))
	for i, x := range states {
		if x != 0 {
			x &= n.Equal(i, f.ply-1)
		}
		due[i] = x
		states[i] &^= x
		any = any || x != 0
	}
	return due, any
}

// stamp writes the steps of states labelled now, in word at of a unit.
func (f *fixpoint) stamp(unit, at int, states uint64) {
	for d, plane := range f.job.level.digits {
		if f.ply>>uint(d)&1 == 1 {
			f.units.Of(plane, unit)[at] |= states
		}
	}
}
