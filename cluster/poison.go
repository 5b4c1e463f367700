package cluster

import (
	"context"
	"errors"
)

// A poison task kills the process of every worker that takes it. To detect it, a worker that takes
// a redelivered task first counts the attempt in NATS. It uncounts the attempt unless it dies.

// maxAttempts is how often a shard is solved again whose object cannot be used, or whose workers
// died. It is also how many workers may be wrong.
const maxAttempts = 5

// ErrWorkersLost is the cause if a solve has ended after several workers died with the same task.
var ErrWorkersLost = errors.New("several workers died while they solved the same blocks")

// countAttempt adds more to the attempts at a shard, and returns how many have not ended.
func (j *job) countAttempt(ctx context.Context, g shard, more int) (attempts int, err error) {
	key := "attempts." + j.solve.shardKey(g)
	before, err := getKey[int](ctx, j.conn.state, key)
	if err != nil {
		return 0, err
	}
	if before != nil {
		attempts = *before
	}
	attempts = max(0, attempts+more)
	_, err = j.conn.state.Put(ctx, key, encoded(attempts))
	return attempts, err
}

// isPoison counts an attempt at a redelivered task. After too many it reports true, and has the
// coordinator end the solve. If the attempt cannot be counted, it reports false.
func (j *job) isPoison(ctx context.Context, g shard) bool {
	attempts, err := j.countAttempt(ctx, g, 1)
	if err != nil || attempts <= maxAttempts {
		return false
	}
	j.conn.nc.Publish(poisonSubject+j.solve.ID, encoded(task{ID: j.solve.ID, shard: g}))
	return true
}
