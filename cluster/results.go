package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// loaders is how many objects a process reads at once. plan.Plan.WorkerMemory counts it, and maxUploads.
const loaders = 4

// onDone accepts a result, or has the shard solved again.
func (d *dispatcher) onDone(ctx context.Context, t *dispatch) error {
	c, worker, err := d.c, t.completion.WorkerID, d.refusal(t)
	switch {
	case errors.Is(err, errWrong) && !c.faulty[worker]:
		if err := d.quarantine(ctx, worker, err.Error()); err != nil {
			return err
		}
		return d.redo(ctx, t)
	case c.faulty[worker]:
		c.conn.nc.Publish(faultySubject+worker, []byte("it was quarantined before")) // it may not have heard
		return d.redo(ctx, t)
	case err != nil:
		return d.onUnusable(ctx, t, err)
	}
	d.count(t, 1)
	if t.check != nil {
		_ = d.publish(ctx, []*dispatch{t.check}) // otherwise the next sweep does
	}
	return nil
}

// refusal returns why a completion cannot be accepted, or nil.
func (d *dispatcher) refusal(t *dispatch) error {
	done := &t.completion
	switch {
	case t.isTurn():
		return nil
	case t.Write && t.Shards == 0: // another worker compares them with what was solved
		done.Counts = d.solved.byShard[t.unwritten()].completion.Counts
	}
	switch {
	case done.Counts == nil:
		return fmt.Errorf("%w: %v have no counts", errWrong, t.shard)
	case t.Write && (done.Stretch == nil || len(done.Stretch.Sums) != len(d.parts)):
		return fmt.Errorf("%w: %v, written into the table", errWrong, t.shard)
	case t.Write && done.Stretch.Attempt != d.c.attempt:
		return fmt.Errorf("%v were written for an earlier coordinator", t.shard)
	}
	return nil
}

// count counts a task as accepted (1), or as not accepted again (−1).
func (d *dispatcher) count(t *dispatch, sign int) {
	if t.accepted = sign > 0; t.accepted {
		d.c.read.Add(t.completion.Read)
		d.c.written += t.completion.Written
	}
	d.accepted += sign
	d.c.progress.add(t.shard, sign)
	if t.base == nil && d.report != nil {
		d.blocks += sign * t.Blocks
		d.report(d.blocks)
	}
}

// onUnusable has a shard solved again whose result is missing or damaged.
func (d *dispatcher) onUnusable(ctx context.Context, t *dispatch, cause error) error {
	if t.attempts++; t.attempts >= maxAttempts {
		return fmt.Errorf("%v were solved %d times, and could not be read: %w", t.shard, maxAttempts, cause)
	}
	d.c.o.Logf(slog.LevelWarn, "%v: it is made again", cause)
	err := d.c.retryStore(ctx, func(ctx context.Context) error {
		return d.c.o.Store.Delete(ctx, d.c.record.solve.object(t.shard))
	})
	if err != nil {
		return err
	}
	return d.redo(ctx, t)
}

// redo has a shard solved again, and checked again.
func (d *dispatcher) redo(ctx context.Context, t *dispatch) error {
	if t.accepted {
		d.count(t, -1)
	}
	t.requested = false
	if t.check != nil && t.check.accepted {
		if err := d.redo(ctx, t.check); err != nil {
			return err
		}
	}
	d.c.progress.repeat()
	// Without the completion the next sweep publishes the task again.
	return d.c.forgetDone(ctx, t.shard)
}

func (c *Coordinator) forgetDone(ctx context.Context, shards ...shard) error {
	return c.conn.retry(ctx, func(ctx context.Context) (err error) {
		for _, g := range shards {
			err = errors.Join(err, c.conn.purge(ctx, stateStream, stateSubject+c.record.solve.doneKey(g)))
		}
		return err
	})
}
