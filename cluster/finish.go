package cluster

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"backsolve/cluster/store"
	"backsolve/partition"
)

// SetResult records the checksum of the result of a solve that keeps no table. Call it before the
// result is saved, so that CollectGarbage can tell afterwards whether it was.
func (c *Coordinator) SetResult(ctx context.Context, checksum string) error {
	return c.record.update(ctx, func(s *Solve) { s.Solved, s.Result = true, checksum })
}

// ErrUnfinished is the cause if a cluster has an unfinished solve of the board.
var ErrUnfinished = errors.New("the cluster has an unfinished solve of the same board")

// CollectGarbage deletes what a finished solve has left in NATS and the store because its
// coordinator ended before Finish returned. Call it if the table exists, or the result that
// solve.Result identifies. It does nothing if another coordinator is running or another board is
// unfinished. The error wraps ErrUnfinished if the same board is.
func CollectGarbage(ctx context.Context, space *partition.Space, solve Solve, o Options) error {
	o = o.withDefaults()
	if found, err := findGarbage(ctx, &solve, o); err != nil || !found {
		return err
	}
	c, err := newCoordinator(ctx, space, solve, o)
	if c != nil {
		defer c.Close()
	}
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	if found, err := c.record.load(ctx); err != nil || !found || !c.record.solve.isGarbage(&solve, o.Own) {
		return err // or another process was faster
	}
	if !c.record.solve.Over {
		if err := c.checkMarker(ctx); err != nil {
			return err
		}
	}
	return c.Finish(ctx)
}

// findGarbage reports whether the cluster has what a finished solve has left.
func findGarbage(ctx context.Context, finished *Solve, o Options) (bool, error) {
	conn, err := connect(o, "backsolve coordinator")
	if err != nil {
		return false, err
	}
	defer conn.close()
	if err := conn.open(ctx); errors.Is(err, jetstream.ErrBucketNotFound) {
		return false, nil // never used
	} else if err != nil {
		return false, fmt.Errorf("cannot read the state of the cluster: %w", err)
	}
	held, err := getKey[Solve](ctx, conn.state, solveKey)
	if err != nil || held == nil {
		return false, err
	}
	found := held.isGarbage(finished, o.Own)
	if !found && held.same(finished) {
		err = fmt.Errorf("%w: %s, class %d in progress", ErrUnfinished, held.Board(), held.Class)
	}
	return found, err
}

// Finish deletes everything of the solve in NATS and the store. Call it when the table is finished. The
// record goes last, and says until then that the solve is over: if Finish is interrupted, CollectGarbage
// or the next coordinator deletes the rest, whatever its board.
func (c *Coordinator) Finish(ctx context.Context) error {
	if err := c.record.update(ctx, func(s *Solve) { s.Over = true }); err != nil {
		return err
	}
	if err := c.clear(ctx, c.record.solve.ID+".>"); err != nil {
		return err
	}
	return c.record.delete(ctx)
}

// clear deletes the tasks and keys that match a pattern, and the objects of all solves of the board.
func (c *Coordinator) clear(ctx context.Context, pattern string) error {
	call, cancel := context.WithTimeout(ctx, longTimeout)
	defer cancel()
	if err := c.conn.purge(call, taskStream, taskSubject+"."+pattern); err != nil {
		return err
	}
	if err := c.conn.purgeKeys(call, pattern); err != nil {
		return err
	}
	return deleteObjects(ctx, c.o.Store, c.record.solve.prefix())
}

// deleteObjects deletes all objects whose names begin with prefix, also damaged ones.
func deleteObjects(ctx context.Context, in store.Store, prefix string) error {
	var deleting errgroup.Group
	deleting.SetLimit(8)
	for name, err := range in.List(ctx, prefix) {
		if err != nil {
			deleting.Wait()
			return err
		}
		deleting.Go(func() error { return in.Delete(ctx, name) })
	}
	return deleting.Wait()
}
