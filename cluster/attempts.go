package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A task that makes its worker's process die is given to the next one, and would be for ever. So
// whoever begins a task that was given to somebody before counts that attempt in NATS, and takes it
// back when the attempt ends in any other way.

// mostAttempts is how often a group is settled anew whose part cannot be used, or whose workers were
// lost.
const mostAttempts = 5

// ErrWorkersLost is the cause with which a solve ends where one worker after the other was lost while
// it had the same task.
var ErrWorkersLost = errors.New("one worker after the other was lost while it settled the same blocks")

// attempt counts one more attempt at a group, or one fewer, and returns how many have not ended.
func (s *service) attempt(ctx context.Context, g group, more int) (attempts int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	key := s.solve.attemptKey(g)
	entry, err := s.conn.state.Get(ctx, key)
	if err == nil {
		attempts, err = strconv.Atoi(string(entry.Value()))
	} else if errors.Is(err, jetstream.ErrKeyNotFound) {
		err = nil
	}
	if err == nil {
		attempts = max(0, attempts+more)
		_, err = s.conn.state.Put(ctx, key, strconv.AppendInt(nil, int64(attempts), 10))
	}
	return attempts, err
}

// isDoomed counts an attempt at a task that was given to somebody before. It reports true, and has the
// coordinator end the solve, where too many have not ended.
func (s *service) isDoomed(ctx context.Context, g group) bool {
	attempts, err := s.attempt(ctx, g, 1)
	if err != nil || attempts <= mostAttempts {
		return false // what cannot be counted is tried
	}
	s.conn.nc.Publish(doomedSubject+s.solve.ID, encoded(s.solve.task(g)))
	return true
}

// doom ends the solve because of a task.
func (c *Coordinator) doom(m *nats.Msg) {
	var t task
	if json.Unmarshal(m.Data, &t) == nil && t.ID == c.solve.ID {
		c.cancel(fmt.Errorf("%w: blocks %d to %d of class %d, %d times; see to the memory of the workers, and to what they said last", ErrWorkersLost, t.First, t.First+t.Blocks-1, t.Class, mostAttempts))
	}
}
