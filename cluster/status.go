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

// WorkerStatus is what a worker tells of itself.
type WorkerStatus struct {
	Member
	// ID is of this worker alone.
	ID string `json:"id"`
	// Class and First are of the group that it settles, or has settled last; Class is −1
	// before the first.
	Class int `json:"class"`
	First int `json:"first_block"`
	Account
	// Refused says why it does not take part, "" where it does.
	Refused string `json:"refused,omitempty"`
}

// Status is what goes on in a cluster.
type Status struct {
	// Solve is the solve in work, nil where there is none.
	Solve *Solve `json:"solve"`
	// Coordinator is nil where none is at work: what is solved waits to go on.
	Coordinator *Member `json:"coordinator"`
	// Progress is nil where there is no coordinator, or it has just begun.
	Progress *Progress `json:"progress"`
	// Workers are those who are there, the oldest first.
	Workers []WorkerStatus `json:"workers"`
}

// ErrIdle is the cause where no coordinator is at work.
var ErrIdle = errors.New("no solve is in work there")

// ReadStatus says what goes on in the cluster at an address.
func ReadStatus(ctx context.Context, address string) (*Status, error) {
	c, err := connect(address, "backsolve status", os.Getenv)
	if err != nil {
		return nil, err
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s := &Status{Workers: []WorkerStatus{}}
	if err := c.find(ctx); errors.Is(err, jetstream.ErrBucketNotFound) {
		return s, nil // nobody has ever used it
	} else if err != nil {
		return nil, fmt.Errorf("cannot read what goes on at %s: %w", address, err)
	}
	if s.Solve, err = read[Solve](ctx, c.state, solveKey); err != nil {
		return nil, err
	}
	if s.Solve != nil && s.Solve.Over {
		s.Solve = nil
	}
	if s.Coordinator, err = read[Member](ctx, c.alive, coordinatorKey); err != nil {
		return nil, err
	}
	if s.Coordinator != nil {
		if s.Progress, err = read[Progress](ctx, c.alive, progressKey); err != nil {
			return nil, err
		}
	}
	if s.Workers, err = readWorkers(ctx, c.alive); err != nil {
		return nil, err
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Host, b.Host), cmp.Compare(a.PID, b.PID))
	})
	return s, nil
}

// readWorkers returns what the workers tell who are there.
func readWorkers(ctx context.Context, alive jetstream.KeyValue) ([]WorkerStatus, error) {
	there, err := keys(ctx, alive, workerKeys+"*")
	if err != nil {
		return nil, err
	}
	workers := []WorkerStatus{}
	for key := range there {
		worker, err := read[WorkerStatus](ctx, alive, key)
		if err != nil {
			return nil, err
		}
		if worker != nil {
			workers = append(workers, *worker)
		}
	}
	return workers, nil
}

// read reads the value of a key, nil where it is not there.
func read[T any](ctx context.Context, bucket jetstream.KeyValue, key string) (*T, error) {
	entry, err := bucket.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what goes on in the cluster: %w", err)
	}
	value := new(T)
	if err := json.Unmarshal(entry.Value(), value); err != nil {
		return nil, fmt.Errorf("cannot read what goes on in the cluster: %s: %w", key, err)
	}
	return value, nil
}

// Stop has the coordinator of a cluster end, as Ctrl-C does, and returns which solve it
// was. The error wraps ErrIdle where there is none.
func Stop(ctx context.Context, address string) (*Solve, error) {
	c, err := connect(address, "backsolve stop", os.Getenv)
	if err != nil {
		return nil, err
	}
	defer c.close()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answer, err := c.nc.RequestWithContext(ctx, stopSubject, nil)
	if errors.Is(err, nats.ErrNoResponders) {
		return nil, fmt.Errorf("%w: nobody coordinates at %s", ErrIdle, address)
	}
	if err != nil {
		return nil, fmt.Errorf("the coordinator does not answer: %w", err)
	}
	solve := new(Solve)
	if err := json.Unmarshal(answer.Data, solve); err != nil {
		return nil, fmt.Errorf("the coordinator answers something else: %w", err)
	}
	return solve, nil
}
