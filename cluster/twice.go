package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"backsolve/cluster/store"
)

// The store has two copies of what a coordinator depends on and nobody can make again: the record of
// the solve, and the counts of finished classes.

func (s *Solve) copies(name string) []string {
	base := s.prefix() + s.ID + "/"
	return []string{name, base + copiesPrefix + strings.TrimPrefix(name, base)}
}

// copiesPrefix begins the names of second copies, after the identifier of the solve.
const copiesPrefix = "copies/"

// putTwice stores both copies of an object with a value. They survive a power failure once it returns.
func putTwice(ctx context.Context, to store.Store, s *Solve, name string, value any) error {
	for _, name := range s.copies(name) {
		if _, err := putObject(ctx, to, name, head{Value: encoded(value)}); err != nil {
			return err
		}
		if err := to.Sync(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func getValue(ctx context.Context, from store.Store, name string, value any) error {
	h, _, err := getObject(ctx, from, name, nil)
	if err == nil && json.Unmarshal(h.Value, value) != nil {
		err = fmt.Errorf("%s in %v: %w", name, from, store.ErrDamaged)
	}
	return err
}

// getEither reads the first intact copy. If neither is, the error reports damage rather than loss.
func getEither(ctx context.Context, from store.Store, s *Solve, name string, value any) (err error) {
	for _, name := range s.copies(name) {
		failed := getValue(ctx, from, name, value)
		if !isUnusable(failed) {
			return failed
		}
		if err == nil || isLost(err) {
			err = failed
		}
	}
	return err
}

func (c *Coordinator) mend(ctx context.Context, name string, value any) error {
	for _, name := range c.record.solve.copies(name) {
		err := getValue(ctx, c.o.Store, name, new(json.RawMessage))
		if isUnusable(err) {
			c.o.Logf(slog.LevelWarn, "%v; it is written again", err)
			_, err = putObject(ctx, c.o.Store, name, head{Value: encoded(value)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
