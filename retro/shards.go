package retro

import (
	"slices"

	"backsolve/bitslice"
	"backsolve/internal/memory"
	"backsolve/plan"
	"backsolve/retro/internal/work"
)

// sharded solves a class whose planes do not fit in memory together. It cuts
// the class into shards, runs of blocks. Only the won states of all shards stay in memory, and
// the other planes of one shard at a time. Shards take turns. With steps, shardedSteps says
// how. Without, in its turn, a shard takes what
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
	if err == nil && j.o.Steps {
		err = s.solveSteps()
	} else if err == nil {
		err = s.solveOutcomes()
	}
	for i := 0; err == nil && i < shards; i++ {
		s.enter(i)
		err = s.sealShard()
	}
	j.ledger.Free(j.level.win)
	j.level.win = nil
	return err
}

// solveOutcomes labels the class without steps.
func (s *sharded) solveOutcomes() (err error) {
	for i := 0; err == nil && i < len(s.shards); i++ {
		err = s.turn(i, s.open)
	}
	for i := 0; err == nil && slices.ContainsFunc(s.shards, func(s shard) bool { return s.labelled }); i++ {
		err = s.turn(i%len(s.shards), s.reopen)
	}
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
	need := int64(s.share) * plan.ShardPlanes(s.o.Steps) * 8
	if err = s.ledger.Reserve(need); err != nil {
		return err
	}
	s.booked = need
	if s.above != nil {
		for _, p := range []*[]uint64{&s.aboveWin, &s.aboveLose} {
			if *p, err = s.window(s.above.file.words); err != nil {
				return err
			}
		}
	}
	for _, p := range []*[]uint64{&s.undecided, &s.candidates} {
		if *p, err = s.window(s.level.file.words); err != nil {
			return err
		}
	}
	return s.reserveFrontiers(s.window, &s.newWon, &s.newLost)
}

// window returns address space for a plane that is in memory shard by shard.
func (s *sharded) window(words int) (plane []uint64, err error) {
	if plane, err = memory.NewArray[uint64](words); err == nil {
		s.windows = append(s.windows, plane)
	}
	return plane, err
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
	s.shards[i].labelled = false // all others know what it labelled in its last turn
	first := s.turns < len(s.shards)
	if !first && !slices.ContainsFunc(s.shards, func(s shard) bool { return s.labelled }) {
		return nil
	}
	s.turns++
	s.enter(i)
	if err := label(); err != nil {
		return err
	}
	return s.leave()
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
