package retro

import (
	"math/bits"

	"backsolve/internal/bitslice"
	"backsolve/internal/plan"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// bySteps is a fixpoint that labels ply by ply. What the class above decides is found first, from the logs of
// that class, and logged by ply, too, so that no steps are held in memory while labels propagate.
type bySteps struct {
	*fixpoint
	// ready has the candidates by the ply after which all their children above are won, and wonAbove the
	// states that are won by a lost child above, by the least steps of one. Both are in the order of reading.
	ready, wonAbove *plylog.Log
}

func (s *bySteps) freeSteps() {
	s.count(nil, s.ready, s.wonAbove)
	s.ready.Close()
	s.wonAbove.Close()
}

// solve labels the class ply by ply. In ply t it labels the states that are decided in t
// steps, from those decided in t−1 steps in this class and the one above.
func (s *bySteps) solve() error {
	l := s.level
	err := s.newLogs(s.class.Class, s.sectionBits, &l.won, &l.lost)
	if err != nil {
		return err
	}
	// A thread holds what it decides of a section.
	if err = s.newLogs(s.class.Class, min(s.sectionBits, plan.ShardSectionBits(true)), &s.ready, &s.wonAbove); err != nil {
		return err
	}
	if err = s.decideAbove(); err != nil {
		return err
	}
	if err = s.releaseAbove(); err != nil {
		return err
	}
	if err = allocate(s.ledger.DirtyPlane, l.planeWords(), &l.win, &s.undecided, &s.candidates); err != nil {
		return err
	}
	if err = s.reserveFrontiers(s.ledger.Plane, &s.newWon, &s.newLost, &s.nextLost); err != nil {
		return err
	}
	if s.within, err = newLinkage(s.job, len(s.candidates), 0, len(s.class.Masks)); err != nil {
		return err
	}
	s.run(s.openTerminals)
	s.propagatePlies()
	return s.class.Pool.Cause()
}

// logsAbove returns the logs of the class above, none for the fullest class.
func (j *job) logsAbove() (l logs) {
	if j.above != nil {
		l = j.above.logs
	}
	return l
}

// until returns the ply up to which the class above may decide states.
func (s *bySteps) until() int { return max(s.ready.Plies(), s.logsAbove().lost.Plies()) }

func (s *bySteps) openTerminals(w *work.Worker, unit int) {
	block, part := s.units.Block(unit)
	clear(s.units.Of(s.candidates, unit)) // until they are ready
	home, t := s.labelTerminals(w, unit)
	s.newWon.publish(w, home, s.units, t.Won)
	s.newLost.publish(w, home, s.units, t.Lost)
	s.listNeeds(w, block)
	s.class.CheckMovable(w, block, part, s.readTerminals(w, t))
}

// propagatePlies labels all plies. The labels of a ply go to the logs once they have been propagated.
func (s *bySteps) propagatePlies() {
	for ply := 1; ply <= s.until() || s.newWon.any.Load() || s.newLost.any.Load(); ply++ {
		s.progress.Pass()
		// Lost states come first, as they need the states that are won in fewer steps.
		s.losePly(ply)
		s.retire(s.newWon, s.level.won, ply-1)
		s.propagate(s.winning(), s.newLost)
		s.labelWonAbove(ply-1, s.level.win)
		s.retire(s.newLost, s.level.lost, ply-1)
		s.newLost, s.nextLost = s.nextLost, s.newLost
	}
}

// directCost is the number of newly won states a group from which on testing all candidates
// is cheaper than finding those that are touched. Short slices fold at the cost of a few states.
func (s *bySteps) directCost() int64 {
	if bitslice.RowsFolded(s.units.K) > 0 {
		return 2
	}
	return 8
}

// losePly labels the states that are lost in a ply. Where many states were won, nearly every
// candidate is touched, so all are tested.
func (s *bySteps) losePly(ply int) {
	if s.newWon.any.Load() && s.dense(s.newWon, s.directCost()) {
		s.takeReady(ply-1, nil)
		s.run(s.testCandidates)
	} else {
		s.takeReady(ply-1, s.nextLost)
		s.propagate(s.losing(), s.newWon)
	}
}

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

// takeReady makes the states that are ready since the ply candidates. It also puts them into a
// frontier unless that is nil.
func (s *bySteps) takeReady(ply int, touched *frontier) {
	log, words := s.ready, s.level.words
	if !log.Any(ply) {
		return
	}
	order := newOrder(s.units.K, words)
	first, end := s.sections(log)
	s.forEach(first, end, func(w *work.Worker, section int) {
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
			touched.states.add(w, count)
		}
	})
}
