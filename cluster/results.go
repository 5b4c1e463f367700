package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
)

// loaders is how many parts a coordinator or worker reads at once. With maxUploads,
// plan.Plan.WorkerMemory counts it.
const loaders = 4

// result is the result of a task, or why it cannot be read.
type result struct {
	task           *dispatch
	accept, revoke func() error
	faulty         string // after a check: the identifier of the worker that was wrong, or ""
	err            error
}

// read starts to read results.
func (d *dispatcher) read(ctx context.Context) {
	for len(d.wanted) > 0 && d.reading < loaders {
		t := d.wanted[0]
		d.wanted = d.wanted[1:]
		d.reading++
		done, base := t.completion, completion{}
		if t.base != nil {
			base = t.base.completion
		}
		go func() { d.results <- d.readResult(ctx, t, done, base) }()
	}
}

// readResult reads the result of a task, for a check that of base. It retries while the store is
// unreachable.
func (d *dispatcher) readResult(ctx context.Context, t *dispatch, done, base completion) result {
	r := result{task: t}
	r.err = retry(ctx, d.c.o, "the store", func(ctx context.Context) (err error) {
		if t.base != nil {
			r.faulty, err = d.arbitrate(ctx, t.base.group, done, base)
		} else {
			r.accept, r.revoke, err = d.load(ctx, t.group, done)
		}
		if isUnusable(err) || errors.Is(err, errWrong) || errors.Is(err, errUnreadable) {
			err = &permanentError{err}
		}
		return err
	})
	return r
}

// onResult accepts a result, or has the group solved again.
func (d *dispatcher) onResult(ctx context.Context, r result) error {
	c, t, worker := d.c, r.task, r.task.completion.WorkerID
	switch {
	case t.base != nil:
		return d.onCheck(ctx, r)
	case errors.Is(r.err, errWrong) && !c.faulty[worker]:
		if err := d.quarantine(ctx, worker, r.err.Error()); err != nil {
			return err
		}
		return d.redo(ctx, t)
	case c.faulty[worker]:
		c.conn.nc.Publish(faultySubject+worker, []byte("it was quarantined before")) // it may not have heard
		return d.redo(ctx, t)
	case isUnusable(r.err):
		return d.onUnusable(ctx, t, r.err)
	case r.err != nil:
		return r.err
	}
	if err := r.accept(); err != nil {
		return err
	}
	t.revoke = r.revoke
	d.accept(t)
	if t.check != nil {
		_ = d.publish(ctx, []*dispatch{t.check}) // otherwise the next sweep does
	}
	return nil
}

// accept counts a result as accepted.
func (d *dispatcher) accept(t *dispatch) {
	t.accepted = true
	d.accepted++
	d.c.read.Add(t.completion.Read)
	d.c.written += t.completion.Written
	d.c.progress.add(t.group, 1)
}

// onUnusable has a group solved again whose result is missing or damaged.
func (d *dispatcher) onUnusable(ctx context.Context, t *dispatch, cause error) error {
	if t.attempts++; t.attempts >= maxAttempts {
		return fmt.Errorf("%v were solved %d times, and could not be read: %w", t.group, maxAttempts, cause)
	}
	d.c.o.Logf(slog.LevelWarn, "%v: it is made again", cause)
	err := retry(ctx, d.c.o, "the store", func(ctx context.Context) error {
		return d.c.o.Store.Delete(ctx, d.c.record.solve.object(t.group))
	})
	if err != nil {
		return err
	}
	return d.redo(ctx, t)
}

// redo has a group solved again, and checked again.
func (d *dispatcher) redo(ctx context.Context, t *dispatch) error {
	if t.accepted {
		if t.revoke != nil {
			if err := t.revoke(); err != nil {
				return err
			}
		}
		t.accepted = false
		d.accepted--
		d.c.progress.add(t.group, -1)
	}
	t.requested = false
	if t.check != nil && t.check.accepted {
		if err := d.redo(ctx, t.check); err != nil {
			return err
		}
	}
	d.c.progress.repeat()
	// Without the completion the next sweep publishes the task again.
	return d.c.conn.retry(ctx, d.c.o, func(ctx context.Context) error {
		return d.c.conn.purge(ctx, stateStream, stateSubject+d.c.record.solve.doneKey(t.group))
	})
}
