package retro

import (
	"math"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// readAbove folds the outcomes of the class above into the planes of the shard: the states
// with a lost child into that of won states to be, and those with a child that is not won into
// the candidates. It reads the class above piece by piece.
func (s *sharded) readAbove() {
	if s.above == nil {
		return
	}
	needed, file := s.neededAbove(), s.above.file
	// Two planes of the shard are in use so far. A section takes the memory of the large pages that it
	// is on.
	atOnce := max(int(plan.ShardPlanes(false)-2)*s.share/(2*file.section), 1)
	onPage := max(largePage/(8*file.section), 1)
	held := func(section int) bool {
		first := section / onPage * onPage
		for at := first; at < min(first+onPage, len(needed)); at++ {
			if needed[at].Load() {
				return true
			}
		}
		return false
	}
	eachWindow(len(needed), atOnce, held, func(first, end int) { s.foldAbove(needed, first, end) })
}

// largePage is the bytes of a large page of memory.
const largePage = 2 << 20

// neededAbove returns which sections of the class above links of the shard lead to.
func (s *sharded) neededAbove() []atomic.Bool {
	file, words := s.above.file, s.above.words
	needed := make([]atomic.Bool, file.sections())
	s.run(func(w *work.Worker, unit int) {
		block, part := s.units.Block(unit)
		if part.Value > 0 {
			return // another unit of the same block has the same links
		}
		w.Moves = s.class.Cut.Moves(s.class.Masks[block], w.Moves[:0])
		for _, m := range w.Moves {
			if !m.Within {
				raise(&needed[s.class.Cut.Block(m.Child)*words/file.section])
			}
		}
	})
	return needed
}

func (s *sharded) foldAbove(needed []atomic.Bool, first, end int) {
	file := s.above.file
	take := func(plane, section int, words []uint64) error {
		if !needed[section].Load() {
			return nil
		}
		return file.take(plane, section, words)
	}
	planes := [][]uint64{s.aboveWin, s.aboveLose}
	if s.o.Steps { // losses above count ply by ply
		planes = planes[:1]
	}
	_ = s.each(file, take, first, end, winPlane, planes...) // kept by the pool
	from, _ := file.bounds(first)
	_, to := file.bounds(end - 1)
	s.run(func(w *work.Worker, unit int) {
		block, part := s.units.Block(unit)
		s.eachAbove(w, block, from/s.above.words, to/s.above.words, func(child int, m *bitslice.IndexMap) {
			by := w.Plan(m)
			if !s.o.Steps {
				w.Fold(bitslice.Or, by, s.units.Of(s.newWon.plane, unit), part, s.above.slice(s.aboveLose, child), nil)
			}
			w.Fold(bitslice.OrNot, by, s.units.Of(s.candidates, unit), part, s.above.slice(s.aboveWin, child), nil)
		})
	})
	memory.Release(s.aboveWin, from, to)
	memory.Release(s.aboveLose, from, to)
}

// openUnit is fixpoint.open after readAbove.
func (s *sharded) openUnit(w *work.Worker, unit int) {
	block, _ := s.units.Block(unit)
	home, t := s.labelTerminals(w, unit)
	over := s.readTerminals(w, t)
	w.Needs = s.within.needs(w.Needs[:0], block)
	s.eachAbove(w, block, 0, math.MaxInt, func(_ int, m *bitslice.IndexMap) { w.Needs = append(w.Needs, m.One&(1<<uint(m.Dst)-1)) })
	hasLost := w.DirtyBuffer(readBuffer, s.units.Words)
	won := s.units.Of(s.newWon.plane, unit)
	copy(hasLost, won)
	clear(won)
	s.decide(w, unit, home, over, hasLost)
}
