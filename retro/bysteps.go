package retro

import (
	"math/bits"

	"backsolve/bitslice"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// bySteps is what a solve with steps has beside the rest of a fixpoint. It
// reads what the class above decides from that class's logs, ply by ply, so that no numbers
// are held in memory.
type bySteps struct {
	above *linkage
	// delta is the frontier of one ply in the class above.
	delta *frontier
	// ready has the candidates by the ply after which no child above spares them any
	// more, in the order of reading.
	ready *plylog.Log
}

func (s *bySteps) free() {
	s.above.free()
	s.delta.free()
	s.ready.Close()
}

// solveBySteps labels the class ply by ply: in ply t the states whose value is decided
// in t steps, from those decided in t−1, here and above.
func (f *fixpoint) solveBySteps() error {
	if err := f.findReady(); err != nil {
		return err
	}
	if err := f.job.releaseAbove(); err != nil {
		return err
	}
	l := f.job.level
	if err := f.reserve(&l.win, &f.undecided); err != nil {
		return err
	}
	if err := f.reserveFrontiers(&f.newWon, &f.newLost); err != nil {
		return err
	}
	var err error
	if f.within, err = f.job.link(true); err != nil {
		return err
	}
	if l.won, err = f.job.newLog(); err != nil {
		return err
	}
	if l.lost, err = f.job.newLog(); err != nil {
		return err
	}
	if err := f.job.class.Pool.Run(f.units.N, f.openTerminals, nil); err != nil {
		return err
	}
	return f.propagateBySteps()
}

// findReady finds out after which ply each candidate has won children above alone:
// the last ply in which one of them was won. So the plies are gone through from the
// last on, and the first that touches a candidate is its own.
func (f *fixpoint) findReady() (err error) {
	s, above := &f.bySteps, f.job.above
	if err = f.reserve(&f.candidates); err != nil {
		return err
	}
	if err = f.reserveFrontiers(&f.nextLost); err != nil {
		return err
	}
	if s.above, err = f.job.link(false); err != nil {
		return err
	}
	if s.ready, err = f.job.newLog(); err != nil {
		return err
	}
	if err = f.job.class.Pool.Run(f.units.N, f.listCandidates, nil); err != nil {
		return err
	}
	if above != nil {
		if s.delta, err = newFrontier(f.job.ledger, len(above.class.Masks), above.words); err != nil {
			return err
		}
		for ply := above.won.Plies() - 1; ply > 0; ply-- {
			if err := f.load(above.won, ply); err != nil {
				return err
			}
			if err := f.propagate(f.readying(), source{s.above, s.delta}); err != nil {
				return err
			}
			if err := f.clear(s.delta); err != nil {
				return err
			}
			if err := f.retire(f.nextLost, s.ready, ply, nil); err != nil {
				return err
			}
		}
	}
	// All that is left has no child above but terminal ones.
	err = f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		candidates := f.units.Of(f.candidates, unit)
		f.nextLost.publish(w, unit, f.units, candidates)
		clear(candidates)
	}, nil)
	if err != nil {
		return err
	}
	return f.retire(f.nextLost, s.ready, 0, nil)
}

// listCandidates finds a unit's candidates: the states that are not over, and all of
// whose children above are won.
func (f *fixpoint) listCandidates(w *work.Worker, unit int) {
	block, part := f.units.Block(unit)
	_, homePart := f.units.Block(f.mirrored(unit))
	over := f.readTerminals(w, f.job.class.Terminals(w, block, w.Buffer(work.WonBuffer, f.units.Words), homePart))
	candidates := f.units.Of(f.candidates, unit)
	above := f.bySteps.above
	links := above.of(block)
	for i, l := range links {
		if i+1 < len(links) {
			f.prefetchNext(w, f.job.above.slice(f.job.above.win, int(links[i+1].child)))
		}
		w.Fold(bitslice.OrNot, above.plan(l), candidates, part, f.job.above.slice(f.job.above.win, int(l.child)), nil)
	}
	valid := bitslice.Valid(f.units.K)
	for i, x := range over {
		candidates[i] = valid &^ (candidates[i] | x)
	}
}

// readying is the step by which candidates have only won children above.
func (f *fixpoint) readying() step {
	return step{to: f.nextLost, label: f.markReady, among: f.candidates, readingAmong: true, readingTo: true}
}

// markReady takes the touched states out of the candidates and into the frontier.
func (f *fixpoint) markReady(w *work.Worker, unit int, touched, summary []uint64) {
	candidates, to := f.units.Of(f.candidates, unit), f.units.Of(f.nextLost.plane, unit)
	marks, count := w.FreshMarks(f.units.Words), 0
	for from, end := range groups(summary, len(touched)) {
		for words := bitslice.NonZero(touched[from:end]); words != 0; words &= words - 1 {
			i := from + bits.TrailingZeros64(words)
			if x := touched[i] & candidates[i]; x != 0 {
				candidates[i] &^= x
				to[i] |= x
				count += bits.OnesCount64(x)
				mark(marks, i)
			}
		}
	}
	f.nextLost.mark(unit, f.units, marks, count)
}

// openTerminals labels a unit's terminal states.
func (f *fixpoint) openTerminals(w *work.Worker, unit int) {
	block, part := f.units.Block(unit)
	home, t := f.labelTerminals(w, unit)
	f.newWon.publish(w, home, f.units, t.Won)
	f.newLost.publish(w, home, f.units, t.Lost)
	w.Needs = f.within.needs(f.bySteps.above.needs(w.Needs[:0], block), block)
	f.job.class.CheckMovable(w, block, part, f.readTerminals(w, t))
}

// propagateBySteps goes through the plies. Each is written to the class's logs when its
// frontiers have done their part.
func (f *fixpoint) propagateBySteps() error {
	s, l := &f.bySteps, f.job.level
	lostAbove := f.job.lostAbove()
	for ply := 1; ply <= max(s.ready.Plies(), lostAbove.Plies()) || f.newWon.any.Load() || f.newLost.any.Load(); ply++ {
		f.job.progress.Pass(ply)
		// Lost states first: they need what is won in fewer than t steps.
		if err := f.loseBySteps(ply); err != nil {
			return err
		}
		if err := f.retire(f.newWon, l.won, ply-1, winsOf); err != nil {
			return err
		}
		if err := f.load(lostAbove, ply-1); err != nil {
			return err
		}
		if err := f.propagate(f.winning(), f.lostSources()...); err != nil {
			return err
		}
		if s.delta != nil {
			if err := f.clear(s.delta); err != nil {
				return err
			}
		}
		if err := f.retire(f.newLost, l.lost, ply-1, lossesOf); err != nil {
			return err
		}
		f.newLost, f.nextLost = f.nextLost, f.newLost
	}
	return nil
}

// lostSources are the frontiers that make states won: those of the class and of the
// one above.
func (f *fixpoint) lostSources() []source {
	sources := []source{{f.within, f.newLost}}
	if f.bySteps.delta != nil {
		sources = append(sources, source{f.bySteps.above, f.bySteps.delta})
	}
	return sources
}

// directCost is how many states of a group must have been won for it to be cheaper to look
// at all candidates than to ask which of them are touched.
const directCost = 8

// turnedDirectCost is the same where slices are short, and folded at the cost of a few states.
const transposedDirectCost = 2

func (f *fixpoint) directCost() int64 {
	if bitslice.Turned(f.units.K) > 0 {
		return transposedDirectCost
	}
	return directCost
}

// loseBySteps labels the states that are lost in a ply. Where many have been
// won, nearly every candidate is touched, and all are looked at without asking which.
func (f *fixpoint) loseBySteps(ply int) error {
	won := source{f.within, f.newWon}
	direct := f.newWon.any.Load() && f.dense(won, f.directCost())
	if err := f.takeReady(ply-1, !direct); err != nil {
		return err
	}
	if !direct {
		return f.propagate(f.losing(), won)
	}
	return f.job.class.Pool.Run(f.units.N, func(w *work.Worker, unit int) {
		touched, summary := w.DirtyBuffer(readBuffer, f.units.Words), w.FreshSummary(f.units.Words)
		if copyMarked(touched, f.units.Of(f.candidates, unit), summary) {
			f.labelLost(w, unit, touched, summary)
		}
	}, nil)
}

// copyMarked copies words, marks the groups that have anything, and reports whether
// any has.
func copyMarked(dst, src, marks []uint64) (any bool) {
	for i := 0; i < len(src); i += 1 << bitslice.GroupBits {
		var all uint64
		group := src[i:min(i+1<<bitslice.GroupBits, len(src))]
		for k, x := range group {
			dst[i+k] = x
			all |= x
		}
		if all != 0 {
			mark(marks, i)
			any = true
		}
	}
	return any
}

// takeReady makes those states candidates whose children above are all won since the
// ply, and touches them where it is asked to.
func (f *fixpoint) takeReady(ply int, touch bool) error {
	log := f.bySteps.ready
	if !log.Any(ply) {
		return nil
	}
	words := f.job.level.words
	order := f.order(words)
	if touch {
		f.nextLost.any.Store(true)
	}
	return f.job.class.Pool.Run(log.Sections(), func(w *work.Worker, section int) {
		f.job.class.Pool.Fail(log.Read(ply, section, &w.Log))
		first, _ := log.Section(section)
		count := 0
		for i, at := range w.Log.At {
			word, x := first+int(at), w.Log.Words[i]
			f.candidates[word] |= x
			if !touch {
				continue
			}
			count += bits.OnesCount64(x)
			in, x := order.word(word%words, x)
			f.nextLost.set(word/words, in, x)
		}
		f.nextLost.states.Add(int64(count))
	}, nil)
}
