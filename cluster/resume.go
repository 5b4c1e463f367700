package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"backsolve/cluster/store"
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
		named := want
		named.ID = id
		held, err := readMarker(ctx, c.o.Store, &named)
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

func readMarker(ctx context.Context, from store.Store, s *Solve) (held Solve, err error) {
	err = getEither(ctx, from, s, s.marker(), &held)
	return held, err
}

// checkMarker returns why the store is not that of the solve, or nil. A marker that is lost or damaged
// is written again if the store has anything else of the solve.
func (c *Coordinator) checkMarker(ctx context.Context) error {
	s := &c.record.solve
	_, err := readMarker(ctx, c.o.Store, s)
	if isLost(err) && !c.o.Own {
		has, err := c.hasObjects(ctx)
		if err != nil {
			return err
		}
		if !has {
			return fmt.Errorf("%w: %v has nothing of %s", ErrOtherStore, c.o.Store, s.Board())
		}
	}
	if err == nil || isUnusable(err) {
		err = c.mend(ctx, s.marker(), s)
	}
	return err
}

func (c *Coordinator) hasObjects(ctx context.Context) (has bool, err error) {
	for _, err := range c.o.Store.List(ctx, c.record.solve.prefix()+c.record.solve.ID+"/") {
		return err == nil, err
	}
	return false, nil
}
