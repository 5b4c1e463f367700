package retro

import (
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// readAbove folds the outcomes of the class above into the planes of the shard, without steps: the states
// with a lost child into that of won states to be, and those with a child that is not won into
// the candidates. It reads the class above piece by piece.
func (s *sharded) readAbove() {
	if s.above == nil {
		return
	}
	needed := s.neededAbove(s.above.file.section)
	// Two planes of the shard are in use so far.
	s.eachWindowAbove(needed, s.above.file.section, int(plan.ShardPlanes(false)-2)*s.share/2, func(first, end int) { s.foldAbove(needed, first, end) })
}

// eachWindowAbove calls a function with windows of the class above in whole blocks, whose needed sections
// have at most about the given number of words. A section takes the memory of the large pages that it is on.
func (s *sharded) eachWindowAbove(needed []atomic.Bool, section, words int, do func(first, end int)) {
	held := s.onLargePages(section, len(needed), func(section int) bool { return needed[section].Load() })
	inBlock := max(s.above.words/section, 1)
	eachWindow(len(needed), max(words/section/inBlock, 1)*inBlock, held, do)
}

// onLargePages returns whether a section takes memory where some have it: a large page is in memory as a
// whole.
func (e *engine) onLargePages(section, sections int, has func(section int) bool) (held func(section int) bool) {
	page := max(e.pageWords/section, 1) // sections on a large page
	return func(section int) bool {
		first := section / page * page
		for at := first; at < min(first+page, sections); at++ {
			if has(at) {
				return true
			}
		}
		return false
	}
}

// neededAbove returns which sections of the class above links of the shard lead to. section is their length
// in words.
func (s *sharded) neededAbove(section int) []atomic.Bool {
	words := s.above.words
	needed := make([]atomic.Bool, (len(s.above.class.Masks)*words+section-1)/section)
	s.run(func(w *work.Worker, unit int) {
		block, part := s.units.Block(unit)
		if part.Value > 0 {
			return // another unit of the same block has the same links
		}
		w.Moves = s.class.Cut.Moves(s.class.Masks[block], w.Moves[:0])
		for _, m := range w.Moves {
			if !m.Within {
				first := s.class.Cut.Block(m.Child) * words
				for at := first / section; at*section < first+words; at++ {
					raise(&needed[at])
				}
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
	_ = s.each(file, take, first, end, winPlane, s.aboveWin, s.aboveLose) // kept by the pool
	from, _ := file.bounds(first)
	_, to := file.bounds(end - 1)
	s.run(func(w *work.Worker, unit int) {
		block, part := s.units.Block(unit)
		s.eachAbove(w, block, from/s.above.words, to/s.above.words, func(child int, m *bitslice.IndexMap) {
			by := w.Plan(m)
			w.Fold(bitslice.Or, by, s.units.Of(s.newWon.plane, unit), part, s.above.slice(s.aboveLose, child), nil)
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
	s.listNeeds(w, block)
	hasLost := w.DirtyBuffer(readBuffer, s.units.Words)
	won := s.units.Of(s.newWon.plane, unit)
	copy(hasLost, won)
	clear(won)
	s.decide(w, unit, home, over, hasLost)
}
