package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"backsolve/retro"
)

// tableScheduler has the workers solve a class of a solve into a table.
type tableScheduler struct {
	c      *Coordinator
	class  *retro.SharedClass
	stage  stage
	shards *shardRounds // nil where blocks are solved one by one
}

// Solve has the workers solve a class of a solve into a table: it is a retro.Scheduler.
func (c *Coordinator) Solve(ctx context.Context, class *retro.SharedClass) error {
	s := &tableScheduler{c: c, class: class, stage: stage{Class: class.Class()}}
	if c.record.solve.Shards {
		s.shards = new(shardRounds)
		if err := s.beginShards(ctx); err != nil {
			return err
		}
	}
	if err := c.dropFinished(ctx, s.stage.Class+2); err != nil {
		return err
	}
	if err := s.provideAbove(ctx); err != nil {
		return err
	}
	err := s.attempt(ctx)
	var lost *lostObject
	for attempts := 1; errors.As(err, &lost); attempts++ {
		if attempts >= maxAttempts {
			return fmt.Errorf("%v were made %d times, and could not be read: %w", lost.shard, maxAttempts, lost.cause)
		}
		c.o.Logf(slog.LevelWarn, "%v: it is made again", lost.cause)
		c.progress.repeat()
		if err := s.forgetLost(ctx, lost.shard); err != nil {
			return err
		}
		err = s.attempt(ctx)
	}
	if err != nil {
		return err
	}
	if c.solvedClass = s.stage.Class; c.solvedClass > 0 {
		return nil
	}
	return c.record.update(ctx, func(s *Solve) { s.Solved = true })
}

// lostObject is why a class cannot be finished: what the store had of a shard of it must be made again.
type lostObject struct {
	shard
	cause error
}

func (l *lostObject) Error() string { return errRemade.Error() }
func (l *lostObject) Unwrap() error { return l.cause }

// forgetLost forgets that a shard is done. Tasks that need it fail until it is.
func (s *tableScheduler) forgetLost(ctx context.Context, g shard) error {
	if g.isTurn() { // the other turns of the round and the ones after it are done
		s.shards.labelled = s.shards.labelled[:g.Round]
	}
	c, tasks := s.c, s.c.record.solve.taskSubjects(stage{Class: s.stage.Class, Write: true})
	if err := c.forgetDone(ctx, g, g.checked()); err != nil {
		return err
	}
	return c.conn.retry(ctx, func(ctx context.Context) error { return c.conn.purge(ctx, taskStream, tasks) })
}

// attempt solves the class and writes it into the table. The error may be a *lostObject.
func (s *tableScheduler) attempt(ctx context.Context) error {
	if s.shards != nil {
		return s.solveShards(ctx)
	}
	c := s.c
	shards := c.record.solve.shards(c.space, s.stage.Class, int(c.progress.blocks[s.stage.Class]))
	d := s.dispatcher(shards)
	d.report = s.class.Progress
	if err := d.run(ctx); err != nil {
		return err
	}
	counts := d.counts()
	parts, err := s.layout(max(len(counts.StepsWins), len(counts.StepsLosses)))
	if err != nil {
		return err
	}
	if d.parts = parts; c.table == "" {
		return s.written(ctx, d)
	}
	for i := range shards {
		shards[i].Write = true
	}
	writing := s.dispatcher(shards)
	writing.parts, writing.solved = parts, d
	writing.needs = []stage{s.stage}
	writing.restore = func(_ context.Context, g shard, cause error) error { return &permanentError{&lostObject{g, cause}} }
	if err := writing.run(ctx); err != nil {
		return err
	}
	return s.written(ctx, writing)
}

// dispatcher returns one for tasks of the class, which need the class above.
func (s *tableScheduler) dispatcher(shards []shard) *dispatcher {
	d := newDispatcher(s.c, shards[0].stage, shards)
	d.needs = []stage{{Class: s.stage.Class + 1}}
	d.restore = s.restoreAbove
	return d
}

func (s *tableScheduler) restoreAbove(ctx context.Context, g shard, cause error) error {
	s.c.o.Logf(slog.LevelWarn, "%v; it is written again", cause)
	s.c.progress.repeat()
	return s.putAbove(ctx, g)
}

func (s *tableScheduler) putAbove(ctx context.Context, g shard) error {
	to, solve := s.c.o.Store, &s.c.record.solve
	if s.shards != nil {
		section, err := s.class.AboveSection(g.First)
		if err == nil {
			_, err = putSection(ctx, to, solve, g.Class, section)
		}
		return err
	}
	blocks, err := s.class.AboveBlocks(g.First, g.Blocks)
	if err == nil {
		_, err = putObject(ctx, to, solve.object(g), head{}, planesOf(blocks)...)
	}
	return err
}

// provideAbove stores what is missing of the class above, which a single process may have solved, or a
// cluster with another store. What this coordinator has had solved is there.
func (s *tableScheduler) provideAbove(ctx context.Context) error {
	c, above := s.c, s.stage.Class+1
	if above > c.space.MaskBits || c.solvedClass == above {
		return nil
	}
	solve, stored := &c.record.solve, map[string]bool{}
	for name, err := range c.o.Store.List(ctx, solve.stagePrefix(stage{Class: above})) {
		if err != nil {
			return err
		}
		stored[name] = true
	}
	shards := []shard{{stage: stage{Class: above}, Shards: 1}}
	if s.shards == nil {
		shards = solve.shards(c.space, above, int(c.progress.blocks[above]))
	}
	for _, g := range shards {
		for _, u := range c.contents().units(g) {
			if stored[solve.object(u.shard)] {
				continue
			}
			if err := s.putAbove(ctx, u.shard); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Coordinator) contents() *contents {
	return &contents{c.o.Store, &c.record.solve, c.space, c.progress.blocks, func(bytes int64) { c.read.Add(bytes) }}
}

// dropFinished deletes the objects of a class from which nothing is made any more. At first an
// earlier coordinator may have left those of more than one.
func (c *Coordinator) dropFinished(ctx context.Context, class int) error {
	for last := class; class <= c.space.MaskBits && (class == last || c.solvedClass < 0); class++ {
		if err := c.forgetShards(ctx, class); err != nil {
			return err
		}
		if err := deleteObjects(ctx, c.o.Store, c.record.solve.stagePrefix(stage{Class: class})); err != nil {
			return err
		}
	}
	return nil
}

// forgetShards deletes which shards of a finished class are done.
func (c *Coordinator) forgetShards(ctx context.Context, class int) error {
	return c.conn.retry(ctx, func(ctx context.Context) error {
		return c.conn.purgeKeys(ctx, fmt.Sprintf("%s.%v.>", c.record.solve.ID, stage{Class: class}))
	})
}
