package retro

import (
	"slices"
	"sync/atomic"

	"backsolve/bitslice"
	"backsolve/internal/memory"
	"backsolve/plan"
	"backsolve/retro/internal/work"
)

// sharded solves a class whose planes do not fit in memory together, without steps. It cuts
// the class into shards, runs of blocks. Only the won states of all shards stay in memory, and
// the other planes of one shard at a time. Shards take turns. In its turn, a shard takes what
// the others labelled in their last turns, goes to its own fixpoint, and leaves what it
// labelled in a work file. The class is solved once no shard has labelled anything in its last
// turn. Labels only grow, so the order of the turns does not change the result.
//
// The planes of a fixpoint are address space for the whole class here. Only the parts in use
// take memory.
type sharded struct {
	*fixpoint
	shards  []shard
	current int // the shard whose turn it is
	// left has the candidates, and what each shard labelled in its last turn: the groups of the
	// planes whose bits are set in news.
	left    *planeFile
	news    [2][]uint64 // summaries by outcome
	turns   int
	share   int // words of the largest shard
	booked  int64
	windows [][]uint64
	// The outcomes of the class above.
	aboveWin, aboveLose []uint64
}

// shard is a run of sections of the class's planes.
type shard struct {
	first, end int  // sections
	labelled   bool // whether it has labelled any states in its last turn
}

// Planes of the work files. A level has the outcomes.
const (
	winPlane  = iota
	losePlane // the undecided states until the class is solved
	outcomePlanes
)

const (
	candidatesPlane = iota
	newsPlanes
	leftPlanes = newsPlanes + 2
)

// solveShards solves the class in so many shards.
func (j *job) solveShards(shards int) error {
	s := &sharded{fixpoint: &fixpoint{job: j, units: j.unitsOf(j.class.Class)}}
	defer s.freeShards()
	j.class.ResetCounts(0)
	err := s.prepare(shards)
	for i := 0; err == nil && i < shards; i++ {
		err = s.turn(i, s.open)
	}
	for i := 0; err == nil && slices.ContainsFunc(s.shards, func(s shard) bool { return s.labelled }); i++ {
		err = s.turn(i%shards, s.reopen)
	}
	for i := 0; err == nil && i < shards; i++ {
		s.enter(i)
		err = s.sealShard()
	}
	j.ledger.Free(j.level.win)
	j.level.win = nil
	return err
}

// prepare cuts the class and allocates what it needs.
func (s *sharded) prepare(shards int) (err error) {
	c, l := s.class.Class, s.level
	if s.above != nil && s.above.file == nil {
		if err = s.toFile(s.above); err != nil {
			return err
		}
	}
	s.ledger.DropSpare()
	if l.file, err = s.newPlaneFile(c, outcomePlanes); err != nil {
		return err
	}
	if s.left, err = s.newPlaneFile(c, leftPlanes); err != nil {
		return err
	}
	for i := range shards {
		n := l.file.sections()
		s.shards = append(s.shards, shard{first: i * n / shards, end: (i + 1) * n / shards})
		first, end := s.words(i)
		s.share = max(s.share, end-first)
	}
	if l.win, err = s.ledger.Plane(l.file.words); err != nil {
		return err
	}
	if err = s.reserveWindows(); err != nil {
		return err
	}
	for i := range s.news {
		s.news[i] = make([]uint64, len(s.newWon.summary))
	}
	s.nextLost = s.newLost
	s.within, err = newLinkage(s.job, true, s.share)
	return err
}

// reserveWindows allocates the planes that are in memory shard by shard.
func (s *sharded) reserveWindows() (err error) {
	need := int64(s.share) * plan.ShardPlanes * 8
	if err = s.ledger.Reserve(need); err != nil {
		return err
	}
	s.booked = need
	window := func(words int) (plane []uint64, err error) {
		if plane, err = memory.NewArray[uint64](words); err == nil {
			s.windows = append(s.windows, plane)
		}
		return plane, err
	}
	if s.above != nil {
		for _, p := range []*[]uint64{&s.aboveWin, &s.aboveLose} {
			if *p, err = window(s.above.file.words); err != nil {
				return err
			}
		}
	}
	for _, p := range []*[]uint64{&s.undecided, &s.candidates} {
		if *p, err = window(s.level.file.words); err != nil {
			return err
		}
	}
	return s.reserveFrontiers(window, &s.newWon, &s.newLost)
}

func (s *sharded) freeShards() {
	s.free()
	for _, plane := range s.windows {
		memory.FreeArray(plane)
	}
	s.ledger.Release(s.booked)
	s.countFile(s.left)
	s.left.close()
	s.level.shards, s.level.turns = len(s.shards), s.turns
}

// words returns the words of a plane that a shard has.
func (s *sharded) words(i int) (first, end int) {
	first, _ = s.level.file.bounds(s.shards[i].first)
	_, end = s.level.file.bounds(s.shards[i].end - 1)
	return first, end
}

// enter makes the units of a shard those of the fixpoint.
func (s *sharded) enter(i int) {
	s.current = i
	first, end := s.words(i)
	s.firstUnit, s.endUnit = first/s.units.Words, end/s.units.Words
}

// eachSection runs a function for the sections of a shard.
func (s *sharded) eachSection(i int, do func(w *work.Worker, section int)) error {
	return s.class.Pool.RunRange(s.shards[i].first, s.shards[i].end, do, nil)
}

// turn is a shard's turn. label labels its states.
func (s *sharded) turn(i int, label func() error) error {
	for k := range s.shards {
		if k != i && s.shards[k].labelled || s.turns < len(s.shards) {
			s.turns++
			s.enter(i)
			if err := label(); err != nil {
				return err
			}
			return s.leave()
		}
	}
	s.shards[i].labelled = false // all others know what it labelled
	return nil
}

// open labels a shard in its first turn.
func (s *sharded) open() error {
	if err := s.readAbove(); err != nil {
		return err
	}
	states := uint64(1) << uint(s.units.K) / uint64(s.units.PerBlock)
	if err := s.run(s.openUnit, func(units int) { s.progress.Advance(uint64(units) * states / 2) }); err != nil {
		return err
	}
	if err := s.run(s.publishLost, nil); err != nil {
		return err
	}
	if err := s.propagateOutcomes(); err != nil {
		return err
	}
	return s.takeNews()
}

// reopen labels a shard in a later turn.
func (s *sharded) reopen() error {
	from, to := s.shards[s.current].first, s.shards[s.current].end
	err := s.each(s.level.file, s.level.file.take, from, to, losePlane, s.undecided)
	if err == nil {
		err = s.each(s.left, s.left.take, from, to, candidatesPlane, s.candidates)
	}
	if err == nil {
		err = s.run(s.dropDecided, nil)
	}
	if err == nil {
		err = s.takeNews()
	}
	return err
}

// dropDecided drops the candidates that have a label.
func (s *sharded) dropDecided(w *work.Worker, unit int) {
	undecided := w.DirtyBuffer(readBuffer, s.units.Words)
	bitslice.Reverse(undecided, s.units.Of(s.undecided, s.units.Mirror(unit)), s.units.K)
	for i, candidates := 0, s.units.Of(s.candidates, unit); i < len(candidates); i++ {
		candidates[i] &= undecided[i]
	}
}

// readAbove folds the outcomes of the class above into the planes of the shard: the states
// with a lost child into that of won states to be, and those with a child that is not won into
// the candidates. It reads the class above piece by piece.
func (s *sharded) readAbove() error {
	if s.above == nil {
		return nil
	}
	file, words := s.above.file, s.above.words
	needed := make([]atomic.Bool, file.sections())
	err := s.run(func(w *work.Worker, unit int) {
		block, _ := s.units.Block(unit)
		s.eachAbove(w, block, func(child int, _ *bitslice.IndexMap) { needed[child*words/file.section].Store(true) })
	}, nil)
	if err != nil {
		return err
	}
	// Two planes of the shard are in use so far.
	atOnce := max((plan.ShardPlanes-2)*s.share/(2*file.section), 1)
	for first := 0; first < len(needed) && err == nil; {
		end := first
		for n := 0; end < len(needed) && (n < atOnce || !needed[end].Load()); end++ {
			if needed[end].Load() {
				n++
			}
		}
		err = s.foldAbove(needed, first, end)
		first = end
	}
	return err
}

// foldAbove folds the needed ones of sections of the class above.
func (s *sharded) foldAbove(needed []atomic.Bool, first, end int) error {
	file := s.above.file
	take := func(plane, section int, words []uint64) error {
		if !needed[section].Load() {
			return nil
		}
		return file.take(plane, section, words)
	}
	if err := s.each(file, take, first, end, winPlane, s.aboveWin, s.aboveLose); err != nil {
		return err
	}
	from, _ := file.bounds(first)
	_, to := file.bounds(end - 1)
	err := s.run(func(w *work.Worker, unit int) {
		block, part := s.units.Block(unit)
		s.eachAbove(w, block, func(child int, m *bitslice.IndexMap) {
			if at := child * s.above.words; at >= from && at < to {
				by := w.Plan(m)
				w.Fold(bitslice.Or, by, s.units.Of(s.newWon.plane, unit), part, s.above.slice(s.aboveLose, child), nil)
				w.Fold(bitslice.OrNot, by, s.units.Of(s.candidates, unit), part, s.above.slice(s.aboveWin, child), nil)
			}
		})
	}, nil)
	memory.Release(s.aboveWin, from, to)
	memory.Release(s.aboveLose, from, to)
	return err
}

// eachAbove calls a function with the links of a block to the class above.
func (s *sharded) eachAbove(w *work.Worker, block int, do func(child int, m *bitslice.IndexMap)) {
	var err error
	w.Moves, err = s.class.Cut.EachMap(s.class.Class.Class, block, false, w.Moves, func(child uint32, m *bitslice.IndexMap) { do(int(child), m) })
	s.class.Pool.Fail(err)
}

// openUnit is fixpoint.open after readAbove.
func (s *sharded) openUnit(w *work.Worker, unit int) {
	block, _ := s.units.Block(unit)
	home, t := s.labelTerminals(w, unit)
	over := s.readTerminals(w, t)
	w.Needs = s.within.needs(w.Needs[:0], block)
	s.eachAbove(w, block, func(_ int, m *bitslice.IndexMap) { w.Needs = append(w.Needs, w.Plan(m).Needs()) })
	hasLost := w.DirtyBuffer(readBuffer, s.units.Words)
	won := s.units.Of(s.newWon.plane, unit)
	copy(hasLost, won)
	clear(won)
	s.decide(w, unit, home, over, hasLost)
}

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

// sealShard writes the outcomes of the shard to the level's file, and counts them.
func (s *sharded) sealShard() error {
	file, from, to := s.level.file, s.shards[s.current].first, s.shards[s.current].end
	err := s.each(file, file.take, from, to, losePlane, s.undecided)
	if err == nil {
		err = s.run(s.seal, nil)
	}
	if err == nil {
		err = s.each(file, file.write, from, to, winPlane, s.level.win, s.undecided)
	}
	first, end := s.words(s.current)
	memory.Release(s.undecided, first, end)
	return err
}
