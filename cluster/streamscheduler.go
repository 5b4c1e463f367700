package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"backsolve/retro/outofcore"
)

// stageScheduler has the workers solve the stages of a solve that keeps no table.
type stageScheduler struct {
	c      *Coordinator
	stages []outofcore.Stage
	halves int                      // stages of a class
	latest int                      // the greatest number of a stage that was begun
	remade int                      // how often stages had to be solved again
	sums   map[stage]*outofcore.Sum // of finished stages
}

// Stages returns the scheduler of a solve that began with NewStream.
func (c *Coordinator) Stages() outofcore.Scheduler {
	s := &stageScheduler{c: c, stages: outofcore.Stages(c.space), halves: 1, sums: map[stage]*outofcore.Sum{}}
	if !s.stages[0].Last {
		s.halves = 2
	}
	return outofcore.Scheduler{Solve: s.solve, Slices: s.slices}
}

// solve returns the sum of a stage, which it has solved unless that was sealed before.
func (s *stageScheduler) solve(ctx context.Context, b *outofcore.Blocks) (*outofcore.Sum, error) {
	stage := stageOf(b.Stage)
	sum, err := s.sealed(ctx, stage)
	if err != nil {
		return nil, err
	}
	if sum == nil {
		b.Begin()
		if sum, err = s.solveBlocks(ctx, stage, b); err != nil {
			return nil, err
		}
		if err := s.seal(ctx, stage, sum); err != nil {
			return nil, err
		}
	}
	gone := b.Number - 2*s.halves // from the class before it a lost slice of the class above can be made again
	if gone < 0 {
		return sum, nil
	}
	return sum, s.c.retryStore(ctx, func(ctx context.Context) error {
		return deleteObjects(ctx, s.c.o.Store, s.c.record.solve.stagePrefix(stageOf(s.stages[gone])))
	})
}

// sealed returns the sum of a stage that was sealed before, nil if it must be solved (again).
func (s *stageScheduler) sealed(ctx context.Context, stage stage) (sum *outofcore.Sum, err error) {
	c, solve := s.c, &s.c.record.solve
	err = s.c.retryStore(ctx, func(ctx context.Context) error {
		found := new(outofcore.Sum)
		err := getEither(ctx, c.o.Store, solve, solve.sealObject(stage), found)
		switch {
		case isUnusable(err):
			if !isLost(err) {
				c.o.Logf(slog.LevelWarn, "%v: the class is solved again", err)
			}
			return nil
		case err == nil:
			sum, s.sums[stage] = found, found
			return c.mend(ctx, solve.sealObject(stage), sum)
		}
		return err
	})
	return sum, err
}

// seal stores the counts of a stage whose slices are on the disk. The result needs the earlier ones too.
func (s *stageScheduler) seal(ctx context.Context, stage stage, sum *outofcore.Sum) error {
	c, solve := s.c, &s.c.record.solve
	return s.c.retryStore(ctx, func(ctx context.Context) error {
		if err := c.o.Store.Sync(ctx, solve.stagePrefix(stage)); err != nil {
			return err
		}
		for earlier, counts := range s.sums {
			if err := c.mend(ctx, solve.sealObject(earlier), counts); err != nil {
				return err
			}
		}
		s.sums[stage] = sum
		return putTwice(ctx, c.o.Store, solve, solve.sealObject(stage), sum)
	})
}

// solveBlocks has a stage solved, and reads the slices of the first moves: all else only workers read.
func (s *stageScheduler) solveBlocks(ctx context.Context, stage stage, b *outofcore.Blocks) (*outofcore.Sum, error) {
	if err := s.c.setSpread(ctx, stage); err != nil {
		return nil, err
	}
	s.latest = max(s.latest, b.Number)
	d := newDispatcher(s.c, stage, s.c.record.solve.streamShards(stage, b.Len()))
	if b.Class < s.c.space.MaskBits {
		d.needs = append(d.needs, stageOf(s.stages[b.Number-s.halves]))
	}
	if b.Half > 0 {
		d.needs = append(d.needs, stageOf(s.stages[b.Number-1]))
	}
	d.report = b.Progress
	d.restore = func(ctx context.Context, object shard, cause error) error {
		return &permanentError{s.remake(ctx, object, cause)}
	}
	if err := d.run(ctx); err != nil {
		return nil, err
	}
	return b.Sum(d.counts(), s.slices(ctx, b.Stage))
}

// remake has a finished stage solved again, of which an object is lost. Only the shard of the object is:
// the others are as they were, but all are checked again. It returns a *outofcore.RemakeError, or
// why that is not possible.
func (s *stageScheduler) remake(ctx context.Context, object shard, cause error) error {
	c, solve := s.c, &s.c.record.solve
	at := s.stages[slices.IndexFunc(s.stages, func(of outofcore.Stage) bool { return stageOf(of) == object.stage })]
	// The class from which it is made must be in the store still.
	if s.remade++; s.remade > maxAttempts || at.Number >= s.halves && at.Number < s.latest-s.halves {
		return fmt.Errorf("%w: %w", cause, ErrLost)
	}
	c.o.Logf(slog.LevelWarn, "%v: it is made again, from the class before it", cause)
	c.progress.repeated.Add(1)
	err := c.conn.retry(ctx, func(ctx context.Context) error {
		done, err := getAll[completion](ctx, c.conn.state, solve.doneKeys(object.stage))
		for key, of := range done {
			if g := of.Task.shard; g.Check || g.First < object.First+object.Blocks && object.First < g.First+g.Blocks {
				err = errors.Join(err, c.conn.purge(ctx, stateStream, stateSubject+key))
			}
		}
		return errors.Join(err, c.conn.purge(ctx, taskStream, taskSubject+"."+solve.ID+".>"))
	})
	if err != nil {
		return err
	}
	delete(s.sums, object.stage)
	err = s.c.retryStore(ctx, func(ctx context.Context) (err error) {
		for _, name := range solve.copies(solve.sealObject(object.stage)) {
			err = errors.Join(err, c.o.Store.Delete(ctx, name))
		}
		return err
	})
	if err != nil {
		return err
	}
	return &outofcore.RemakeError{Stage: at, Err: cause}
}

// slices reads a solved stage object by object.
func (s *stageScheduler) slices(ctx context.Context, of outofcore.Stage) func(block int) ([]byte, error) {
	c, stage, blocks := s.c, stageOf(of), int(s.c.progress.blocks[of.Class])
	var object shard // whose slices are in memory
	var stored [][]byte
	return func(block int) ([]byte, error) {
		p := c.record.solve.objectOf(stage, blocks, block)
		if p == object {
			return stored[block-object.First], nil
		}
		object = shard{}
		err := s.c.retryStore(ctx, func(ctx context.Context) error {
			stored = nil
			return c.contents().slices(ctx, p, func(_ int, it *item) error {
				slice, err := readItem(it, nil)
				stored = append(stored, slice)
				return err
			})
		})
		switch {
		case isLost(err) && s.sums[stage] != nil:
			return nil, fmt.Errorf("%w: %w", outofcore.ErrGone, err)
		case isUnusable(err):
			return nil, s.remake(ctx, p, err)
		case err != nil:
			return nil, err
		}
		object = p
		return stored[block-object.First], nil
	}
}
