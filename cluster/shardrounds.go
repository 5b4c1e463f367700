package cluster

import (
	"context"
	"time"
)

// shardRounds has the workers solve the shards of a class, in rounds. A turn depends only on the
// class above and on what was labelled in the rounds before, so that the result of a task is the
// same bytes whoever does it, and a lost one is made again. A worker keeps its shards in memory or
// in work files; another one that takes over a shard begins with what it has labelled so far.
type shardRounds struct {
	n        int      // of the shards
	labelled []uint64 // by round: a bit for each shard that labelled any states
	until    int      // the round up to which turns are needed anyway
	owners   []string // by shard: the worker that has it
}

func turnOf(class, shards, number, round int) shard {
	return shard{stage: stage{Class: class}, First: number, Shards: shards, Round: round}
}

// beginShards decides how the class is cut and who gets which shard.
func (s *tableScheduler) beginShards(ctx context.Context) error {
	c := s.c
	if err := c.setSpread(ctx, s.stage); err != nil {
		return err
	}
	solve := &c.record.solve
	o := solve.options()
	o.Threads = 1
	s.shards.n, _ = o.Plan(c.space).WorkerShards(s.stage.Class, solve.Spread, solve.WorkerMemory)
	ids, err := c.awaitWorkers(ctx)
	s.shards.owners = make([]string, s.shards.n)
	for i := range s.shards.owners {
		if len(ids) > 0 { // each worker gets a run of shards
			s.shards.owners[i] = ids[i*len(ids)/s.shards.n]
		}
	}
	return err
}

// awaitWorkers lists the workers that get work. At the start it waits a while for the expected ones.
func (c *Coordinator) awaitWorkers(ctx context.Context) (ids []string, err error) {
	for end := time.Now().Add(c.o.Alive); ; {
		err := c.conn.retry(ctx, func(ctx context.Context) error {
			ids, err = c.conn.accepted(ctx)
			return err
		})
		if err != nil || len(ids) >= c.o.Expect || c.solvedClass >= 0 || time.Now().After(end) {
			return ids, err
		}
		if err := sleep(ctx, idle); err != nil {
			return nil, err
		}
	}
}

func (s *tableScheduler) solveShards(ctx context.Context) error {
	r := s.shards
	for len(r.labelled) <= r.until || r.labelled[len(r.labelled)-1] != 0 {
		round := len(r.labelled)
		d := s.roundDispatcher(round)
		if err := d.run(ctx); err != nil {
			return err
		}
		r.labelled = append(r.labelled, 0)
		for _, t := range d.tasks {
			done := &t.completion
			if r.owners[t.First], r.until = done.WorkerID, max(r.until, done.Until); done.Labelled {
				r.labelled[round] |= 1 << uint(t.First)
			}
		}
	}
	if err := s.sealShards(ctx); err != nil {
		return err
	}
	// Should the table lose the class, all turns are taken again.
	if err := s.c.forgetShards(ctx, s.stage.Class); err != nil {
		return err
	}
	return deleteObjects(ctx, s.c.o.Store, s.c.record.solve.labelsPrefix(s.stage))
}

func (s *tableScheduler) sealShards(ctx context.Context) error {
	plies := len(s.shards.labelled)
	for plies > 0 && s.shards.labelled[plies-1] == 0 {
		plies--
	}
	parts, err := s.layout(plies)
	if err != nil {
		return err
	}
	d := s.roundDispatcher(sealing)
	d.parts = parts
	if err := d.run(ctx); err != nil {
		return err
	}
	return s.written(ctx, d)
}

func (s *tableScheduler) roundDispatcher(round int) *dispatcher {
	var turns []shard
	for shard := range s.shards.n {
		g := turnOf(s.stage.Class, s.shards.n, shard, round)
		g.Write = round == sealing && s.c.table != ""
		turns = append(turns, g)
	}
	d := s.dispatcher(turns)
	d.describe = func(t *task) {
		if t.Labelled = s.shards.labelled; !t.Check {
			t.Owner = s.shards.owners[t.First]
		}
	}
	return d
}
