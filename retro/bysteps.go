package retro

import (
	"math/bits"

	"backsolve/internal/bitslice"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// bySteps is a fixpoint that labels ply by ply. It reads the labels of the class above from
// its logs, ply by ply, so that no steps are held in memory.
type bySteps struct {
	*fixpoint
	toAbove *linkage
	// delta has the labels of one ply of the class above.
	delta *frontier
	// ready has the candidates by the ply after which all their children above are won, in
	// the order of reading.
	ready *plylog.Log
}

func (s *bySteps) freeSteps() {
	s.toAbove.free()
	s.delta.free()
	s.ready.Close()
}

// solve labels the class ply by ply. In ply t it labels the states that are decided in t
// steps, from those decided in t−1 steps in this class and the one above.
func (s *bySteps) solve() error {
	if err := s.findReady(); err != nil {
		return err
	}
	if err := s.releaseAbove(); err != nil {
		return err
	}
	l := s.level
	if err := s.reserve(&l.win, &s.undecided); err != nil {
		return err
	}
	if err := s.reserveFrontiers(s.ledger.DirtyPlane, &s.newWon, &s.newLost); err != nil {
		return err
	}
	var err error
	if s.within, err = newLinkage(s.job, true, len(s.candidates), 0, len(s.class.Masks)); err != nil {
		return err
	}
	if l.won, err = s.newLog(s.class.Class); err != nil {
		return err
	}
	if l.lost, err = s.newLog(s.class.Class); err != nil {
		return err
	}
	if err := s.run(s.openTerminals, nil); err != nil {
		return err
	}
	return s.propagatePlies()
}

// findReady finds the ply after which all children above of a candidate are won: the last
// ply in which one of them was won. It reads the plies backwards, so that the first ply that
// touches a candidate is the one.
func (s *bySteps) findReady() (err error) {
	above := s.above
	if err = s.reserve(&s.candidates); err != nil {
		return err
	}
	if err = s.reserveFrontiers(s.ledger.Plane, &s.nextLost); err != nil {
		return err
	}
	words := 0
	if above != nil {
		words = len(above.win)
	}
	if s.toAbove, err = newLinkage(s.job, false, words, 0, len(s.class.Masks)); err != nil {
		return err
	}
	if s.ready, err = s.newLog(s.class.Class); err != nil {
		return err
	}
	if err = s.run(s.listCandidates, nil); err != nil {
		return err
	}
	if above != nil {
		if s.delta, err = newFrontier(s.ledger, s.ledger.Plane, len(above.class.Masks), above.words); err != nil {
			return err
		}
		for ply := above.won.Plies() - 1; ply > 0; ply-- {
			if err := s.load(s.delta, above.won, ply, 0, above.won.Sections()); err != nil {
				return err
			}
			if err := s.propagate(s.readying(), source{s.toAbove, s.delta}); err != nil {
				return err
			}
			if err := s.clear(s.delta); err != nil {
				return err
			}
			if err := s.retire(s.nextLost, s.ready, ply, nil, 0, s.ready.Sections()); err != nil {
				return err
			}
		}
	}
	if err = s.run(s.readyRest, nil); err != nil {
		return err
	}
	return s.retire(s.nextLost, s.ready, 0, nil, 0, s.ready.Sections())
}

// readyRest makes the other candidates ready at once: they have no children above but terminal
// ones.
func (s *bySteps) readyRest(w *work.Worker, unit int) {
	candidates := s.units.Of(s.candidates, unit)
	s.nextLost.publish(w, unit, s.units, candidates)
	clear(candidates)
}

// listCandidates finds a unit's candidates: the non-terminal states all of whose children
// above are won.
func (s *bySteps) listCandidates(w *work.Worker, unit int) {
	block, part := s.units.Block(unit)
	candidates := s.units.Of(s.candidates, unit)
	clear(candidates)
	links := s.toAbove.of(block)
	for i, l := range links {
		if i+1 < len(links) {
			s.prefetchNext(w, s.above.slice(s.above.win, int(links[i+1].child)))
		}
		w.Fold(bitslice.OrNot, s.toAbove.plan(l), candidates, part, s.above.slice(s.above.win, int(l.child)), nil)
	}
	s.dropTerminals(w, unit)
}

// dropTerminals makes those states of a unit candidates that are not terminal and not among
// those with a child above that is not won, which the plane of candidates has so far.
func (s *bySteps) dropTerminals(w *work.Worker, unit int) {
	block, part := s.units.Block(s.units.Mirror(unit))
	over := s.readTerminals(w, s.class.Terminals(w, block, w.Buffer(work.WonBuffer, s.units.Words), part))
	candidates, valid := s.units.Of(s.candidates, unit), bitslice.Valid(s.units.K)
	for i, x := range over {
		candidates[i] = valid &^ (candidates[i] | x)
	}
}

// readying returns the step by which candidates become ready.
func (s *bySteps) readying() step {
	return step{to: s.nextLost, label: s.take(s.nextLost, s.candidates, false), among: s.candidates, readingAmong: true, readingTo: true}
}

// take returns what moves touched states of a plane to a frontier, or copies them. Both are in the
// order of reading.
func (f *fixpoint) take(n *frontier, plane []uint64, keep bool) labelFunc {
	return func(w *work.Worker, unit int, touched, summary []uint64) {
		among, to := f.units.Of(plane, unit), f.units.Of(n.plane, unit)
		marks, count := w.FreshMarks(f.units.Words), 0
		for from, end := range groups(summary, len(touched)) {
			for words := bitslice.NonZero(touched[from:end]); words != 0; words &= words - 1 {
				i := from + bits.TrailingZeros64(words)
				if x := touched[i] & among[i]; x != 0 {
					if to[i] |= x; !keep {
						among[i] &^= x
					}
					count += bits.OnesCount64(x)
					mark(marks, i)
				}
			}
		}
		n.mark(unit, f.units, marks, count)
	}
}

// openTerminals labels a unit's terminal states.
func (s *bySteps) openTerminals(w *work.Worker, unit int) {
	block, part := s.units.Block(unit)
	home, t := s.labelTerminals(w, unit)
	s.newWon.publish(w, home, s.units, t.Won)
	s.newLost.publish(w, home, s.units, t.Lost)
	w.Needs = s.within.needs(s.toAbove.needs(w.Needs[:0], block), block)
	s.class.CheckMovable(w, block, part, s.readTerminals(w, t))
}

// propagatePlies labels all plies. The labels of a ply go to the logs of the class once they
// have been propagated.
func (s *bySteps) propagatePlies() error {
	l := s.level
	var lostAbove *plylog.Log // nil for the fullest class
	if s.above != nil {
		lostAbove = s.above.lost
	}
	for ply := 1; ply <= max(s.ready.Plies(), lostAbove.Plies()) || s.newWon.any.Load() || s.newLost.any.Load(); ply++ {
		s.progress.Pass()
		// Lost states come first, as they need the states that are won in fewer steps.
		if err := s.losePly(ply); err != nil {
			return err
		}
		if err := s.retire(s.newWon, l.won, ply-1, winsOf, 0, l.won.Sections()); err != nil {
			return err
		}
		if lostAbove != nil {
			if err := s.load(s.delta, lostAbove, ply-1, 0, lostAbove.Sections()); err != nil {
				return err
			}
		}
		if err := s.propagate(s.winning(), s.lostSources()...); err != nil {
			return err
		}
		if s.delta != nil {
			if err := s.clear(s.delta); err != nil {
				return err
			}
		}
		if err := s.retire(s.newLost, l.lost, ply-1, lossesOf, 0, l.lost.Sections()); err != nil {
			return err
		}
		s.newLost, s.nextLost = s.nextLost, s.newLost
	}
	return nil
}

// lostSources returns the frontiers of lost states in this class and the one above.
func (s *bySteps) lostSources() []source {
	sources := []source{{s.within, s.newLost}}
	if s.delta != nil {
		sources = append(sources, source{s.toAbove, s.delta})
	}
	return sources
}

// directCost is the number of newly won states a group from which on testing all candidates
// is cheaper than finding those that are touched.
const directCost = 8

// transposedDirectCost is the same for short slices, which fold at the cost of a few states.
const transposedDirectCost = 2

func (s *bySteps) directCost() int64 {
	if bitslice.RowsFolded(s.units.K) > 0 {
		return transposedDirectCost
	}
	return directCost
}

// losePly labels the states that are lost in a ply. Where many states were won, nearly every
// candidate is touched, so all are tested.
func (s *bySteps) losePly(ply int) error {
	won := source{s.within, s.newWon}
	direct := s.newWon.any.Load() && s.dense(won, s.directCost())
	touched := s.nextLost
	if direct {
		touched = nil
	}
	if err := s.takeReady(ply-1, touched, 0, s.ready.Sections()); err != nil {
		return err
	}
	if direct {
		return s.run(s.testCandidates, nil)
	}
	return s.propagate(s.losing(), won)
}

// testCandidates labels all candidates of a unit whose children in the class are won.
func (s *bySteps) testCandidates(w *work.Worker, unit int) {
	touched, summary := w.DirtyBuffer(readBuffer, s.units.Words), w.FreshSummary(s.units.Words)
	if copyMarked(touched, s.units.Of(s.candidates, unit), summary) {
		s.labelLost(w, unit, touched, summary)
	}
}

// copyMarked copies words, marks the non-empty groups, and reports whether there are any.
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

// takeReady makes the states of a run of sections that are ready since the ply candidates. It
// also puts them into a frontier unless that is nil.
func (s *bySteps) takeReady(ply int, touched *frontier, first, end int) error {
	log := s.ready
	if !log.Any(ply) {
		return nil
	}
	words := s.level.words
	order := newOrder(s.units.K, words)
	return s.class.Pool.RunRange(first, end, func(w *work.Worker, section int) {
		s.class.Pool.Fail(log.Read(ply, section, &w.Log))
		first, _ := log.Section(section)
		count := 0
		for i, at := range w.Log.At {
			word, x := first+int(at), w.Log.Words[i]
			s.candidates[word] |= x
			if touched == nil {
				continue
			}
			count += bits.OnesCount64(x)
			in, x := order.word(word%words, x)
			touched.set(word/words, in, x)
		}
		if count > 0 {
			raise(&touched.any)
			touched.states.add(section, count)
		}
	}, nil)
}
