package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"backsolve/retro"
	"backsolve/tablebase/format"
)

// dispatcher has the workers solve the shards of a stage. It is not safe for concurrent use.
type dispatcher struct {
	c       *Coordinator
	stage   stage
	needs   []stage     // from which its blocks are made
	tasks   []*dispatch // of all shards, then their checks
	shards  int
	byShard map[shard]*dispatch

	parts  []format.Part // where tasks write into the table
	solved *dispatcher   // the one that solved the shards that they write

	// restore stores an object of the class above again. A *permanentError ends the solve.
	restore  func(ctx context.Context, g shard, cause error) error
	describe func(t *task)    // completes a task, if set
	report   func(blocks int) // is told how many blocks are solved, if set

	completions jetstream.KeyWatcher // of the shards; a new one each sweep
	wanted      []*dispatch          // done, but not accepted yet
	accepted    int
	blocks      int // solved ones
}

// dispatch is the task of a shard: to solve it, or to check some of its blocks.
type dispatch struct {
	shard
	base  *dispatch // for a check: the task it checks
	check *dispatch // the check of the shard, or nil

	requested  bool // the worker says that it is done
	accepted   bool
	completion completion
	attempts   int // whose results could not be used
}

func newDispatcher(c *Coordinator, of stage, shards []shard) *dispatcher {
	d := &dispatcher{c: c, stage: of, shards: len(shards), byShard: map[shard]*dispatch{}}
	for _, g := range shards {
		d.tasks = append(d.tasks, &dispatch{shard: g})
	}
	for _, t := range d.tasks {
		if !t.isTurn() {
			t.check = &dispatch{shard: t.checked(), base: t}
			d.tasks = append(d.tasks, t.check)
		}
	}
	for _, t := range d.tasks {
		d.byShard[t.shard] = t
	}
	return d
}

// run returns when the results of all shards are accepted.
func (d *dispatcher) run(ctx context.Context) error {
	c := d.c
	// The solve ends with ctx, and with the lease.
	stop := context.AfterFunc(ctx, func() { c.cancel(context.Cause(ctx)) })
	defer stop()
	ctx, class := c.ctx, d.stage.Class
	if err := c.record.update(ctx, func(s *Solve) { s.Class, s.Solved, s.Result = class, false, "" }); err != nil {
		return err
	}
	c.progress.beginStage(d.stage, len(d.tasks))
	defer func() { stopWatcher(d.completions) }()
	if err := c.conn.retry(ctx, d.publishMissing); err != nil {
		return err
	}
	ticker := time.NewTicker(c.o.Sweep)
	defer ticker.Stop()
	for d.accepted < len(d.tasks) {
		if err := d.next(ctx, ticker.C); err != nil {
			return err
		}
	}
	return nil
}

func (d *dispatcher) counts() *retro.StateCounts {
	sum := new(retro.StateCounts)
	for _, t := range d.tasks[:d.shards] {
		sum.Add(t.completion.Counts)
	}
	sum.Trim()
	return sum
}

// next handles a completion that was found, or waits for what is to be done.
func (d *dispatcher) next(ctx context.Context, tick <-chan time.Time) error {
	if len(d.wanted) > 0 {
		t := d.wanted[0]
		if d.wanted = d.wanted[1:]; t.base != nil {
			return d.onCheck(ctx, t)
		}
		return d.onDone(ctx, t)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case entry := <-d.completions.Updates():
		if entry == nil { // the connection is gone
			return sleep(ctx, d.c.o.Sweep/10)
		}
		d.onCompletion(entry)
		return nil
	case m := <-d.c.repairs:
		return d.onRepair(ctx, m)
	case <-tick:
		return d.sweep(ctx)
	}
}

func (d *dispatcher) onCompletion(entry jetstream.KeyValueEntry) {
	done, err := decodeEntry[completion](entry)
	if err != nil || done.Task.ID != d.c.record.solve.ID {
		return
	}
	if t := d.byShard[done.Task.shard]; t != nil && !t.requested {
		t.requested, t.completion = true, done
		d.wanted = append(d.wanted, t)
	}
}

// sweep mends the marker, publishes the tasks that NATS has lost, and checks the workers.
func (d *dispatcher) sweep(ctx context.Context) error {
	mending, cancel := context.WithTimeout(ctx, callTimeout)
	_ = d.c.mend(mending, d.c.record.solve.marker(), d.c.record.solve) // whoever needs the store reports its errors
	cancel()
	return d.c.conn.retry(ctx, func(ctx context.Context) error {
		if err := d.publishMissing(ctx); err != nil {
			return err
		}
		return d.c.checkWorkers(ctx)
	})
}

// publishMissing publishes the tasks that are neither finished nor in the work queue.
func (d *dispatcher) publishMissing(ctx context.Context) error {
	s := &d.c.record.solve
	// The queue first: a task leaves it only after its completion is recorded.
	queued, err := d.c.conn.queued(ctx, s.taskSubjects(d.stage))
	if err != nil {
		return err
	}
	// A new watcher: the old one would not survive the loss of NATS's files.
	stopWatcher(d.completions)
	if d.completions, err = watch(ctx, d.c.conn.state, s.doneKeys(d.stage), d.onCompletion); err != nil {
		return err
	}
	var missing []*dispatch
	for _, t := range d.tasks {
		if !t.requested && queued[s.taskSubject(t.shard)] == 0 && (t.base == nil || t.base.accepted) {
			missing = append(missing, t)
		}
	}
	if err := d.c.record.write(ctx, *s); err != nil {
		return err
	}
	return d.publish(ctx, missing)
}

func (d *dispatcher) message(t *dispatch) task {
	m := task{ID: d.c.record.solve.ID, shard: t.shard}
	if t.Write {
		m.File, m.Attempt, m.Parts = d.c.table, d.c.attempt, d.parts
	}
	if t.base != nil {
		m.Maker, m.Share = t.base.completion.WorkerID, d.c.o.VerifyShare
	}
	if d.describe != nil {
		d.describe(&m)
	}
	return m
}

func (d *dispatcher) publish(ctx context.Context, tasks []*dispatch) error {
	s := &d.c.record.solve
	var publishing errgroup.Group
	publishing.SetLimit(64)
	for _, t := range tasks {
		message := d.message(t)
		publishing.Go(func() error {
			_, err := d.c.conn.js.Publish(ctx, s.taskSubject(t.shard), encoded(message))
			return err
		})
	}
	return publishing.Wait()
}

// onRepair restores an object that a worker cannot read. It responds with "" or with why it cannot.
func (d *dispatcher) onRepair(ctx context.Context, m *nats.Msg) error {
	var t task
	if json.Unmarshal(m.Data, &t) != nil || t.ID != d.c.record.solve.ID || !slices.Contains(d.needs, t.shard.stage) {
		m.Respond([]byte("the class in progress does not need it"))
		return nil
	}
	err, response := d.c.contents().check(ctx, t.shard), ""
	if isUnusable(err) {
		err = d.restore(ctx, t.shard, err)
	}
	if err != nil {
		response = err.Error()
	}
	m.Respond([]byte(response))
	if permanent := (*permanentError)(nil); errors.As(err, &permanent) {
		return permanent
	}
	return nil
}

// setSpread has a stage cut into at least as many shards as there are workers. If it has begun,
// it stays as it was cut, since completions are recorded by shard.
func (c *Coordinator) setSpread(ctx context.Context, at stage) error {
	if c.o.Own {
		return nil // as many as are expected
	}
	begun, spread := false, 1
	err := c.conn.retry(ctx, func(ctx context.Context) error {
		tasks, err := c.conn.queued(ctx, c.record.solve.taskSubjects(at))
		if err != nil {
			return err
		}
		done, err := getAll[completion](ctx, c.conn.state, c.record.solve.doneKeys(at))
		if err != nil {
			return err
		}
		workers, err := c.conn.accepted(ctx)
		begun, spread = len(tasks)+len(done) > 0, max(1, len(workers))
		return err
	})
	if err != nil || begun || spread == c.record.solve.Spread {
		return err
	}
	return c.record.update(ctx, func(s *Solve) { s.Spread = spread })
}

// loaders is how many objects a process reads at once. plan.Plan.WorkerMemory counts it, and maxUploads.
const loaders = 4

func (d *dispatcher) onDone(ctx context.Context, t *dispatch) error {
	c, worker, err := d.c, t.completion.WorkerID, d.refusal(t)
	switch {
	case errors.Is(err, errWrong) && !c.faulty[worker]:
		if err := d.quarantine(ctx, worker, err.Error()); err != nil {
			return err
		}
		return d.redo(ctx, t)
	case c.faulty[worker]:
		c.conn.nc.Publish(faultySubject+worker, []byte("it was quarantined before")) // it may not have heard
		return d.redo(ctx, t)
	case err != nil:
		return d.onUnusable(ctx, t, err)
	}
	d.count(t, 1)
	if t.check != nil {
		_ = d.publish(ctx, []*dispatch{t.check}) // otherwise the next sweep does
	}
	return nil
}

// refusal returns why a completion cannot be accepted, or nil. A shard that was written gets its counts.
func (d *dispatcher) refusal(t *dispatch) error {
	done := &t.completion
	switch {
	case t.isTurn():
		return nil
	case t.Write && t.Shards == 0: // as solved: another worker compares the table with them
		done.Counts = d.solved.byShard[t.unwritten()].completion.Counts
	}
	switch {
	case done.Counts == nil:
		return fmt.Errorf("%w: %v have no counts", errWrong, t.shard)
	case t.Write && (done.Stretch == nil || len(done.Stretch.Sums) != len(d.parts)):
		return fmt.Errorf("%w: %v, written into the table", errWrong, t.shard)
	case t.Write && done.Stretch.Attempt != d.c.attempt:
		return fmt.Errorf("%v were written for an earlier coordinator", t.shard)
	}
	return nil
}

// count counts a task as accepted (1), or as not accepted again (−1).
func (d *dispatcher) count(t *dispatch, sign int) {
	if t.accepted = sign > 0; t.accepted {
		d.c.read.Add(t.completion.Read)
		d.c.written += t.completion.Written
	}
	d.accepted += sign
	d.c.progress.add(t.shard, sign)
	if t.base == nil && d.report != nil {
		d.blocks += sign * t.Blocks
		d.report(d.blocks)
	}
}

// onUnusable has a shard solved again whose result is missing or damaged.
func (d *dispatcher) onUnusable(ctx context.Context, t *dispatch, cause error) error {
	if t.attempts++; t.attempts >= maxAttempts {
		return fmt.Errorf("%v were solved %d times, and could not be read: %w", t.shard, maxAttempts, cause)
	}
	d.c.o.Logf(slog.LevelWarn, "%v: it is made again", cause)
	err := d.c.retryStore(ctx, func(ctx context.Context) error {
		return d.c.o.Store.Delete(ctx, d.c.record.solve.object(t.shard))
	})
	if err != nil {
		return err
	}
	return d.redo(ctx, t)
}

func (d *dispatcher) redo(ctx context.Context, t *dispatch) error {
	if t.accepted {
		d.count(t, -1)
	}
	t.requested = false
	if t.check != nil && t.check.accepted {
		if err := d.redo(ctx, t.check); err != nil {
			return err
		}
	}
	d.c.progress.repeated.Add(1)
	// Without the completion the next sweep publishes the task again.
	return d.c.purge(ctx, stateStream, stateSubject+d.c.record.solve.doneKey(t.shard))
}

// purge tries conn.purge until NATS responds.
func (c *Coordinator) purge(ctx context.Context, name string, subjects ...string) error {
	return c.conn.retry(ctx, func(ctx context.Context) (err error) {
		for _, subject := range subjects {
			err = errors.Join(err, c.conn.purge(ctx, name, subject))
		}
		return err
	})
}
