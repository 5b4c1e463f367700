package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"golang.org/x/sync/errgroup"

	"backsolve/cluster/store"
	"backsolve/internal/durable"
	"backsolve/retro"
	"backsolve/tablebase/format"
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
	err := s.attempt(ctx)
	var lost *lostObject
	for attempts := 1; errors.As(err, &lost); attempts++ {
		if attempts >= maxAttempts {
			return fmt.Errorf("%v were made %d times, and could not be read: %w", lost.shard, maxAttempts, lost.cause)
		}
		c.o.Logf(slog.LevelWarn, "%v: it is made again", lost.cause)
		c.progress.repeated.Add(1)
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
	solve := &s.c.record.solve
	if err := s.c.purge(ctx, stateStream, stateSubject+solve.doneKey(g), stateSubject+solve.doneKey(g.checked())); err != nil {
		return err
	}
	return s.c.purge(ctx, taskStream, solve.taskSubjects(stage{Class: s.stage.Class, Write: true}))
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
	if err := writing.run(ctx); err != nil {
		return err
	}
	return s.written(ctx, writing)
}

// dispatcher returns one for tasks of the class, which need what was made of it and the class above.
func (s *tableScheduler) dispatcher(shards []shard) *dispatcher {
	d := newDispatcher(s.c, shards[0].stage, shards)
	d.needs = []stage{{Class: s.stage.Class + 1}, s.stage}
	d.restore = func(ctx context.Context, g shard, cause error) error {
		switch {
		case g.Class != s.stage.Class:
			// A single process may have solved the class above, or a cluster with another store.
			if s.c.solvedClass == g.Class || !isLost(cause) {
				s.c.o.Logf(slog.LevelWarn, "%v; it is written again", cause)
				s.c.progress.repeated.Add(1)
			}
			return s.putAbove(ctx, g)
		case d.byShard[g] != nil:
			return errRemade
		}
		return &permanentError{&lostObject{g, cause}}
	}
	return d
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
	return c.purge(ctx, stateStream, fmt.Sprintf("%s*.%s.%v.>", stateSubject, c.record.solve.ID, stage{Class: class}))
}

// A solved class is written into the file of the table by the workers, if that is in the directory of the
// store, all are on one machine, or the table is to be in the bucket of the store. What one has written
// another reads back and counts. Otherwise the coordinator writes what it reads in the store. Either way
// it has the counts and checksums of a class alone in memory.

// layout returns where the class is to be written, and decides who does.
func (s *tableScheduler) layout(numbers int) (parts []format.Part, err error) {
	c, o := s.c, &s.c.o
	parts, c.file, err = s.class.Layout(numbers)
	switch c.table = o.Store.Locate(c.file); {
	case o.Pieces != nil:
		c.table = o.Pieces.Name()
	case c.table == "" && o.Own && o.Table == c.file:
		c.table = c.file
	}
	return parts, err
}

// writeHere writes the solved shards into the table, and reads them back. The error may be a *lostObject.
func (s *tableScheduler) writeHere(ctx context.Context, d *dispatcher) error {
	f, err := durable.Open(s.c.file, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	writing, ctx := errgroup.WithContext(ctx)
	writing.SetLimit(loaders)
	if s.shards != nil {
		writing.SetLimit(1) // sections are long
	}
	j := &job{contents: *s.c.contents(), worker: &worker{id: coordinatorKey}}
	for _, t := range d.tasks[:d.shards] {
		message := task{shard: t.shard, Parts: d.parts}
		writing.Go(func() error {
			err := s.c.retryStore(ctx, func(ctx context.Context) error {
				put, err := j.write(ctx, f, message)
				t.completion.Stretch = put.Stretch
				return err
			})
			if isUnusable(err) {
				return &lostObject{t.shard, err}
			}
			var found *stretch
			if err == nil {
				found, _, err = j.readBack(f, message)
			}
			if err == nil && !found.equal(t.completion.Stretch) {
				err = fmt.Errorf("cannot write the table: %s differs from what was written there; check the disk, and solve again", s.c.file)
			}
			return store.FullError(err, s.c.file)
		})
	}
	return writing.Wait()
}

// written gives the class the counts of its states, and the checksums of what the workers or the coordinator
// have written of its shards.
func (s *tableScheduler) written(ctx context.Context, d *dispatcher) error {
	if s.c.table == "" {
		if err := s.writeHere(ctx, d); err != nil {
			return err
		}
	}
	var words []int64
	sums := make([][]uint32, format.Masks)
	for _, t := range d.tasks[:d.shards] {
		for _, u := range s.c.contents().units(t.shard) {
			words = append(words, u.words)
		}
		to := t.completion.Stretch
		for part := range to.Sums {
			sums[part] = append(sums[part], to.sums(part)...)
		}
	}
	return s.class.Written(d.counts(), words, sums)
}
