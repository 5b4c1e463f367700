package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/partition"
)

// Saving notes that the result of a solve that keeps no table is about to be saved, with what
// identifies it: by that Tidy knows whether it was.
func (c *Coordinator) Saving(result string) error {
	return c.change(func(s *Solve) { s.Solved, s.Result = true, result })
}

// Finish deletes the solve, and all that it has left in NATS and in the store: call it when the table
// is finished. Where it was stopped, Tidy goes on.
func (c *Coordinator) Finish() error { return c.discard() }

// ErrUnfinished is the cause where what a cluster holds of a board is not finished.
var ErrUnfinished = errors.New("the cluster holds an unfinished solve of the same board")

// Tidy deletes what a finished solve has left in NATS and in the store, if its coordinator was stopped
// before Finish had returned: call it where the table is there, or the result that solve.Result names. While another coordinator is at work,
// or the cluster holds the unfinished solve of another board, it does nothing. The error wraps
// ErrUnfinished where that is one of the same board: it stays.
func Tidy(ctx context.Context, space *partition.Space, solve Solve, o Options) error {
	o = o.withDefaults()
	if left, err := leftovers(ctx, &solve, o); err != nil || !left {
		return err
	}
	c, err := lead(ctx, space, solve, o)
	if c != nil {
		defer c.Close()
	}
	switch {
	case errors.Is(err, ErrBusy):
		return nil
	case err != nil:
		return err
	}
	entry, err := c.conn.state.Get(ctx, solveKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil // somebody else has tidied up
	}
	if err == nil {
		err = json.Unmarshal(entry.Value(), &c.solve)
	}
	if err != nil {
		return fmt.Errorf("cannot read what the cluster holds: %w", err)
	}
	if c.revision = entry.Revision(); !c.solve.leftBy(&solve, o.Own) {
		return nil // somebody else has begun
	}
	if !c.solve.Over {
		if err := c.checkMarker(c.solve); err != nil {
			return err
		}
	}
	return c.discard()
}

// leftovers reports whether the cluster holds what a finished solve has left.
func leftovers(ctx context.Context, of *Solve, o Options) (bool, error) {
	conn, err := connect(o.URL, "backsolve coordinator", o.Getenv)
	if err != nil {
		return false, err
	}
	defer conn.close()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := conn.find(ctx); errors.Is(err, jetstream.ErrBucketNotFound) {
		return false, nil // nobody has ever used it
	} else if err != nil {
		return false, fmt.Errorf("cannot read what the cluster holds: %w", err)
	}
	held, err := read[Solve](ctx, conn.state, solveKey)
	if err != nil || held == nil {
		return false, err
	}
	left := held.leftBy(of, o.Own)
	if !left && held.same(of) {
		err = fmt.Errorf("%w: %s, class %d in work", ErrUnfinished, held.Board(), held.Class)
	}
	return left, err
}

// discard deletes the solve, and all that belongs to it. The record goes last, and says until then
// that the solve is over: a coordinator that is stopped meanwhile leaves it to the next one, of
// whatever board, to delete the rest.
func (c *Coordinator) discard() error {
	if err := c.change(func(s *Solve) { s.Over = true }); err != nil {
		return err
	}
	if err := c.clear(c.solve.ID, c.solve.prefix()); err != nil {
		return err
	}
	return c.deleteRecord(c.revision)
}

// deleteRecord deletes the record of the solve, if it is the one of the given revision.
func (c *Coordinator) deleteRecord(revision uint64) error {
	if err := c.conn.state.Purge(c.ctx, solveKey, jetstream.LastRevision(revision)); err != nil {
		return fmt.Errorf("cannot take the solve out of the cluster: %w", err)
	}
	return nil
}

// clear removes tasks and notes of a solve, or of all where id is "", and the objects of all
// solves of its board.
func (c *Coordinator) clear(id, prefix string) error {
	of := ">"
	if id != "" {
		of = id + ".>"
	}
	if err := c.conn.purge(c.ctx, taskStream, taskSubjects+"."+of); err != nil {
		return err
	}
	if err := c.conn.purgeNotes(c.ctx, of); err != nil {
		return err
	}
	return c.deleteAll(c.ctx, prefix)
}

// deleters is how many objects are taken away at once.
const deleters = 8

// deleteAll deletes the objects whose names have a prefix, damaged ones too.
func (c *Coordinator) deleteAll(ctx context.Context, prefix string) error {
	var names []string
	for info, err := range c.o.Store.List(ctx, prefix) {
		if info.Name == "" && err != nil {
			return err
		}
		names = append(names, info.Name)
	}
	next := make(chan string)
	errs := make([]error, deleters)
	var deleting sync.WaitGroup
	for i := range deleters {
		deleting.Go(func() {
			for name := range next {
				errs[i] = errors.Join(errs[i], c.o.Store.Delete(ctx, name))
			}
		})
	}
	for _, name := range names {
		next <- name
	}
	close(next)
	deleting.Wait()
	return errors.Join(errs...)
}
