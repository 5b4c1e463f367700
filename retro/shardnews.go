package retro

import (
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/internal/memory"
	"backsolve/retro/internal/work"
)

// takeNews takes what the other shards labelled in their last turns to the fixpoint of the
// shard.
func (s *sharded) takeNews() error {
	for k := range s.shards {
		if k == s.current || !s.shards[k].labelled {
			continue
		}
		first, end := s.words(k)
		if err := s.load(s.newLost, 1, k); err != nil {
			return err
		}
		if err := s.propagateLost(); err != nil {
			return err
		}
		memory.Release(s.newLost.plane, first, end)
		if err := s.load(s.newWon, 0, k); err != nil {
			return err
		}
		if err := s.propagateWon(); err != nil {
			return err
		}
		memory.Release(s.newWon.plane, first, end)
		if err := s.propagateLost(); err != nil {
			return err
		}
	}
	return nil
}

// ofSection returns the part of a summary for a section.
func (s *sharded) ofSection(summary []uint64, section int) []uint64 {
	first, end := s.left.bounds(section)
	perSum, words := s.newWon.perSum, s.level.words
	return summary[first/words*perSum : end/words*perSum]
}

// load reads what a shard labelled into an empty frontier.
func (s *sharded) load(n *frontier, outcome, shard int) error {
	return s.eachSection(shard, func(w *work.Worker, section int) {
		first, end := s.left.bounds(section)
		buffer := w.DirtyBuffer(readBuffer, end-first)
		copy(s.ofSection(n.summary, section), s.ofSection(s.news[outcome], section))
		length, count := 0, 0
		s.eachGroup(n, section, func(group []uint64) { length += len(group) })
		if length == 0 {
			return
		}
		s.class.Pool.Fail(s.left.take(newsPlanes+outcome, section, buffer[:length]))
		s.eachGroup(n, section, func(group []uint64) {
			buffer = buffer[copy(group, buffer):]
			count += countStates(group)
		})
		n.states.Add(int64(count))
		n.any.Store(true)
	})
}

// eachGroup calls a function with the non-empty groups of a section of a frontier.
func (s *sharded) eachGroup(n *frontier, section int, do func(group []uint64)) {
	first, end := s.left.bounds(section)
	for block := first / n.words; block < end/n.words; block++ {
		plane, summary := n.of(block)
		for from, to := range groups(summary, len(plane)) {
			do(plane[from:to])
		}
	}
}

// leave writes the planes of the shard and what it labelled to the work files, and gives back
// their memory.
func (s *sharded) leave() error {
	var labelled atomic.Bool
	err := s.eachSection(s.current, func(w *work.Worker, section int) {
		if s.leaveSection(w, section) {
			labelled.Store(true)
		}
	})
	s.shards[s.current].labelled = labelled.Load()
	first, end := s.words(s.current)
	for _, plane := range [][]uint64{s.undecided, s.candidates, s.newWon.plane, s.newLost.plane} {
		memory.Release(plane, first, end)
	}
	s.newWon.empty()
	s.newLost.empty()
	return err
}

// leaveSection is leave for a section. It reports whether anything was labelled.
func (s *sharded) leaveSection(w *work.Worker, section int) bool {
	pool, file := s.class.Pool, s.level.file
	first, end := file.bounds(section)
	undecided, win := s.undecided[first:end], s.level.win[first:end]
	lost, won := w.DirtyBuffer(readBuffer, end-first), w.DirtyBuffer(hasBuffer, end-first)
	if s.turns <= len(s.shards) {
		s.undrawn(w, lost, first)
		pool.Fail(s.left.write(candidatesPlane, section, s.candidates[first:end]))
	} else {
		pool.Fail(file.take(losePlane, section, lost))
	}
	var any uint64
	for i, before := range lost {
		labelled := before &^ undecided[i]
		any |= labelled
		won[i], lost[i] = labelled&win[i], labelled&^win[i]
	}
	if any != 0 || s.turns <= len(s.shards) {
		pool.Fail(file.write(losePlane, section, undecided))
	}
	for unit := first / s.units.Words; unit < end/s.units.Words; unit++ {
		at := unit*s.units.Words - first
		s.newWon.publish(w, unit, s.units, won[at:at+s.units.Words])
		s.newLost.publish(w, unit, s.units, lost[at:at+s.units.Words])
	}
	s.leaveNews(w, s.newWon, 0, section)
	s.leaveNews(w, s.newLost, 1, section)
	return any != 0
}

// undrawn finds the states of the words from first on that are not drawn terminal states.
func (s *sharded) undrawn(w *work.Worker, states []uint64, first int) {
	valid := bitslice.Valid(s.units.K)
	for i := range states {
		states[i] = valid
	}
	for at := 0; at < len(states); at += s.units.Words {
		block, part := s.units.Block((first + at) / s.units.Words)
		t := s.class.Terminals(w, block, w.Buffer(work.WonBuffer, s.units.Words), part)
		for i, x := range t.Drawn {
			states[at+i] &^= x
		}
	}
}

// leaveNews writes a section of a frontier to the work file, and empties it.
func (s *sharded) leaveNews(w *work.Worker, n *frontier, outcome, section int) {
	first, end := s.left.bounds(section)
	buffer := w.DirtyBuffer(readBuffer, end-first)[:0]
	s.eachGroup(n, section, func(group []uint64) {
		buffer = append(buffer, group...)
		clear(group)
	})
	if len(buffer) > 0 {
		s.class.Pool.Fail(s.left.write(newsPlanes+outcome, section, buffer))
	}
	summary := s.ofSection(n.summary, section)
	copy(s.ofSection(s.news[outcome], section), summary)
	clear(summary)
}
