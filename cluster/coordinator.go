package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"backsolve/internal/plan"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// ErrOther is the cause if the cluster has an unfinished solve of something else.
var ErrOther = errors.New("the cluster has the unfinished solve of something else")

// ErrOtherStore is the cause if a solve was begun with another store.
var ErrOtherStore = errors.New("the solve was begun with another store")

// ErrStopped is the cause with which a solve ends after tbcluster stop.
var ErrStopped = errors.New("stopped by another process")

// Coordinator holds the lease of a cluster and schedules a solve. It must be closed.
type Coordinator struct {
	o      Options
	conn   *conn
	space  *partition.Space
	lease  *lease
	record *record
	// ctx ends when the lease is lost or the solve is stopped: it belongs to the lease, not to a call.
	ctx     context.Context
	cancel  context.CancelCauseFunc
	running sync.WaitGroup

	repairs     chan *nats.Msg // requests of workers that cannot read an object
	file        string         // in which the class in progress is written
	table       string         // its name for workers, "" if they cannot write it
	attempt     string         // identifies what is written for this coordinator
	solvedClass int            // the last class this coordinator has had solved, −1 for none
	progress    progress
	warned      map[string]bool // of workers, by identifier
	accepted    time.Time       // when an accepted worker was last seen; at first, when the coordinator began
	reported    time.Time       // when the lack of accepted workers was last reported
	refusal     string          // why the last worker was refused
	strikes     map[string]int  // by worker: how many stretches in a row differed
	faulty      map[string]bool // workers, by identifier

	wrong   atomic.Int64 // workers, len(faulty)
	workers atomic.Int64 // that were alive in the last sweep
	read    atomic.Int64 // bytes of the results that were accepted, by their workers and here
	written int64        // bytes of these results
}

// Begin acquires the lease of a cluster, and begins a solve of the space or resumes that of an earlier coordinator.
// The error wraps ErrBusy if there is another coordinator, and ErrOther or ErrOtherStore if another solve is unfinished.
func Begin(ctx context.Context, space *partition.Space, solve Solve, o Options) (*Coordinator, error) {
	c, err := newCoordinator(ctx, space, solve, o)
	if err != nil {
		return nil, err
	}
	if err := c.begin(c.ctx, solve); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// newCoordinator acquires the lease, and renews it until Close.
func newCoordinator(ctx context.Context, space *partition.Space, solve Solve, o Options) (*Coordinator, error) {
	o = o.withDefaults()
	conn, err := awaitConnection(ctx, o, "backsolve coordinator")
	if err != nil {
		return nil, err
	}
	c := &Coordinator{
		o: o, conn: conn, space: space, solvedClass: -1, attempt: rand.Text(), repairs: make(chan *nats.Msg, 1<<10),
		warned: map[string]bool{}, faulty: map[string]bool{}, strikes: map[string]int{},
		accepted: time.Now(), refusal: "none has come; start one with the same cluster and store",
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.progress.begin(space, plan.Options{Steps: solve.Steps, Nimbers: solve.Nimbers}, solve.Stream && !outofcore.Stages(space)[0].Last)
	if err := c.takeLease(); err != nil {
		c.Close()
		return nil, err
	}
	c.record = &record{conn: conn, lease: c.lease}
	c.running.Go(func() {
		for sleep(c.ctx, o.Alive/6) == nil {
			c.heartbeat()
		}
	})
	c.export()
	return c, nil
}

func (c *Coordinator) takeLease() (err error) {
	if err = c.conn.awaitPrepared(c.ctx); err != nil {
		return err
	}
	if c.o.Own {
		c.conn.alive.Purge(c.ctx, coordinatorKey) // if it does not exist, nothing is to be done
	}
	c.lease, err = acquire(c.ctx, c.conn.alive, newMember(c.o.Version), c.o.Alive)
	return err
}

func (c *Coordinator) begin(ctx context.Context, solve Solve) error {
	if err := c.resume(ctx, solve); err != nil {
		return err
	}
	id, nc := c.record.solve.ID, c.conn.nc
	if _, err := nc.ChanSubscribe(repairSubject+id, c.repairs); err != nil {
		return err
	}
	board := encoded(c.record.solve)
	for subject, handle := range map[string]nats.MsgHandler{
		errorSubject + id: handler(func(r report) { c.o.Logf(r.Level, "%s", r.Text) }),
		poisonSubject + id: handler(func(t task) {
			c.cancel(fmt.Errorf("%w: %v, %d times; check the memory of the workers, and their last messages", ErrWorkersLost, t.shard, maxAttempts))
		}),
		stopSubject: func(m *nats.Msg) {
			m.Respond(board)
			c.cancel(ErrStopped)
		},
	} {
		if _, err := nc.Subscribe(subject, handle); err != nil {
			return err
		}
	}
	return nc.Flush()
}

func (c *Coordinator) heartbeat() {
	call, cancel := outlive(c.ctx, callTimeout) // if a renewal is cut off, nobody knows its revision
	defer cancel()
	if err := c.lease.renew(call); errors.Is(err, ErrReplaced) {
		c.cancel(err)
	} else if err == nil { // otherwise calls that need NATS report it
		c.conn.alive.Put(c.ctx, progressKey, encoded(c.progress.read())) // a lost update does not matter
	}
}

func handler[T any](do func(message T)) nats.MsgHandler {
	return func(m *nats.Msg) {
		var message T
		if json.Unmarshal(m.Data, &message) == nil {
			do(message)
		}
	}
}

// checkWorkers logs why workers were refused, and that none has been accepted for a while.
func (c *Coordinator) checkWorkers(ctx context.Context) error {
	workers, err := c.conn.workers(ctx)
	if err != nil {
		return err
	}
	c.workers.Store(int64(len(workers)))
	now, level, within := time.Now(), slog.LevelError, 5*c.o.Alive
	if c.reported.IsZero() { // the first workers may be on their way
		level, within = slog.LevelWarn, c.o.Alive
	}
	for _, w := range workers {
		switch {
		case w.Refused == "" && w.Version == c.o.Version:
			c.accepted = now
		case w.Refused != "" && !c.warned[w.ID] && !c.faulty[w.ID]:
			c.warned[w.ID], c.refusal = true, fmt.Sprintf("the last one to be refused was %v: %s", w.Member, w.Refused)
			c.o.Logf(slog.LevelWarn, "a worker gets no work: %v: %s", w.Member, w.Refused)
		}
	}
	if now.Sub(c.accepted) > within && now.Sub(c.reported) > within {
		c.reported = now
		c.o.Logf(level, "no worker has been accepted for %v, and nothing is being solved: %s", now.Sub(c.accepted).Round(time.Second), c.refusal)
	}
	return nil
}

// Context ends with the context given to Begin, when the lease is lost, or when another process stops the solve.
func (c *Coordinator) Context() context.Context { return c.ctx }

// Moved returns what coordinator and workers have read from the store and written to it since Begin, in bytes.
func (c *Coordinator) Moved() (read, written int64) { return c.read.Load(), c.written }

// Fail ends the solve with a cause.
func (c *Coordinator) Fail(cause error) { c.cancel(cause) }

// Close gives up the lease. The state of the solve remains in the cluster.
func (c *Coordinator) Close() {
	c.cancel(context.Canceled)
	c.running.Wait()
	if c.lease != nil {
		c.conn.alive.Purge(context.WithoutCancel(c.ctx), coordinatorKey, jetstream.LastRevision(c.lease.revision)) // otherwise NATS deletes it soon
	}
	c.conn.nc.Close()
}
