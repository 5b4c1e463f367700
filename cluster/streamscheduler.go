package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"backsolve/retro/outofcore"
)

// StreamScheduler schedules a solve that keeps no table: it is an outofcore.Scheduler.
type StreamScheduler struct {
	c      *Coordinator
	stages []outofcore.Stage
	halves int                      // stages of a class
	latest int                      // the greatest number of a stage that was begun
	remade int                      // how often finished stages had to be solved again
	sums   map[stage]*outofcore.Sum // of finished stages
}

// NewStreamScheduler returns the scheduler of a solve that began with NewStream.
func NewStreamScheduler(c *Coordinator) *StreamScheduler {
	s := &StreamScheduler{c: c, stages: outofcore.Stages(c.space), halves: 1, sums: map[stage]*outofcore.Sum{}}
	if !s.stages[0].Last {
		s.halves = 2
	}
	return s
}

// Sealed implements outofcore.Scheduler. If the counts of a stage cannot be read, it is solved
// again.
func (s *StreamScheduler) Sealed(ctx context.Context, of outofcore.Stage) (sum *outofcore.Sum, err error) {
	c, solve, stage := s.c, &s.c.record.solve, stageOf(of)
	err = s.retry(ctx, func(ctx context.Context) error {
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
			return s.mendSeal(ctx, stage)
		}
		return err
	})
	return sum, err
}

// mendSeal restores lost or damaged copies of the counts of a stage.
func (s *StreamScheduler) mendSeal(ctx context.Context, stage stage) error {
	solve := &s.c.record.solve
	return s.c.mend(ctx, solve, solve.sealObject(stage), s.sums[stage])
}

// retry retries do while the store is unreachable.
func (s *StreamScheduler) retry(ctx context.Context, do func(ctx context.Context) error) error {
	return retry(ctx, s.c.o, "the store", do)
}

// Solve implements outofcore.Scheduler: it has the workers solve a stage.
func (s *StreamScheduler) Solve(ctx context.Context, b *outofcore.Blocks) (*outofcore.Sum, error) {
	stage := stageOf(b.Stage)
	if err := s.c.setSpread(ctx, stage); err != nil {
		return nil, err
	}
	s.latest = max(s.latest, b.Number)
	for attempts := 1; ; attempts++ {
		d := s.dispatcher(stage, b)
		if err := d.run(ctx); err != nil {
			return nil, err
		}
		noted, lost, err := s.noted(ctx, stage, b)
		switch {
		case err == nil:
			return b.Sum(d.counts(), noted)
		case !isUnusable(err) || attempts == maxAttempts:
			return nil, err
		}
		s.c.o.Logf(slog.LevelWarn, "%v: it is made again", err)
		s.c.progress.repeat()
		for _, t := range d.tasks {
			if t.first <= lost.first && lost.first < t.first+t.blocks {
				if err := s.c.forgetDone(ctx, t.shard); err != nil {
					return nil, err
				}
			}
		}
	}
}

// dispatcher returns one for the shards of a stage.
func (s *StreamScheduler) dispatcher(stage stage, b *outofcore.Blocks) *dispatcher {
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
	return d
}

// remake has a finished stage solved again, of which an object is lost. Only the shard of the object is:
// the others are as they were, but all are checked again. It returns a *outofcore.RemakeError, or
// why that is not possible.
func (s *StreamScheduler) remake(ctx context.Context, object shard, cause error) error {
	c, solve := s.c, &s.c.record.solve
	at := s.stages[slices.IndexFunc(s.stages, func(of outofcore.Stage) bool { return stageOf(of) == object.stage })]
	// The class from which it is made must be in the store still.
	if s.remade++; s.remade > maxAttempts || at.Number >= s.halves && at.Number < s.latest-s.halves {
		return fmt.Errorf("%w: %w", cause, ErrLost)
	}
	c.o.Logf(slog.LevelWarn, "%v: it is made again, from the class before it", cause)
	c.progress.repeat()
	err := c.conn.retry(ctx, c.o, func(ctx context.Context) error {
		done, err := getAll[completion](ctx, c.conn.state, solve.doneKeys(object.stage))
		for key, of := range done {
			if g := of.Task.shard(); err == nil && (g.check || g.first < object.first+object.blocks && object.first < g.first+g.blocks) {
				err = c.conn.purge(ctx, stateStream, stateSubject+key)
			}
		}
		if err == nil {
			err = c.conn.purge(ctx, taskStream, taskSubject+"."+solve.ID+".>")
		}
		return err
	})
	if err == nil {
		delete(s.sums, object.stage)
		err = s.retry(ctx, func(ctx context.Context) (err error) {
			for _, name := range solve.copies(solve.sealObject(object.stage)) {
				err = errors.Join(err, c.o.Store.Delete(ctx, name))
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	return &outofcore.RemakeError{Stage: at, Err: cause}
}

// noted reads the slices of the first moves. All else only workers read. If it cannot be read, lost is
// the object.
func (s *StreamScheduler) noted(ctx context.Context, stage stage, b *outofcore.Blocks) (noted map[int][]byte, lost shard, err error) {
	noted = map[int][]byte{}
	for _, block := range b.Noted() {
		if noted[block] != nil {
			continue
		}
		object := s.c.record.solve.objectOf(stage, b.Len(), block)
		err := s.retry(ctx, func(ctx context.Context) error {
			_, size, err := getObject(ctx, s.c.o.Store, s.c.record.solve.object(object), func(_ *head, i int, r *item) (err error) {
				if slices.Contains(b.Noted(), object.first+i) {
					noted[object.first+i], err = r.all()
				}
				return err
			})
			if s.c.read.Add(size); isUnusable(err) {
				err = &permanentError{err}
			}
			return err
		})
		if err != nil {
			return nil, object, err
		}
	}
	return noted, lost, nil
}

// Moved returns the bytes that coordinator and workers have read from the store and written to it
// since the coordinator began.
func (s *StreamScheduler) Moved() (read, written int64) { return s.c.read.Load(), s.c.written }

// Slices implements outofcore.Scheduler: it reads a finished stage object by object.
func (s *StreamScheduler) Slices(ctx context.Context, of outofcore.Stage) func(block int) ([]byte, error) {
	c, stage, blocks := s.c, stageOf(of), int(s.c.progress.blocks[of.Class])
	var object shard // whose slices are in memory
	var stored [][]byte
	return func(block int) ([]byte, error) {
		if p := c.record.solve.objectOf(stage, blocks, block); p != object {
			stored, object = nil, shard{}
			_, _, err := getObject(ctx, c.o.Store, c.record.solve.object(p), func(_ *head, _ int, r *item) error {
				slice, err := r.all()
				stored = append(stored, slice)
				return err
			})
			switch {
			case isLost(err):
				return nil, fmt.Errorf("%w: %w", outofcore.ErrGone, err)
			case isUnusable(err):
				return nil, s.remake(ctx, p, err)
			case err != nil:
				return nil, err
			case len(stored) != p.blocks:
				return nil, s.remake(ctx, p, fmt.Errorf("%w: it has %d blocks", errObject, len(stored)))
			}
			object = p
		}
		return stored[block-object.first], nil
	}
}

// Seal implements outofcore.Scheduler: it stores the counts of a stage, after its slices have
// reached the disk. It mends those of the earlier ones, which the result needs.
func (s *StreamScheduler) Seal(ctx context.Context, of outofcore.Stage, sum *outofcore.Sum) error {
	c, solve, stage := s.c, &s.c.record.solve, stageOf(of)
	return s.retry(ctx, func(ctx context.Context) error {
		if err := c.o.Store.Sync(ctx, solve.stagePrefix(stage)); err != nil {
			return err
		}
		for earlier := range s.sums {
			if err := s.mendSeal(ctx, earlier); err != nil {
				return err
			}
		}
		s.sums[stage] = sum
		return putTwice(ctx, c.o.Store, solve, solve.sealObject(stage), sum)
	})
}

// Drop implements outofcore.Scheduler: it deletes the objects of a stage.
func (s *StreamScheduler) Drop(ctx context.Context, of outofcore.Stage) error {
	return s.retry(ctx, func(ctx context.Context) error {
		return s.c.deleteObjects(ctx, s.c.record.solve.stagePrefix(stageOf(of)))
	})
}
