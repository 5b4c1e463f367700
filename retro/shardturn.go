package retro

import (
	"math/bits"
	"sync/atomic"

	"backsolve/internal/bitslice"
	"backsolve/internal/memory"
	"backsolve/retro/internal/plylog"
	"backsolve/retro/internal/work"
)

// open labels a shard in its first turn: terminal states, and what the class above decides. All
// candidates are blocked so far.
func (s *sharded) open() {
	s.begin()
	s.run(s.publishLost)
	s.propagate(s.winning(), s.newLost)
	s.clear(s.newLost, s.newWon)
}

func (s *sharded) begin() {
	first, end := s.words(s.current)
	memory.Clear(s.candidates, first, end)
	memory.Clear(s.blocked, first, end)
	s.readAbove()
	s.runOpening(s.openUnit)
	s.candidates, s.blocked = s.blocked, s.candidates
	s.shards[s.current].untested = true
}

func (s *sharded) reopen(round int) {
	s.eachNews(s.lost, round, func() {
		s.propagate(step{to: s.touched, label: s.labelWon, among: s.undecided}, s.news)
	})
	if shard := &s.shards[s.current]; shard.untested {
		shard.untested = false
		s.run(func(w *work.Worker, unit int) { s.touched.publish(w, unit, s.units, s.units.Of(s.blocked, unit)) })
	} else {
		touch := step{to: s.touched, label: s.touchBlocked, among: s.blocked, readingAmong: true, readingTo: true}
		s.eachNews(s.won, round, func() { s.propagate(touch, s.news) })
	}
	s.unblock()
	s.propagateWon()
	s.propagateLost()
}

// touchBlocked copies the touched ones among a unit's blocked states to their frontier.
func (s *sharded) touchBlocked(w *work.Worker, unit int, touched, summary []uint64) {
	blocked, to := s.units.Of(s.blocked, unit), s.touched.unit(s.units, unit)
	marks, count := w.FreshMarks(s.units.Words), 0
	for from, end := range groups(summary, len(touched)) {
		for words := bitslice.NonZero(touched[from:end]); words != 0; words &= words - 1 {
			i := from + bits.TrailingZeros64(words)
			if x := touched[i] & blocked[i]; x != 0 {
				to[i] |= x
				count += bits.OnesCount64(x)
				mark(marks, i)
			}
		}
	}
	s.touched.mark(w, unit, s.units, marks, count)
}

// eachNews loads what other shards have labelled for the shard's turn, one shard after the other.
func (s *sharded) eachNews(log *plylog.Log, round int, do func()) {
	for k := range s.shards {
		ply, last := s.unread(k, s.current, round)
		for ; ply <= last; ply++ {
			if k == s.current || !s.labelled(k, ply) {
				continue
			}
			first, _ := s.words(k)
			s.news.first = first / s.level.words
			if log == s.lost && s.loadLost != nil {
				s.class.Pool.Fail(s.loadLost(k, ply))
			} else {
				s.load(s.news, log, ply, s.shards[k].first, s.shards[k].end)
			}
			do()
			s.clear(s.news)
		}
	}
}

// unblock makes candidates of those touched blocked states whose children in other shards are all
// won. The frontier of lost states gets them, to be tested further.
func (s *sharded) unblock() {
	if s.touched.any.Load() {
		s.testTouchedElsewhere()
		s.run(s.freeTouched)
		s.touched.empty()
	}
}

// testTouchedElsewhere keeps the touched states whose children in other shards are all won.
func (s *sharded) testTouchedElsewhere() {
	own := s.reach
	file, words := s.level.file, s.level.words
	needed := make([]atomic.Bool, file.sections())
	s.forEach(own[0], own[1], func(_ *work.Worker, block int) {
		if !s.touched.fresh(block) {
			return
		}
		for _, l := range s.within.block(block) {
			if child := int(l.child); child < own[0] || child >= own[1] {
				raise(&needed[child*words/file.section])
			}
		}
	})
	for _, side := range [][2]int{{0, s.shards[s.current].first}, {s.shards[s.current].end, len(needed)}} {
		for first := side[0]; first < side[1]; {
			end := first + 1
			if needed[first].Load() {
				end = min(first+s.share/file.section, side[1])
				s.testWindow(needed, first, end)
			}
			first = end
		}
	}
	s.reach = own
}

// testWindow keeps the touched states whose children in needed ones of the sections are won.
func (s *sharded) testWindow(needed []atomic.Bool, first, end int) {
	level, file, win := s.level, s.level.file, s.level.win
	from, _ := file.bounds(first)
	_, to := file.bounds(end - 1)
	level.win, level.first = s.news.plane, from/level.words
	defer func() { level.win, level.first = win, 0 }()
	eachNeeded := func(do func(w *work.Worker, section int, win []uint64)) {
		s.forEach(first, end, func(w *work.Worker, section int) {
			if needed[section].Load() {
				first, end := file.bounds(section)
				do(w, section, level.win[first-from:end-from])
			}
		})
	}
	eachNeeded(func(w *work.Worker, section int, win []uint64) { s.class.Pool.Fail(s.takeWon(w, section, win)) })
	s.reach = [2]int{level.first, to / level.words}
	s.run(s.testTouched)
	eachNeeded(func(_ *work.Worker, _ int, win []uint64) { clear(win) })
}

// takeTouched empties the summary of a unit's touched states, and returns them with it.
func (s *sharded) takeTouched(w *work.Worker, unit int) (touched, summary []uint64) {
	summary = w.FreshSummary(s.units.Words)
	if !s.touched.take(unit*s.units.Words, (unit+1)*s.units.Words, summary) {
		return nil, nil
	}
	return s.units.Of(s.touched.plane, unit), summary
}

// testTouched keeps the touched states of a unit whose children within reach are won.
func (s *sharded) testTouched(w *work.Worker, unit int) {
	touched, summary := s.takeTouched(w, unit)
	if touched == nil || !s.test(w, unit, touched, summary, s.blocked) {
		return
	}
	marks, count := w.FreshMarks(s.units.Words), 0
	for from, to := range groups(summary, len(touched)) {
		if n := countStates(touched[from:to]); n > 0 {
			mark(marks, from)
			count += n
		}
	}
	s.touched.mark(w, unit, s.units, marks, count)
}

// freeTouched makes the touched states of a unit and of its mirror candidates. They take the places of
// each other, as the frontier of lost states has the same plane in the other order.
func (s *sharded) freeTouched(w *work.Worker, unit int) {
	home := s.units.Mirror(unit)
	if unit > home {
		return
	}
	here, there := s.freeUnit(w, unit, readBuffer), []uint64(nil)
	if home != unit {
		there = s.freeUnit(w, home, hasBuffer)
	}
	if here != nil || there != nil {
		s.newLost.publish(w, home, s.units, here)
		if home != unit {
			s.newLost.publish(w, unit, s.units, there)
		}
	}
}

// freeUnit makes the touched states of a unit candidates. It returns them in the order of the index, in
// a buffer, or nil.
func (s *sharded) freeUnit(w *work.Worker, unit, buffer int) []uint64 {
	touched, _ := s.takeTouched(w, unit)
	if touched == nil {
		return nil
	}
	candidates, blocked := s.units.Of(s.candidates, unit), s.units.Of(s.blocked, unit)
	for i, x := range touched {
		candidates[i] |= x
		blocked[i] &^= x
	}
	raise(&s.changed[unit*s.units.Words/s.level.file.section])
	mirror := w.DirtyBuffer(buffer, len(touched))
	bitslice.Reverse(mirror, touched, s.units.K)
	return mirror
}

func (s *sharded) leave(round int) {
	for _, log := range s.both() {
		log.Begin(round)
	}
	var labelled atomic.Bool
	s.eachSection(s.current, func(w *work.Worker, section int) {
		if s.leaveSection(w, round, section) {
			raise(&labelled)
		}
	})
	s.shards[s.current].rounds = round + 1
	s.setLabelled(s.current, round, labelled.Load())
}

// leaveSection is leave for a section. It reports whether anything was labelled.
func (s *sharded) leaveSection(w *work.Worker, round, section int) bool {
	pool, file := s.class.Pool, s.level.file
	if !s.relabelled[section].Swap(false) && round > 0 {
		return false
	}
	first, end := file.bounds(section)
	undecided, win := s.undecided[first:end], s.level.win[first:end]
	lost, won := w.DirtyBuffer(readBuffer, end-first), w.DirtyBuffer(hasBuffer, end-first)
	if round == 0 {
		s.undrawn(w, lost, first)
		s.changed[section].Store(true)
	} else {
		pool.Fail(file.take(losePlane, section, lost))
	}
	var any uint64
	for i, before := range lost {
		labelled := before &^ undecided[i]
		any |= labelled
		won[i], lost[i] = labelled&win[i], labelled&^win[i]
	}
	pool.Fail(file.write(losePlane, section, undecided))
	if !s.barrier { // others know it in the next round
		pool.Fail(file.write(winPlane, section, win))
	}
	for i, states := range [...][]uint64{won, lost} {
		marks := w.FreshMarks(len(states))
		if copyMarked(states, states, marks) {
			pool.Fail(s.both()[i].Append(round, section, states, marks, &w.Log))
		}
	}
	return any != 0
}

// restore labels what the shard in memory labelled before a round.
func (s *sharded) restore(round int) error {
	s.begin()
	s.round = round
	s.eachSection(s.current, func(w *work.Worker, section int) {
		pool := s.class.Pool
		first, end := s.level.file.bounds(section)
		pool.Fail(s.takeWon(w, section, s.level.win[first:end]))
		undecided := s.undecided[first:end]
		for i, won := range s.level.win[first:end] {
			undecided[i] &^= won
		}
		for ply := range round {
			pool.Fail(s.lost.Read(ply, section, &w.Log))
			for i, at := range w.Log.At {
				undecided[at] &^= w.Log.Words[i]
			}
		}
		pool.Fail(s.level.file.write(losePlane, section, undecided))
		s.changed[section].Store(true)
	})
	s.shards[s.current].rounds = round
	return s.class.Pool.Cause()
}

// undrawn finds the states of the words from first on that are not drawn terminal states.
func (s *sharded) undrawn(w *work.Worker, states []uint64, first int) {
	fill(states, bitslice.Valid(s.units.K))
	for at := 0; at < len(states); at += s.units.Words {
		for i, x := range s.terminals(w, (first+at)/s.units.Words).Drawn {
			states[at+i] &^= x
		}
	}
}

func (s *sharded) sealShard(i int) (err error) {
	file, from, to := s.level.file, s.shards[i].first, s.shards[i].end
	if s.o.Steps {
		s.choose(i)
		err = s.each(file, file.take, from, to, losePlane, s.undecided)
	} else {
		err = s.enter(i)
	}
	if err == nil {
		s.run(s.seal)
		err = s.each(file, file.write, from, to, winPlane, s.level.win, s.undecided)
	}
	if s.o.Steps {
		first, end := s.words(i)
		memory.Release(s.undecided, first, end)
	} else {
		s.exit()
	}
	return err
}
