package cluster

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"time"

	"backsolve/cluster/store"
)

// What a coordinator depends on and nobody can make again is in the store twice: the record of the
// solve, and the counts of finished classes.

// copies are the names of both copies of an object.
func (s *Solve) copies(name string) []string {
	of := s.prefix() + s.ID + "/"
	return []string{name, of + copiesPrefix + strings.TrimPrefix(name, of)}
}

// copiesPrefix begins the names of second copies, after the identifier of the solve.
const copiesPrefix = "copies/"

// putTwice stores both copies of an object, and returns when they survive a power failure.
func putTwice(ctx context.Context, to store.Store, s *Solve, name string, data []byte) error {
	for _, name := range s.copies(name) {
		if err := to.Put(ctx, name, data); err != nil {
			return err
		}
		if err := to.Sync(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// getEither reads the first copy that is whole. If none is, the error says that one is damaged rather
// than lost.
func getEither(ctx context.Context, from store.Store, s *Solve, name string, decode func(r io.Reader) error) (err error) {
	for _, name := range s.copies(name) {
		failed := getObject(ctx, from, name, decode)
		if !isUnusable(failed) {
			return failed
		}
		if err == nil || isLost(err) {
			err = failed
		}
	}
	return err
}

// mend puts copies of an object there again that are lost or damaged.
func (c *Coordinator) mend(ctx context.Context, s *Solve, name string, decode func(r io.Reader) error, data []byte) error {
	for _, name := range s.copies(name) {
		err := getObject(ctx, c.o.Store, name, decode)
		if isUnusable(err) {
			c.o.Logf(slog.LevelWarn, "%v: it is put there again", err)
			err = c.o.Store.Put(ctx, name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keepMarker mends the marker until ctx ends: new workers need it, and the next coordinator does.
func (c *Coordinator) keepMarker(ctx context.Context, s Solve) {
	for sleep(ctx, c.o.Sweep) == nil {
		c.mend(ctx, &s, s.marker(), decodeMarker(new(Solve)), encoded(s)) // what needs the store reports its errors
	}
}

// stopKeeping ends keepMarker.
func (c *Coordinator) stopKeeping() {
	if c.stopKeeper != nil {
		c.stopKeeper()
		c.keeper.Wait()
	}
}

// acceptedWithin is for how many times Alive a coordinator waits for a worker before it says loudly
// that there is none.
const acceptedWithin = 5

// reportLonely says that no worker has been accepted for a while, and why the last one was not.
func (c *Coordinator) reportLonely(now time.Time) {
	if within := acceptedWithin * c.o.Alive; now.Sub(c.accepted) > within && now.Sub(c.saidLonely) > within {
		why := "none has come"
		if c.refusal != "" {
			why = "the last one that came was " + c.refusal
		}
		c.saidLonely = now
		c.o.Logf(slog.LevelError, "for %v no worker has been accepted, and nothing is being solved: %s", now.Sub(c.accepted).Round(time.Second), why)
	}
}
