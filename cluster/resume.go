package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"backsolve/cluster/store"
	"backsolve/partition"
)

// resume resumes the solve in the cluster if it is the wanted one. Otherwise it begins that.
func (c *Coordinator) resume(ctx context.Context, want Solve) error {
	found, err := c.record.load(ctx)
	held := c.record.solve
	switch {
	case errors.Is(err, errRecordLost) && want.Stream && !c.o.Anew:
		return c.resumeFromStore(ctx, want)
	case errors.Is(err, errRecordLost), !found && err == nil:
		return c.create(ctx, want)
	case err != nil && c.record.revision == 0:
		return err
	case err != nil && !c.o.Force:
		return fmt.Errorf("%w, which cannot be read (%w)", ErrOther, err)
	case err != nil:
		if err := c.record.delete(ctx); err != nil {
			return err
		}
		return c.create(ctx, want)
	case c.o.Anew, held.Over:
	case held.same(&want) && held.Version == c.o.Version && held.hasByteOrder():
		if err := c.checkMarker(ctx); err == nil {
			return c.resumeHeld(ctx, want)
		} else if !c.o.Force {
			return err
		}
	case c.o.Force, c.o.Own && held.same(&want) && !held.Stream: // the table has the finished classes
	case held.same(&want) && !held.hasByteOrder():
		return fmt.Errorf("%w: %s was begun by a machine with another byte order", ErrOther, held.Board())
	case held.same(&want):
		return fmt.Errorf("%w: %s was begun by version %s, and this is %s", ErrOther, held.Board(), held.Version, c.o.Version)
	default:
		return fmt.Errorf("%w: %s", ErrOther, held.Board())
	}
	if err := c.Finish(ctx); err != nil {
		return err
	}
	return c.create(ctx, want)
}

// resumeHeld resumes the solve of the record. Attempts count anew: what killed workers may be corrected.
func (c *Coordinator) resumeHeld(ctx context.Context, want Solve) error {
	call, cancel := context.WithTimeout(ctx, longTimeout)
	defer cancel()
	if c.o.Own { // the workers are gone, so there is no need to wait for them
		if err := c.conn.purge(call, taskStream, taskSubject+".>"); err != nil {
			return err
		}
	}
	s := &c.record.solve
	if err := c.conn.purge(call, stateStream, stateSubject+"attempts."+s.ID+".>"); err != nil {
		return err
	}
	faulty, err := getAll[string](ctx, c.conn.state, s.faultyKeys()+"*")
	for key := range faulty {
		c.faulty[strings.TrimPrefix(key, s.faultyKeys())] = true
	}
	if err != nil {
		return err
	}
	return c.resize(ctx, want)
}

// resize adapts the shards of the remaining stages to the memory and the number of workers of
// this machine. Objects stay as they are, and so do shards that would become little larger: changed
// shards mean that the stage in progress begins anew.
func (c *Coordinator) resize(ctx context.Context, want Solve) error {
	s := c.record.solve
	if s.Shards && (s.WorkerMemory != want.WorkerMemory || c.o.Own && s.Spread != max(1, c.o.Expect)) {
		return c.record.update(ctx, func(s *Solve) {
			if s.WorkerMemory = want.WorkerMemory; c.o.Own {
				s.Spread = max(1, c.o.Expect)
			}
		})
	}
	if !c.o.Own || !s.Stream {
		return nil
	}
	spread, blocks := max(1, c.o.Expect), s.ShardBlocks
	if want.ShardBlocks < blocks || want.ShardBlocks > blocks/4*5 {
		blocks = want.ShardBlocks
	}
	if blocks != s.ShardBlocks || spread != s.Spread {
		if err := c.conn.purgeKeys(ctx, s.ID+".>"); err != nil {
			return err
		}
	} else if want.Packed == s.Packed {
		return nil
	}
	return c.record.update(ctx, func(s *Solve) { s.ShardBlocks, s.Spread, s.Packed = blocks, spread, want.Packed })
}

// resumeFromStore resumes a solve that keeps no table after NATS has lost its record. If the store has no
// finished classes of one, it begins another.
func (c *Coordinator) resumeFromStore(ctx context.Context, want Solve) error {
	sealed := map[string]int{} // classes, by the identifier of the solve
	for name, err := range c.o.Store.List(ctx, want.prefix()) {
		if err != nil {
			return err
		}
		if id, rest, _ := strings.Cut(strings.TrimPrefix(name, want.prefix()), "/"); strings.HasPrefix(strings.TrimPrefix(rest, copiesPrefix), "sealed/") {
			sealed[id]++
		}
	}
	most := 0
	var best Solve
	for id, classes := range sealed {
		held, named := Solve{}, want
		named.ID = id
		err := getEither(ctx, c.o.Store, &named, named.marker(), &held)
		switch {
		case err != nil && !isUnusable(err):
			return err
		case err != nil || held.ID != id || !held.same(&want) || classes <= most:
		case held.Version == c.o.Version && held.hasByteOrder():
			most, best = classes, held
		case !c.o.Force:
			return fmt.Errorf("%w: the store has finished classes of %s by version %s, and this is %s", ErrOther, held.Board(), held.Version, c.o.Version)
		}
	}
	if most == 0 {
		return c.create(ctx, want)
	}
	c.o.Logf(slog.LevelInfo, "NATS has no record of %s, but the store has finished classes of it: they are used", best.Board())
	if err := c.record.create(ctx, best); err != nil {
		return err
	}
	return c.resize(ctx, want)
}

// create begins a solve. It deletes the objects of abandoned solves of the board.
func (c *Coordinator) create(ctx context.Context, s Solve) error {
	s.ID, s.Version, s.ShardBytes = rand.Text(), c.o.Version, c.o.shardBytes(s.Stream)
	s.setSizes(c.space, c.o)
	s.Began = time.Now().UTC().Truncate(time.Second)
	c.record.solve = s
	if err := c.clear(ctx, ">"); err != nil {
		return err
	}
	if err := putTwice(ctx, c.o.Store, &c.record.solve, s.marker(), s); err != nil {
		return err
	}
	return c.record.create(ctx, s)
}

// checkMarker returns why the store is not that of the solve, or nil. A marker that is lost or damaged
// is written again if the store has anything else of the solve.
func (c *Coordinator) checkMarker(ctx context.Context) error {
	s := &c.record.solve
	err := getEither(ctx, c.o.Store, s, s.marker(), new(Solve))
	if isLost(err) && !c.o.Own {
		missing := fmt.Errorf("%w: %v has nothing of %s", ErrOtherStore, c.o.Store, s.Board())
		for _, missing = range c.o.Store.List(ctx, s.prefix()+s.ID+"/") {
			break
		}
		if missing != nil {
			return missing
		}
	}
	if err == nil || isUnusable(err) {
		err = c.mend(ctx, s.marker(), s)
	}
	return err
}

// SetResult records the checksum of the result of a solve that keeps no table. Call it before the
// result is saved, so that CollectGarbage can tell afterwards whether it was.
func (c *Coordinator) SetResult(ctx context.Context, checksum string) error {
	return c.record.update(ctx, func(s *Solve) { s.Solved, s.Result = true, checksum })
}

// ErrUnfinished is the cause if a cluster has an unfinished solve of the board.
var ErrUnfinished = errors.New("the cluster has an unfinished solve of the same board")

// CollectGarbage deletes what a finished solve has left in NATS and the store: its coordinator ended before Finish
// returned. Call it if the table exists, or the result that solve.Result identifies. It does nothing if another
// coordinator is running or another board is unfinished. The error wraps ErrUnfinished if the same board is.
func CollectGarbage(ctx context.Context, space *partition.Space, solve Solve, o Options) error {
	o = o.withDefaults()
	status, err := readStatus(ctx, o)
	if err != nil || status.Solve == nil {
		return err
	}
	if held := status.Solve; !held.isGarbage(&solve, o.Own) {
		if held.same(&solve) {
			err = fmt.Errorf("%w: %s, class %d in progress", ErrUnfinished, held.Board(), held.Class)
		}
		return err
	}
	c, err := newCoordinator(ctx, space, solve, o)
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
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
