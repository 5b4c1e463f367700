package retro

import (
	"sync/atomic"

	"backsolve/internal/memory"
	"backsolve/internal/plan"
	"backsolve/retro/internal/work"
)

// sharded solves a class whose planes do not fit in memory together. It cuts the class into
// shards, runs of blocks. The planes of one shard at a time are in memory, those of the others in
// work files. With steps, shardedSteps says how. Without, shards take turns in rounds: in a turn, a
// shard takes what the others have labelled since its last turn, goes to its own fixpoint, and logs
// what it labelled. The class is solved once nobody has labelled anything. Labels only grow, so the
// order of the turns does not change the result.
//
// Candidates are tested against the won states of their own shard alone. Those with a child in
// another shard that is not won are blocked until then. Only blocked states that newly won states
// of other shards touch are tested again, against the sections of the won plane that their links
// lead to.
//
// The planes of a fixpoint are address space for the whole class here. Only the parts in use
// take memory.
type sharded struct {
	*fixpoint
	shards  []shard
	current int // the shard whose planes are in memory, −1 for none
	// Planes are windows, address space of the whole class that sharded owns until freeShards. Between enter
	// and exit the words of the current shard are valid: the planes of the fixpoint, the level's won states,
	// and blocked. enter reads them from the level's file and from left, which have those of all other
	// shards; save writes back what changed.

	// blocked are the unlabelled states whose children above are all won, but not all of those in
	// other shards, as far as was tested. They are in the order of reading.
	blocked []uint64
	touched *frontier // blocked states to be tested, in the plane of newLost, which is empty meanwhile
	// news are labels of another shard. Without steps its plane is that of a shard, and also takes
	// parts of the won plane of others.
	news *frontier // valid within a turn
	// loadLost loads the states that another shard lost in a round into news. If it is nil, they are in
	// the log.
	loadLost func(shard, round int) error
	left     *planeFile
	changed  []atomic.Bool // by section: whether the candidates differ from those in the file
	known    []int         // by section, with the barrier: the rounds whose won states are in the won plane
	round    int           // of the turn in work
	logs                   // what shards labelled, by round
	barrier  bool          // whether shards read what others labelled only in the next round
	turns    int
	share    int // words of the largest shard
	booked   int64
	windows  [][]uint64
	// The outcomes of sections of the class above, valid within foldAbove.
	aboveWin, aboveLose []uint64
}

// shard is a run of sections of the class's planes.
type shard struct {
	first, end int      // sections
	rounds     int      // in which it may have taken a turn
	labelled   []bool   // by round: whether it labelled any states
	untested   bool     // whether blocked states have not been tested yet
	links      *linkage // inside the class, nil unless there is memory for them
}

// Planes of the work files. A level has the outcomes.
const (
	winPlane  = iota
	losePlane // the undecided states until the class is solved
	outcomePlanes
)

const (
	candidatesPlane = iota
	blockedPlane
	leftPlanes
)

func (j *job) solveShards(shards int) error {
	s := newSharded(j)
	defer s.freeShards()
	j.class.ResetCounts(0)
	if err := s.prepare(shards); err != nil {
		return err
	}
	solve := s.solveOutcomes
	if j.o.Steps {
		solve = s.solveSteps
	}
	if err := solve(); err != nil {
		return err
	}
	for i := range shards {
		if err := s.sealShard(i); err != nil {
			return err
		}
	}
	return nil
}

func newSharded(j *job) *sharded {
	return &sharded{fixpoint: &fixpoint{job: j, units: j.unitsOf(j.class.Class)}, current: -1}
}

func (s *sharded) solveOutcomes() (err error) {
	for round, active := 0, true; active; round++ {
		active = false
		for i := range s.shards {
			if !s.pending(i, round) {
				continue
			}
			if err = s.turn(i, round); err != nil {
				return err
			}
			active = active || round == 0 || s.labelled(i, round)
		}
	}
	return nil
}

func (s *sharded) labelled(i, round int) bool {
	return round < len(s.shards[i].labelled) && s.shards[i].labelled[round]
}

func (s *sharded) setLabelled(i, round int, labelled bool) {
	of := &s.shards[i].labelled
	*of = append(*of, make([]bool, max(round+1-len(*of), 0))...)
	(*of)[round] = labelled
}

// unread returns the rounds in which shard k may have labelled what shard i reads in a round.
func (s *sharded) unread(k, i, round int) (first, last int) {
	switch {
	case s.barrier || k > i || round == 0:
		return round - 1, round - 1
	case round == 1:
		return 0, 1
	}
	return round, round
}

func (s *sharded) pending(i, round int) bool {
	if round <= 1 {
		return true
	}
	for k := range s.shards {
		if first, last := s.unread(k, i, round); k != i && (s.labelled(k, first) || s.labelled(k, last)) {
			return true
		}
	}
	return false
}

func (s *sharded) prepare(shards int) (err error) {
	c, l := s.class.Class, s.level
	if s.above != nil && s.above.file == nil {
		if err = s.toFile(s.above); err != nil {
			return err
		}
	}
	s.ledger.DropSpare()
	if l.file == nil {
		if l.file, err = s.newPlaneFile(c, outcomePlanes); err != nil {
			return err
		}
	}
	if s.left, err = s.newPlaneFile(c, leftPlanes); err != nil {
		return err
	}
	n := l.file.sections()
	s.changed, s.known = make([]atomic.Bool, n), make([]int, n)
	if s.perSection = l.file.section; !s.o.Steps {
		s.relabelled = make([]atomic.Bool, n)
	}
	for i := range shards {
		s.shards = append(s.shards, shard{first: i * n / shards, end: (i + 1) * n / shards})
		first, end := s.words(i)
		s.share = max(s.share, end-first)
	}
	if err = s.reserveWindows(); err != nil {
		return err
	}
	s.nextLost = s.newLost
	if s.o.Steps {
		if l.win, err = s.ledger.Plane(l.file.words); err != nil {
			return err
		}
		s.within, err = newLinkage(s.job, s.share, 0, len(c.Masks))
		return err
	}
	return s.newFileLogs(l.file, &s.won, &s.lost)
}

// reserveWindows allocates the planes that are in memory shard by shard.
func (s *sharded) reserveWindows() (err error) {
	need := int64(s.share) * plan.ShardPlanes(s.o.Steps) * 8
	if err = s.ledger.Reserve(need); err != nil {
		return err
	}
	s.booked = need
	if s.above != nil && !s.o.Steps {
		if err = allocate(s.window, s.above.file.words, &s.aboveWin, &s.aboveLose); err != nil {
			return err
		}
	}
	planes := []*[]uint64{&s.undecided, &s.candidates}
	if s.o.Steps {
		s.reach[1] = len(s.class.Masks)
	} else {
		planes = append(planes, &s.blocked, &s.level.win)
	}
	if err = allocate(s.window, s.level.file.words, planes...); err != nil {
		return err
	}
	if s.o.Steps {
		return s.reserveFrontiers(s.window, &s.news)
	}
	if err = s.reserveFrontiers(s.window, &s.newWon, &s.newLost); err != nil {
		return err
	}
	err = s.reserveFrontiers(func(int) ([]uint64, error) { return s.newLost.plane, nil }, &s.touched)
	if err == nil {
		err = s.reserveFrontiers(func(int) ([]uint64, error) { return s.window(s.share) }, &s.news)
	}
	return err
}

// window returns address space for a plane that is in memory shard by shard.
func (s *sharded) window(words int) (plane []uint64, err error) {
	if plane, err = memory.NewArray[uint64](words); err == nil {
		s.windows = append(s.windows, plane)
	}
	return plane, err
}

func (s *sharded) freeShards() {
	if !s.o.Steps {
		s.exit()
	}
	for i := range s.shards {
		s.shards[i].links.free()
	}
	s.free()
	s.news.free()
	s.touched.free()
	s.ledger.Free(s.level.win)
	s.level.win = nil
	for _, plane := range s.windows {
		memory.FreeArray(plane)
	}
	s.ledger.Release(s.booked)
	s.count(s.left, s.won, s.lost)
	s.left.close()
	s.won.Close()
	s.lost.Close()
	s.level.shards, s.level.turns = len(s.shards), s.turns
}

func (s *sharded) words(i int) (first, end int) {
	first, _ = s.level.file.bounds(s.shards[i].first)
	_, end = s.level.file.bounds(s.shards[i].end - 1)
	return first, end
}

func (s *sharded) choose(i int) {
	s.current = i
	first, end := s.words(i)
	s.firstUnit, s.endUnit = first/s.units.Words, end/s.units.Words
}

// enter brings a shard into memory, and takes out another one.
func (s *sharded) enter(i int) (err error) {
	if s.current == i {
		return nil
	}
	s.save()
	s.exit()
	s.choose(i)
	first, end := s.words(i)
	s.reach = [2]int{first / s.level.words, end / s.level.words}
	if s.within = s.shards[i].links; s.within == nil {
		if s.within, err = newLinkage(s.job, s.share, s.reach[0], s.reach[1]); err != nil {
			return err
		}
	}
	if s.shards[i].rounds == 0 {
		return nil // open fills its planes
	}
	s.eachSection(i, func(w *work.Worker, section int) {
		pool := s.class.Pool
		first, end := s.level.file.bounds(section)
		pool.Fail(s.takeWon(w, section, s.level.win[first:end]))
		pool.Fail(s.level.file.take(losePlane, section, s.undecided[first:end]))
		pool.Fail(s.left.take(candidatesPlane, section, s.candidates[first:end]))
		pool.Fail(s.left.take(blockedPlane, section, s.blocked[first:end]))
	})
	return s.class.Pool.Cause()
}

// save writes what changed in the shard in memory to work files. Its undecided states are there.
func (s *sharded) save() {
	if s.current < 0 {
		return
	}
	s.eachSection(s.current, func(_ *work.Worker, section int) {
		if s.changed[section].Swap(false) {
			pool := s.class.Pool
			first, end := s.level.file.bounds(section)
			pool.Fail(s.left.write(candidatesPlane, section, s.candidates[first:end]))
			pool.Fail(s.left.write(blockedPlane, section, s.blocked[first:end]))
		}
	})
}

// takeWon reads a section of the won plane, with all rounds before the one in work.
func (s *sharded) takeWon(w *work.Worker, section int, win []uint64) error {
	file := s.level.file
	if !s.barrier {
		return file.take(winPlane, section, win)
	}
	changed := s.known[section] == 0
	if changed {
		clear(win)
	} else if err := file.take(winPlane, section, win); err != nil {
		return err
	}
	for ; s.known[section] < s.round; s.known[section]++ {
		if !s.won.Has(s.known[section], section) {
			continue
		}
		if err := s.won.Read(s.known[section], section, &w.Log); err != nil {
			return err
		}
		for i, at := range w.Log.At {
			win[at] |= w.Log.Words[i]
		}
		changed = true
	}
	if !changed {
		return nil
	}
	return file.write(winPlane, section, win)
}

// exit releases the memory of the current shard, but keeps its links while there is ample room.
func (s *sharded) exit() {
	if s.current < 0 {
		return
	}
	first, end := s.words(s.current)
	for _, plane := range [][]uint64{s.level.win, s.undecided, s.candidates, s.blocked, s.newWon.plane, s.newLost.plane} {
		memory.Release(plane, first, end)
	}
	memory.Release(s.news.plane, 0, s.share)
	links := &s.shards[s.current].links
	if *links = s.within; s.within != nil && !s.ledger.Room(2*s.within.booked) {
		s.within.free()
		*links = nil
	}
	s.within, s.current = nil, -1
}

func (s *sharded) eachSection(i int, do func(w *work.Worker, section int)) {
	s.forEach(s.shards[i].first, s.shards[i].end, do)
}

func (s *sharded) turn(i, round int) error {
	s.turns++
	s.round = round
	if err := s.enter(i); err != nil {
		return err
	}
	if round > 0 {
		s.reopen(round)
	} else {
		s.open()
	}
	s.leave(round)
	return s.class.Pool.Cause()
}
