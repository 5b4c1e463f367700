package retro

import (
	"math/bits"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/work"
)

// propagateOutcomes labels the rest of the class without steps. Passes alternate between
// the parents of newly lost states and those of newly won states.
func (f *fixpoint) propagateOutcomes() {
	// In the first pass all labels are new.
	f.propagate(f.winning(), f.newLost)
	f.clear(f.newLost, f.newWon)
	f.run(func(w *work.Worker, unit int) {
		touched := w.DirtyBuffer(readBuffer, f.units.Words)
		copy(touched, f.units.Of(f.candidates, unit))
		f.labelLost(w, unit, touched, w.FullSummary(f.units.Words))
	})
	f.propagateLost()
}

func (f *fixpoint) propagateLost() {
	for f.newLost.any.Load() {
		f.progress.Pass()
		f.propagate(f.winning(), f.newLost)
		f.clear(f.newLost)
		f.propagateWon()
	}
}

func (f *fixpoint) propagateWon() {
	f.propagate(f.losing(), f.newWon)
	f.clear(f.newWon)
}

func (f *fixpoint) winning() step {
	return step{to: f.newWon, label: f.labelWon, among: f.undecided}
}

func (f *fixpoint) losing() step {
	return step{to: f.nextLost, label: f.labelLost, among: f.candidates, readingAmong: true}
}

// labelFunc labels those states of a unit that a frontier touched. touched is in the order
// of reading and may be overwritten. Groups without a bit in summary are empty.
type labelFunc func(w *work.Worker, unit int, touched, summary []uint64)

func (f *fixpoint) labelWon(w *work.Worker, unit int, touched, summary []uint64) {
	f.label(w, f.level.win, f.newWon, unit, touched, summary)
}

// labelLost labels touched candidates as lost if all their children in the class are won.
func (f *fixpoint) labelLost(w *work.Worker, unit int, touched, summary []uint64) {
	if f.test(w, unit, touched, summary, f.candidates) {
		f.label(w, nil, f.nextLost, unit, touched, summary)
	}
}

// test keeps those touched states among the given ones whose children within reach are all won.
// It returns false where there are none to test.
func (f *fixpoint) test(w *work.Worker, unit int, touched, summary, among []uint64) bool {
	states, marked := keepIn(touched, summary, f.units.Of(among, unit))
	switch {
	case states == 0:
		return false
	case states <= marked*fewStates:
		f.keepLost(w, unit, touched, summary)
	default:
		f.foldLost(w, unit, touched, summary)
	}
	return true
}

// fewStates is the most states of a group that are tested one by one.
const fewStates = 16

// foldLost keeps the touched states that are lost. It folds whole slices.
func (f *fixpoint) foldLost(w *work.Worker, unit int, touched, summary []uint64) {
	block, part := f.units.Block(unit)
	links := f.within.reaching(block, f.reach)
	for i, l := range links {
		if !anyTouched(touched, summary) {
			return
		}
		if f.within.far && i+prefetchDistance < len(links) {
			next := links[i+prefetchDistance]
			f.within.plan(next).Prefetch()
			bitslice.PrefetchWords(f.level.slice(f.level.win, int(next.child)))
		}
		if i+1 < len(links) {
			f.prefetchNext(w, f.level.slice(f.level.win, int(links[i+1].child)))
		}
		w.Fold(bitslice.And, f.within.plan(l), touched, part, f.level.slice(f.level.win, int(l.child)), summary)
	}
}

func (f *fixpoint) prefetchNext(w *work.Worker, next []uint64) {
	if f.units.PerBlock == 1 {
		w.PrefetchNext(next)
	}
}

// keepLost is foldLost, state by state.
func (f *fixpoint) keepLost(w *work.Worker, unit int, touched, summary []uint64) {
	block, part := f.units.Block(unit)
	first := part.Value << uint(part.Bits) // word of the slice
	states := w.States[:0]
	for from, to := range groups(summary, len(touched)) {
		states = appendStates(states, touched[from:to], first|uint32(from))
		clear(touched[from:to])
	}
	w.States = states
	links := f.within.reaching(block, f.reach)
	for len(states) > 0 && len(links) > 0 {
		n := min(linksAtOnce, len(links))
		states = f.allWon(w, states, links[:n])
		links = links[n:]
	}
	for _, state := range states {
		touched[state>>6-first] |= 1 << (state & 63)
	}
}

// linksAtOnce is the number of links over which children are read together. With more,
// more reads wait for memory at once; with fewer, states are ruled out sooner.
const linksAtOnce = 4

// allWon returns the states all of whose children over the given links are won.
func (f *fixpoint) allWon(w *work.Worker, states []uint32, links []link) []uint32 {
	n := len(states)
	w.Parents = slices.Grow(w.Parents[:0], n*len(links))[:n*len(links)]
	for i, l := range links {
		children := w.Parents[i*n:][:n]
		f.within.plan(l).Down(&w.Route, n)
		w.Route.MapAll(children, states)
		bitslice.Prefetch(f.level.slice(f.level.win, int(l.child)), children)
	}
	for i, l := range links {
		win := f.level.slice(f.level.win, int(l.child))
		for k, child := range w.Parents[i*n:][:n] {
			in := child &^ bitslice.Absent
			escapes := uint32(^win[in>>6]>>(in&63)) &^ (child >> 31) & 1
			states[k] |= escapes << 31
		}
	}
	kept := 0
	for _, state := range states {
		states[kept] = state
		kept += 1 - int(state>>31)
	}
	return states[:kept]
}

// keepIn keeps the touched states that are among the given ones, and counts them and touched groups.
func keepIn(touched, summary, among []uint64) (states, marked int) {
	for from, to := range groups(summary, len(touched)) {
		marked++
		for mask := bitslice.NonZero(touched[from:to]); mask != 0; mask &= mask - 1 {
			i := from + bits.TrailingZeros64(mask)
			touched[i] &= among[i]
			states += bits.OnesCount64(touched[i])
		}
	}
	return states, marked
}

func anyTouched(touched, summary []uint64) bool {
	for from, to := range groups(summary, len(touched)) {
		if bitslice.Any(touched[from:to]) {
			return true
		}
	}
	return false
}

// groups yields the groups of words whose bit in the summary is set.
func groups(summary []uint64, words int) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		for i, s := range summary {
			for ; s != 0; s &= s - 1 {
				from := (i<<6 | bits.TrailingZeros64(s)) << bitslice.GroupBits
				if !yield(from, min(from+1<<bitslice.GroupBits, words)) {
					return
				}
			}
		}
	}
}

// label decides the touched undecided states. It adds them to a frontier and, unless it is
// nil, to won. touched is in the order of reading, the planes in that of the index.
func (f *fixpoint) label(w *work.Worker, won []uint64, n *frontier, unit int, touched, summary []uint64) {
	home := f.units.Mirror(unit)
	undecided, fresh, marks := f.units.Of(f.undecided, home), n.unit(f.units, home), w.FreshMarks(f.units.Words)
	candidates, count := f.units.Of(f.candidates, unit), 0
	if won == nil {
		won = fresh
	} else {
		won = f.units.Of(won, home)
	}
	for from, end := range groups(summary, len(touched)) {
		first, last := len(touched)-end, len(touched)-from
		labelled := bitslice.LabelReversed(f.units.K, touched[from:end], candidates[from:end], undecided[first:last], fresh[first:last], won[first:last])
		if labelled > 0 {
			mark(marks, first)
		}
		count += labelled
	}
	n.mark(w, home, f.units, marks, count)
	if count > 0 && f.relabelled != nil {
		raise(&f.relabelled[home*f.units.Words/f.perSection])
	}
}
