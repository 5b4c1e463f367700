package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// WorkerStatus is what a worker publishes about itself.
type WorkerStatus struct {
	Member
	// ID identifies this worker.
	ID string `json:"id"`
	// Class and First are of the shard that it solves or solved last; Class is −1 before the first.
	Class int `json:"class"`
	First int `json:"first_block"`
	Metrics
	// Refused says why it gets no work, "" if it does.
	Refused string `json:"refused,omitempty"`
}

// Status is the status of a cluster.
type Status struct {
	// Solve is the solve in progress, nil if there is none.
	Solve *Solve `json:"solve"`
	// Coordinator is nil if none is running: the solve can be resumed then.
	Coordinator *Member `json:"coordinator"`
	// Progress is nil if there is no coordinator, or it has just begun.
	Progress *Progress `json:"progress"`
	// Workers are those that are alive, the oldest first.
	Workers []WorkerStatus `json:"workers"`
}

// ErrIdle is the cause if no coordinator is running.
var ErrIdle = errors.New("the cluster has no running solve")

// ReadStatus returns the status of the cluster at an address.
func ReadStatus(ctx context.Context, address string) (*Status, error) {
	s, err := readStatus(ctx, Options{URL: address, Getenv: os.Getenv})
	if err == nil && s.Solve != nil && s.Solve.Over {
		s.Solve = nil
	}
	return s, err
}

// readStatus is ReadStatus, also with a solve that is over.
func readStatus(ctx context.Context, o Options) (*Status, error) {
	c, err := connect(o, "backsolve status")
	if err != nil {
		return nil, err
	}
	defer c.nc.Close()
	s := &Status{Workers: []WorkerStatus{}}
	if err := c.open(ctx); errors.Is(err, jetstream.ErrBucketNotFound) {
		return s, nil // never used
	} else if err != nil {
		return nil, fmt.Errorf("cannot read the state of the cluster at %s: %w", o.URL, err)
	}
	if s.Solve, err = getKey[Solve](ctx, c.state, solveKey); err != nil {
		return nil, err
	}
	if s.Coordinator, err = getKey[Member](ctx, c.alive, coordinatorKey); err != nil {
		return nil, err
	}
	if s.Coordinator != nil {
		if s.Progress, err = getKey[Progress](ctx, c.alive, progressKey); err != nil {
			return nil, err
		}
	}
	workers, err := c.workers(ctx)
	if err != nil {
		return nil, err
	}
	s.Workers = append(s.Workers, workers...)
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID))
	})
	return s, nil
}

// Stop stops a coordinator, like Ctrl-C, and returns its solve. The error wraps ErrIdle if there is none.
func Stop(ctx context.Context, address string) (*Solve, error) {
	c, err := connect(Options{URL: address, Getenv: os.Getenv}, "backsolve stop")
	if err != nil {
		return nil, err
	}
	defer c.nc.Close()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	response, err := c.nc.RequestWithContext(ctx, stopSubject, nil)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, fmt.Errorf("%w: there is no coordinator at %s", ErrIdle, address)
	}
	if err != nil {
		return nil, fmt.Errorf("the coordinator does not respond: %w", err)
	}
	solve := new(Solve)
	if err := json.Unmarshal(response.Data, solve); err != nil {
		return nil, fmt.Errorf("cannot read the coordinator's response: %w", err)
	}
	return solve, nil
}
