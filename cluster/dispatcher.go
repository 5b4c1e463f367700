package cluster

import (
	"context"
	"encoding/json"
	"errors"
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
	needs   []stage     // which its blocks are made from
	tasks   []*dispatch // of all shards, then their checks
	shards  int
	byShard map[shard]*dispatch

	parts  []format.Part // where tasks write into the table
	solved *dispatcher   // has solved the shards that they write

	// restore stores an object of the class above again. A *permanentError ends the solve.
	restore  func(ctx context.Context, g shard, cause error) error
	describe func(t *task)    // completes a task, if set
	report   func(blocks int) // is told how many blocks are solved, if set

	completions jetstream.KeyWatcher // of the shards; a new one each sweep
	wanted      []*dispatch          // that are done, and not accepted yet
	accepted    int
	blocks      int // that are solved
}

// dispatch is the task of a shard: to solve it, or to check some of its blocks.
type dispatch struct {
	shard
	base  *dispatch // for a check: the task it checks
	check *dispatch // the check of the shard, or nil

	requested  bool // it is done, as far as the worker says
	accepted   bool
	completion completion
	attempts   int // with results that could not be used
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
	if err := d.sweep(ctx, false); err != nil {
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
		return d.sweep(ctx, true)
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

// sweep publishes the tasks that are neither finished nor in the work queue: at first all, and again
// those that NATS has lost. Then it also checks the workers, and mends the marker.
func (d *dispatcher) sweep(ctx context.Context, again bool) error {
	if again {
		mending, cancel := context.WithTimeout(ctx, callTimeout)
		_ = d.c.mend(mending, d.c.record.solve.marker(), d.c.record.solve) // whoever needs the store reports its errors
		cancel()
	}
	return d.c.conn.retry(ctx, func(ctx context.Context) error {
		err := d.publishMissing(ctx)
		if err == nil && again {
			err = d.c.checkWorkers(ctx)
		}
		return err
	})
}

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

func (d *dispatcher) message(g shard) task {
	t := task{ID: d.c.record.solve.ID, shard: g}
	if g.Write {
		t.File, t.Attempt, t.Parts = d.c.table, d.c.attempt, d.parts
	}
	return t
}

func (d *dispatcher) publish(ctx context.Context, tasks []*dispatch) error {
	s := &d.c.record.solve
	var publishing errgroup.Group
	publishing.SetLimit(64)
	for _, t := range tasks {
		message := d.message(t.shard)
		if t.base != nil {
			message.Maker, message.Share = t.base.completion.WorkerID, d.c.o.VerifyShare
		}
		if d.describe != nil {
			d.describe(&message)
		}
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
