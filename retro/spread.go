package retro

import "backsolve/bitboard"

// spread labels the rest of the class, outcomes only: alternately the parents
// of newly lost states, and of newly won ones those that lost their last escape.
func (f *fixpoint) spread() error {
	// The first round takes all there is as new.
	if err := f.carry(f.newLost, f.newWon, f.settleWon); err != nil {
		return err
	}
	f.newLost.clear()
	f.newWon.clear()
	err := f.crew.run(f.n, func(w *worker, unit int) {
		touched := w.dirtyBuffer(readBuffer, f.units.words)
		copy(touched, f.of(f.candidates, unit))
		f.settleLost(w, unit, touched, nil)
	}, nil)
	for pass := 1; err == nil && f.newLost.count.Load() > 0; pass++ {
		f.report(pass)
		if err = f.carry(f.newLost, f.newWon, f.settleWon); err != nil {
			break
		}
		f.newLost.clear()
		err = f.carry(f.newWon, f.newLost, f.settleLost)
		f.newWon.clear()
	}
	return err
}

// settle labels states of a unit that news reached. touched is in the order of
// reading and may be overwritten; groups without a bit in summary are empty, and
// a nil summary says nothing.
type settle func(w *worker, unit int, touched, summary []uint64)

// settleWon makes the touched states won that are not decided yet.
func (f *fixpoint) settleWon(w *worker, unit int, touched, _ []uint64) {
	home := f.mirrored(unit)
	win, lose := f.of(f.level.win, home), f.of(f.level.lose, home)
	valid := bitboard.Valid(f.k)
	found := f.reversed(w.dirtyBuffer(gatherWinBuffer, len(touched)), touched)
	for i, x := range found {
		x &= valid &^ (win[i] | lose[i])
		found[i] = x
		win[i] |= x
	}
	candidates := f.of(f.candidates, unit)
	for i, x := range touched {
		candidates[i] &^= x
	}
	f.newWon.publish(home, f.units, found)
	f.stamp(home, found)
}

// settleLost makes the touched candidates lost that have no child in the class
// which is not won.
func (f *fixpoint) settleLost(w *worker, unit int, touched, summary []uint64) {
	candidates := f.of(f.candidates, unit)
	var any uint64
	for i := range touched {
		touched[i] &= candidates[i]
		any |= touched[i]
	}
	block, part := f.block(unit)
	for i := range f.linksOf(block) {
		if any == 0 {
			return
		}
		l := &f.linksOf(block)[i]
		w.Fold(bitboard.And, &l.Plan, touched, part, f.level.slice(f.level.win, int(l.Block)), summary)
		if any = 0; bitboard.Any(touched) {
			any = 1
		}
	}
	if any == 0 {
		return
	}
	for i, x := range touched {
		candidates[i] &^= x
	}
	home := f.mirrored(unit)
	lose := f.of(f.level.lose, home)
	found := f.reversed(w.dirtyBuffer(gatherWinBuffer, len(touched)), touched)
	for i, x := range found {
		lose[i] |= x
	}
	f.nextLost.publish(home, f.units, found)
	f.stamp(home, found)
}
