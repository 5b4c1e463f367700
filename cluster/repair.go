package cluster

import (
	"context"
	"errors"
	"fmt"
)

// errRemade is the cause if a task must wait until what it needs is made again.
var errRemade = errors.New("it is being made again")

// readOrRepair reads an object of the class above. If it is missing or damaged, the coordinator is
// asked to store it again. If there is no coordinator, readOrRepair waits for the next one. The coordinator
// itself leaves that to the worker that it has do the task again.
func (j *job) readOrRepair(ctx context.Context, g shard, read func() error) error {
	err := read()
	if !isUnusable(err) || j.worker.id == coordinatorKey {
		return err
	}
	return retry(ctx, j.o.Options, "the coordinator", func(ctx context.Context) error {
		call, cancel := context.WithTimeout(ctx, j.o.AckWait+callTimeout)
		defer cancel()
		response, failed := j.conn.nc.RequestWithContext(call, repairSubject+j.solve.ID, encoded(task{ID: j.solve.ID, shard: g}))
		if failed != nil {
			failed = fmt.Errorf("%w; and the coordinator does not respond: %w", err, failed)
			if over, err := j.isOver(ctx); err == nil && over {
				return &permanentError{failed}
			}
			return failed
		}
		if string(response.Data) == errRemade.Error() {
			return &permanentError{fmt.Errorf("%w: %w", err, errRemade)}
		}
		if len(response.Data) > 0 {
			return &permanentError{fmt.Errorf("%w; and the coordinator cannot store it again: %s", err, response.Data)}
		}
		if err := read(); err != nil {
			return &permanentError{err}
		}
		return nil
	})
}
