package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"backsolve/retro"
)

// shardScheduler has the workers solve the shards of a class, in rounds. A turn depends only on the
// class above and on what was labelled in the rounds before, so that the result of a task is the
// same bytes whoever does it, and a lost one is made again. A worker keeps its shards in memory or
// in work files; another one that takes over a shard begins with what it has labelled so far.
type shardScheduler struct {
	c        *Coordinator
	shards   *retro.Shards
	class    int
	n        int      // of the shards
	labelled []uint64 // by round: a bit for each shard that labelled any states
	until    int      // the round up to which turns are needed anyway
	owners   []string // by shard: the worker that has it
	remade   int
	lock     sync.Mutex // of shards
	// What shards have written into the table.
	counts    []*retro.StateCounts
	stretches []*stretch
}

// turnOf is the group of a turn of a shard.
func turnOf(class, shards, shard, round int) group {
	return group{subclass: subclass{class: class}, first: shard, shards: shards, round: round}
}

// lostLabels ends a round in which labels of an earlier one were found to be missing or damaged.
type lostLabels struct {
	group
	cause error
}

func (l *lostLabels) Error() string { return errRemade.Error() }
func (l *lostLabels) Unwrap() error { return l.cause }

// SolveShards implements retro.ShardScheduler.
func (c *Coordinator) SolveShards(ctx context.Context, shards *retro.Shards) error {
	s := &shardScheduler{c: c, shards: shards, class: shards.Class()}
	if err := s.begin(ctx); err != nil {
		return err
	}
	for sealed := false; !sealed; {
		round := len(s.labelled)
		if round > s.until && round > 0 && s.labelled[round-1] == 0 {
			round = sealing
		} else {
			s.labelled = append(s.labelled, 0)
		}
		lost, err := s.remakeLost(ctx, s.run(ctx, round))
		if err != nil {
			return err
		}
		sealed = round == sealing && !lost
	}
	c.solvedClass = s.class
	if c.Writes() {
		if err := s.written(); err != nil {
			return err
		}
	}
	return s.forget(ctx)
}

// forget deletes what was labelled, and that it was: should the table lose the class, all its turns
// are taken again.
func (s *shardScheduler) forget(ctx context.Context) error {
	if err := s.c.forgetGroups(ctx, s.class); err != nil {
		return err
	}
	return s.c.deleteObjects(ctx, s.c.record.solve.labelsPrefix(subclass{class: s.class}))
}

// begin decides how the class is cut and who gets which shard, and provides the class above.
func (s *shardScheduler) begin(ctx context.Context) error {
	c, sub := s.c, subclass{class: s.class}
	if err := c.setSpread(ctx, sub); err != nil {
		return err
	}
	solve := &c.record.solve
	o := solve.options()
	o.Threads = 1
	s.n, _ = o.Plan(c.space).WorkerShards(s.class, solve.Spread, solve.WorkerMemory)
	s.counts, s.stretches = make([]*retro.StateCounts, s.n), make([]*stretch, s.n)
	err := s.assign(ctx)
	if err == nil {
		err = c.dropFinished(ctx, s.class+2)
	}
	if err == nil {
		err = s.provideAbove(ctx)
	}
	return err
}

// assign gives each worker a run of shards. At the start it waits a while for the workers that are
// expected.
func (s *shardScheduler) assign(ctx context.Context) error {
	c := s.c
	var ids []string
	find := func(ctx context.Context) error {
		workers, err := c.conn.workers(ctx)
		for ids = nil; len(workers) > 0; workers = workers[1:] {
			if workers[0].Refused == "" {
				ids = append(ids, workers[0].ID)
			}
		}
		return err
	}
	for end := time.Now().Add(c.o.Alive); ; {
		if err := c.conn.retry(ctx, c.o, find); err != nil {
			return err
		}
		if len(ids) >= c.o.Expect || c.solvedClass >= 0 || time.Now().After(end) {
			break
		}
		if err := sleep(ctx, idle); err != nil {
			return err
		}
	}
	slices.Sort(ids)
	s.owners = make([]string, s.n)
	for i := range s.owners {
		if len(ids) > 0 {
			s.owners[i] = ids[i*len(ids)/s.n]
		}
	}
	return nil
}

// provideAbove stores the missing sections of the class above.
func (s *shardScheduler) provideAbove(ctx context.Context) error {
	c, above := s.c, s.class+1
	if above > c.space.MaskBits || c.solvedClass == above {
		return nil
	}
	stored := map[string]bool{}
	for name, err := range c.o.Store.List(ctx, c.record.solve.subclassPrefix(subclass{class: above})) {
		if err != nil {
			return err
		}
		stored[name] = true
	}
	for section := range s.shards.Above() {
		if !stored[c.record.solve.object(sectionOf(above, section))] {
			if err := s.putAbove(ctx, section); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *shardScheduler) putAbove(ctx context.Context, section int) error {
	of, err := s.shards.ReadAbove(section)
	if err == nil {
		_, err = putSection(ctx, s.c.o.Store, &s.c.record.solve, s.class+1, of)
	}
	return err
}

// run has all shards take their turns in a round.
func (s *shardScheduler) run(ctx context.Context, round int) error {
	var turns []group
	sub := subclass{class: s.class, write: round == sealing && s.c.Writes()}
	for shard := range s.n {
		g := turnOf(s.class, s.n, shard, round)
		g.subclass = sub
		turns = append(turns, g)
	}
	d := newDispatcher(s.c, sub, turns)
	if sub.write {
		var err error
		if d.parts, err = s.shards.Layout(s.plies()); err != nil {
			return err
		}
	}
	d.needs = []subclass{{class: s.class}, {class: s.class + 1}}
	before := s.labelled
	if round != sealing {
		before = before[:round]
	}
	d.describe = func(t *task) {
		if t.Labelled = before; !t.Check {
			t.Owner = s.owners[t.First]
		}
	}
	d.load = func(ctx context.Context, g group, done completion) (accept, revoke func() error, err error) {
		switch {
		case g.write:
			err = d.checkWritten(g, done)
		case round == sealing:
			err = s.take(ctx, g)
		}
		return func() error {
			s.counts[g.first], s.stretches[g.first] = done.Counts, done.Stretch
			s.owners[g.first], s.until = done.WorkerID, max(s.until, done.Until)
			if round != sealing && done.Labelled {
				s.labelled[round] |= 1 << uint(g.first)
			}
			return nil
		}, nil, err
	}
	d.restore = func(ctx context.Context, g group, cause error) error {
		switch {
		case g.class == s.class && d.byGroup[g] != nil:
			return errRemade
		case g.class == s.class:
			return &permanentError{&lostLabels{g, cause}}
		}
		s.c.o.Logf(slog.LevelWarn, "%v; it is written again", cause)
		s.c.progress.repeat()
		return s.putAbove(ctx, g.first)
	}
	return d.run(ctx, func() error { return nil })
}

// plies returns the number of plies in which states are decided: one a round.
func (s *shardScheduler) plies() int {
	n := len(s.labelled)
	for n > 0 && s.labelled[n-1] == 0 {
		n--
	}
	return n
}

// written has the class taken that the workers have written into the table.
func (s *shardScheduler) written() error {
	counts := new(retro.StateCounts)
	for _, of := range s.counts {
		counts.Add(of)
	}
	return s.shards.Written(counts, sumsOf(s.stretches))
}

// take reads the outcomes of a shard.
func (s *shardScheduler) take(ctx context.Context, g group) error {
	c := s.c
	first, end := c.record.solve.shardSections(c.space, c.progress.blocks[s.class], g)
	for section := first; section < end; section++ {
		words := c.record.solve.sectionWords(c.space, c.progress.blocks[s.class], sectionOf(s.class, section))
		of, size, err := getSection(ctx, c.o.Store, &c.record.solve, s.class, section, words)
		if err == nil {
			c.read.Add(size)
			s.lock.Lock()
			err = s.shards.Take(of)
			s.lock.Unlock()
		}
		if errors.Is(err, retro.ErrMiscounted) {
			err = fmt.Errorf("%w: %w", errWrong, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// remakeLost goes back to the round whose labels are lost, if that is the error. The other turns of
// that round and the ones after it are done.
func (s *shardScheduler) remakeLost(ctx context.Context, err error) (is bool, _ error) {
	var lost *lostLabels
	if !errors.As(err, &lost) {
		return false, err
	}
	if s.remade++; s.remade > maxAttempts {
		return true, fmt.Errorf("%v were made %d times, and could not be read: %w", lost.group, maxAttempts, lost.cause)
	}
	s.c.o.Logf(slog.LevelWarn, "%v: it is made again", lost.cause)
	s.c.progress.repeat()
	s.labelled = s.labelled[:lost.round]
	return true, s.c.conn.retry(ctx, s.c.o, func(ctx context.Context) error {
		return s.c.conn.purge(ctx, stateStream, stateSubject+s.c.record.solve.doneKey(lost.group))
	})
}
