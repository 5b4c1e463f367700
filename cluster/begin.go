package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
)

// takeUp finds the record of the solve, or begins one. What a solve has left that is over is deleted.
func (c *Coordinator) takeUp(want Solve) error {
	entry, err := c.conn.state.Get(c.ctx, solveKey)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		if found, err := c.takeUpStored(want); found || err != nil {
			return err
		}
		return c.create(want)
	}
	if err != nil {
		return fmt.Errorf("cannot read what the cluster holds: %w", err)
	}
	var held Solve
	if err := json.Unmarshal(entry.Value(), &held); err != nil {
		if !c.o.Force {
			return fmt.Errorf("%w, which cannot be read (%w)", ErrOther, err)
		}
		if err := c.deleteRecord(entry.Revision()); err != nil {
			return err
		}
		return c.create(want)
	}
	c.solve, c.revision = held, entry.Revision()
	switch {
	case c.o.Anew, held.Over:
	case held.same(&want) && held.Version == c.o.Version && held.fitsHere():
		if err := c.checkMarker(held); err != nil && !c.o.Force {
			return err
		} else if err == nil {
			if err := c.takeBack(); err != nil {
				return err
			}
			if err := c.conn.purge(c.ctx, "KV_"+stateBucket, stateSubject+"attempts."+held.ID+".>"); err != nil {
				return err // what made workers die may have been seen to
			}
			return c.resize(want)
		}
	case c.o.Force, c.o.Own && held.same(&want) && !held.Stream: // the table keeps what is sealed
	case held.same(&want) && !held.fitsHere():
		return fmt.Errorf("%w: %s was begun by a machine with another order of the bytes of a word", ErrOther, held.Board())
	case held.same(&want):
		return fmt.Errorf("%w: %s was begun by version %s, and this is %s", ErrOther, held.Board(), held.Version, c.o.Version)
	default:
		return fmt.Errorf("%w: %s", ErrOther, held.Board())
	}
	if err := c.discard(); err != nil {
		return err
	}
	return c.create(want)
}

// takeUpStored goes on with a solve that keeps no table and whose record NATS has lost, where the store
// has classes of it that are finished: they are all that is left of the work. It reports whether it does.
func (c *Coordinator) takeUpStored(want Solve) (found bool, err error) {
	if _, _, err := c.conn.record(c.ctx); !errors.Is(err, errRecordLost) || !want.Stream || c.o.Anew {
		return false, nil
	}
	sealed := map[string]int{} // by the identifier of the solve
	for info, err := range c.o.Store.List(c.ctx, want.prefix()) {
		if info.Name == "" && err != nil {
			return false, err
		}
		if id, rest, _ := strings.Cut(strings.TrimPrefix(info.Name, want.prefix()), "/"); err == nil && strings.HasPrefix(rest, "sealed/") {
			sealed[id]++
		}
	}
	most := 0
	var held Solve
	for id, classes := range sealed {
		marked := Solve{Game: want.Game, Size: want.Size, Taken: want.Taken, Stream: true, ID: id}
		err := c.readMark(&marked)
		switch {
		case err != nil && !useless(err):
			return false, err
		case err != nil || marked.ID != id || !marked.same(&want) || classes <= most:
		case marked.Version == c.o.Version && marked.fitsHere():
			most, held = classes, marked
		case !c.o.Force:
			return false, fmt.Errorf("%w: the store has finished classes of %s by version %s, and this is %s", ErrOther, marked.Board(), marked.Version, c.o.Version)
		}
	}
	if most == 0 {
		return false, nil
	}
	c.o.Say(fmt.Sprintf("NATS has no record of %s, but the store has finished classes of it: they are used", held.Board()))
	c.solve = held
	c.revision, err = c.conn.state.Create(c.ctx, solveKey, encoded(held))
	if err != nil {
		return false, fmt.Errorf("cannot begin the solve in the cluster: %w", err)
	}
	return true, c.resize(want)
}

// readMark reads what mark has put into the store.
func (c *Coordinator) readMark(s *Solve) error {
	object, err := c.o.Store.Get(c.ctx, s.marker())
	if err != nil {
		return err
	}
	defer object.Close()
	text, err := io.ReadAll(object)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, s)
}

// takeBack empties the work queue where the workers that were given tasks are gone: it need
// not be waited until nothing has been heard of them for long. The first sweep hands out
// what is missing.
func (c *Coordinator) takeBack() error {
	if !c.o.Own {
		return nil
	}
	return c.conn.purge(c.ctx, taskStream, taskSubjects+".>")
}

// checkMarker says why the store is not that of a solve. A marker that a power cut has taken is
// put there again.
func (c *Coordinator) checkMarker(held Solve) error {
	_, err := c.o.Store.Stat(c.ctx, held.marker())
	lost := errors.Is(err, store.ErrNotFound)
	if errors.Is(err, store.ErrDamaged) || lost && c.o.Own {
		return c.mark(held)
	}
	if lost {
		return fmt.Errorf("%w: %v has nothing of %s", ErrOtherStore, c.o.Store, held.Board())
	}
	return err
}

// create begins a solve. Nobody knows of it yet, so what is there of the board is of solves
// that were given up.
func (c *Coordinator) create(want Solve) error {
	c.solve = want
	c.solve.ID, c.solve.Version, c.solve.GroupBytes = newID(), c.o.Version, c.o.groupBytes(want.Stream)
	c.solve.sizeParts(c.space, c.o)
	c.solve.Began = time.Now().UTC().Truncate(time.Second)
	if err := c.clear("", want.prefix()); err != nil {
		return err
	}
	if err := c.mark(c.solve); err != nil {
		return err
	}
	var err error
	if c.revision, err = c.conn.state.Create(c.ctx, solveKey, encoded(c.solve)); err != nil {
		return fmt.Errorf("cannot begin the solve in the cluster: %w", err)
	}
	return nil
}

// mark puts the object into the store by which workers know it.
func (c *Coordinator) mark(s Solve) error {
	text := encoded(s)
	return c.o.Store.Put(c.ctx, s.marker(), bytes.NewReader(text), int64(len(text)))
}
