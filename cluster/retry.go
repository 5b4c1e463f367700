package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// permanentError is an error that retry returns at once.
type permanentError struct{ err error }

func (p *permanentError) Error() string { return p.err.Error() }
func (p *permanentError) Unwrap() error { return p.err }

// retry calls do until it succeeds or returns a *permanentError, whose cause it returns. It gives
// up after RetryFor, and when ctx ends. what names in messages what does not respond.
func retry(ctx context.Context, o Options, what string, do func(ctx context.Context) error) error {
	var since time.Time // of the first failure
	waiting := false
	for {
		err := do(ctx)
		var permanent *permanentError
		switch {
		case err == nil:
			if waiting {
				o.Logf(slog.LevelInfo, "%s responds again", what)
			}
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &permanent):
			return permanent.err
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > o.RetryFor:
			return fmt.Errorf("%s has not responded for %v: %w; when it does, solve again: what is solved is kept", what, o.RetryFor, err)
		case !waiting:
			waiting = true
			o.Logf(slog.LevelWarn, "waiting for %s: %v", what, err)
		}
		if err := sleep(ctx, min(o.Sweep, time.Second)); err != nil {
			return err
		}
	}
}

// retryStore is retry for the store. A missing or damaged object is an error at once.
func (c *Coordinator) retryStore(ctx context.Context, do func(ctx context.Context) error) error {
	return retry(ctx, c.o, "the store", func(ctx context.Context) error {
		err := do(ctx)
		if isUnusable(err) {
			err = &permanentError{err}
		}
		return err
	})
}

// sleep waits, and returns the cause when ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
