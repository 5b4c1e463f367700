package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// final is an error that does not pass.
type final struct{ err error }

func (f *final) Error() string { return f.err.Error() }
func (f *final) Unwrap() error { return f.err }

// patiently calls do until it succeeds or its error is a *final: NATS may be away for a
// while. It gives up after the patience of the options, and when the solve ends.
func (c *Coordinator) patiently(do func(ctx context.Context) error) error {
	return patiently(c.ctx, c.o, "the cluster", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		err := do(ctx)
		if err != nil {
			err = c.repair(ctx, err)
		}
		return err
	})
}

// repair prepares a NATS that has come back without its files, and returns why something had failed.
func (c *Coordinator) repair(ctx context.Context, failed error) error {
	for _, name := range []string{"KV_" + stateBucket, "KV_" + aliveBucket, taskStream} {
		if _, err := c.conn.js.Stream(ctx, name); errors.Is(err, jetstream.ErrStreamNotFound) {
			return errors.Join(failed, c.conn.prepare(ctx, c.o))
		}
	}
	return failed
}

// patiently is the same for what may take long, with what is waited for.
func patiently(ctx context.Context, o Options, what string, do func(ctx context.Context) error) error {
	p := outage{what: what}
	for {
		err := do(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err = p.note(err, o); err != nil || p.since.IsZero() {
			return err
		}
		if err := sleep(ctx, min(o.Sweep, time.Second)); err != nil {
			return err
		}
	}
}

// outage follows how long something has failed.
type outage struct {
	what  string    // does not answer
	since time.Time // zero while it works
	said  bool      // that it is waited for
}

// note takes down what came of an attempt. It returns an error where it is final or has
// lasted longer than the patience.
func (p *outage) note(err error, o Options) error {
	var f *final
	switch {
	case err == nil:
		if p.said {
			o.Say(p.what + " answers again")
		}
		p.since, p.said = time.Time{}, false
		return nil
	case errors.As(err, &f):
		return f.err
	case p.since.IsZero():
		p.since = time.Now()
	case time.Since(p.since) > o.Patience:
		return fmt.Errorf("%s has not answered for %v: %w; when it does, solve again: what is solved is kept", p.what, o.Patience, err)
	case !p.said:
		p.said = true
		o.Say(fmt.Sprintf("waiting for %s: %v", p.what, err))
	}
	return nil
}
