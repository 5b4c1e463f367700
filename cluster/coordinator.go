package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/retro/outofcore"
)

// Options say how a coordinator or a worker takes part.
type Options struct {
	// URL is the address of NATS, nats://host:4222. Credentials come from the
	// environment.
	URL string
	// Getenv is where they come from in place of os.Getenv, unless it is nil.
	Getenv func(name string) string
	// Store is where bulk data is put. All who take part need the same one.
	Store store.Store
	// Version is that of the program.
	Version string
	// GroupBytes is how large a group of blocks is made, all planes together, 0 for what suits
	// the workers. One block is the least. A solve that goes on keeps what it began with.
	GroupBytes int64
	// Replicas is how many servers of NATS keep a copy of what it has of the solve, 1, 3 or 5; 0 is 1.
	Replicas int
	// VerifyShare is how much of the blocks, 0 to 1, is settled again by other workers than their
	// makers, and compared.
	VerifyShare float64
	// Expect is how many workers are on their way.
	Expect int
	// Own says that nobody but coordinators of this table, one after the other, uses this
	// NATS and this store: no other one has the lease.
	Own bool
	// Force discards the unfinished solve of another board that the cluster holds.
	Force bool
	// Anew discards an unfinished solve of the same board, too.
	Anew bool
	// Say, if set, is told what happens, in sentences, by any goroutine.
	Say func(text string)
	Timing
}

// StandardGroupBytes is how large a group is made: large beside what a message costs, and
// small beside what a worker does in a minute.
const StandardGroupBytes = 1 << 20

// MostGroupBytes is how large it is made for one worker, who shares with nobody: each group costs
// some messages, and a moment in which not all of his threads have something to do.
const MostGroupBytes = 4 << 20

// groupBytes is how large groups are made: where it is known how many workers there are, few of
// them get larger ones. What streams is cut otherwise.
func (o *Options) groupBytes(stream bool) int64 {
	switch {
	case o.GroupBytes > 0:
		return o.GroupBytes
	case stream || !o.Own:
		return StandardGroupBytes
	}
	return max(StandardGroupBytes, MostGroupBytes/int64(max(1, o.Expect)))
}

func (o Options) withDefaults() Options {
	o.Replicas = max(1, o.Replicas)
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	o.Timing = o.Timing.WithDefaults()
	return o
}

// ErrOther is the cause where the cluster holds the unfinished solve of something else.
var ErrOther = errors.New("the cluster holds the unfinished solve of something else")

// ErrOtherStore is the cause where a solve was begun with another store.
var ErrOtherStore = errors.New("the solve was begun with another store")

// ErrStopped is the cause with which a solve ends that tbcluster stop has ended.
var ErrStopped = errors.New("stopped by another process")

// Coordinator has the lease of a cluster, and is the scheduler of a solve. It must be closed.
type Coordinator struct {
	o        Options
	conn     *conn
	space    *partition.Space
	solve    Solve
	revision uint64 // of its record
	lease    *lease
	ctx      context.Context
	cancel   context.CancelCauseFunc
	running  sync.WaitGroup
	done     chan *nats.Msg // a group is done
	lost     chan *nats.Msg // somebody cannot read a group
	settled  int            // the class that this coordinator has had settled last, −1 for none
	progress progress
	said     map[string]bool
	wrong    map[string]bool // workers that were, by their identifiers
}

// Begin takes the lease of a cluster for a solve of the space, or takes up the one that an
// earlier coordinator has begun. Check must not refuse the space. The error wraps ErrBusy while another coordinator is at
// work, and ErrOther where what was begun is something else.
func Begin(ctx context.Context, space *partition.Space, solve Solve, o Options) (*Coordinator, error) {
	c, err := lead(ctx, space, solve, o)
	if err == nil {
		err = c.begin(solve)
	}
	if err != nil {
		if c != nil {
			c.Close()
		}
		return nil, err
	}
	return c, nil
}

// lead takes the lease of a cluster, and keeps it. The coordinator must be closed unless it is nil,
// whatever the error is.
func lead(ctx context.Context, space *partition.Space, solve Solve, o Options) (*Coordinator, error) {
	if err := Check(space); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	conn, err := connect(o.URL, "backsolve coordinator", o.Getenv)
	if err != nil {
		return nil, err
	}
	c := &Coordinator{o: o, conn: conn, space: space, settled: -1, said: map[string]bool{}, wrong: map[string]bool{}}
	c.done, c.lost = make(chan *nats.Msg, 1<<14), make(chan *nats.Msg, 1<<10)
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.progress.begin(c.space)
	c.progress.halved = solve.Stream && !outofcore.Subclasses(c.space)[0].Last
	if err := c.conn.prepare(c.ctx, c.o); err != nil {
		return c, err
	}
	if c.o.Own {
		c.conn.alive.Purge(c.ctx, coordinatorKey) // where it is not there there is nothing to do
	}
	if c.lease, err = acquire(c.ctx, c.conn.alive, newMember(c.o.Version), c.o.Alive); err != nil {
		return c, err
	}
	c.running.Go(c.beat)
	return c, nil
}

func (c *Coordinator) begin(solve Solve) error {
	if err := c.takeUp(solve); err != nil {
		return err
	}
	if err := c.readWrong(); err != nil {
		return err
	}
	for subject, to := range map[string]chan *nats.Msg{doneSubject: c.done, lostSubject: c.lost} {
		if _, err := c.conn.nc.ChanSubscribe(subject+c.solve.ID, to); err != nil {
			return err
		}
	}
	if _, err := c.conn.nc.Subscribe(troubleSubject+c.solve.ID, func(m *nats.Msg) { c.o.Say(string(m.Data)) }); err != nil {
		return err
	}
	if _, err := c.conn.nc.Subscribe(doomedSubject+c.solve.ID, c.doom); err != nil {
		return err
	}
	board := encoded(c.solve)
	stop := func(m *nats.Msg) {
		m.Respond(board)
		c.cancel(ErrStopped)
	}
	if _, err := c.conn.nc.Subscribe(stopSubject, stop); err != nil {
		return err
	}
	return c.conn.nc.Flush()
}

// Context ends with the solve: with the context that was given, when the lease is lost, or
// when the solve is stopped from elsewhere.
func (c *Coordinator) Context() context.Context { return c.ctx }

// Fail ends the solve with a cause.
func (c *Coordinator) Fail(cause error) { c.cancel(cause) }

// enter notes which class is in work.
func (c *Coordinator) enter(class int) error {
	return c.change(func(s *Solve) { s.Class, s.Solved, s.Result = class, false, "" })
}

// change changes the record of the solve. Only who has the lease can: another coordinator
// would have changed it.
func (c *Coordinator) change(how func(s *Solve)) error {
	s := c.solve
	how(&s)
	return c.patiently(func(ctx context.Context) error {
		revision, err := c.conn.state.Update(ctx, solveKey, encoded(s), c.revision)
		if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			revision, err = c.reconcile(ctx, s)
		}
		if err == nil {
			c.solve, c.revision = s, revision
		}
		return err
	})
}

// reconcile writes the record where it has another revision than it had when it was written last, and
// returns that of now.
func (c *Coordinator) reconcile(ctx context.Context, s Solve) (revision uint64, err error) {
	held, revision, err := c.conn.record(ctx)
	switch {
	case errors.Is(err, errRecordLost):
		if revision, err = c.writeAgain(ctx, s); err == nil {
			c.o.Say("NATS has lost the record of the solve; it is written again")
		}
		return revision, err
	case err != nil:
		return 0, err
	case held == nil:
	case bytes.Equal(encoded(held), encoded(s)):
		return revision, nil // it was written, and the answer got lost
	case bytes.Equal(encoded(held), encoded(c.solve)):
		return c.conn.state.Update(ctx, solveKey, encoded(s), revision)
	case held.ID == c.solve.ID && revision <= c.revision:
		return 0, errors.New("a replica of NATS has an old record of the solve")
	}
	return 0, &final{fmt.Errorf("%w: the record of the solve is not this one's", ErrReplaced)}
}

// writeAgain writes the record after NATS has lost it. The lease got lost with it, and who takes that
// first goes on.
func (c *Coordinator) writeAgain(ctx context.Context, s Solve) (revision uint64, err error) {
	if err = c.lease.renew(ctx); err == nil {
		revision, err = c.conn.state.Create(ctx, solveKey, encoded(s))
	}
	if errors.Is(err, ErrReplaced) || errors.Is(err, jetstream.ErrKeyExists) {
		err = &final{fmt.Errorf("%w: %w", ErrReplaced, err)}
	}
	return revision, err
}

// keepRecord sees to it that the record is there, for workers do nothing without it.
func (c *Coordinator) keepRecord(ctx context.Context) error {
	held, revision, err := c.conn.record(ctx)
	if err == nil && held != nil && held.ID == c.solve.ID && revision <= c.revision {
		return nil // a replica may have an old one
	}
	if err == nil || errors.Is(err, errRecordLost) {
		if revision, err = c.reconcile(ctx, c.solve); err == nil {
			c.revision = revision
		}
	}
	return err
}

// Close gives the lease back. What is solved stays in the cluster unless Finish has been
// called.
func (c *Coordinator) Close() {
	c.cancel(context.Canceled)
	c.running.Wait()
	if c.lease != nil {
		c.lease.release(context.WithoutCancel(c.ctx))
	}
	c.conn.close()
}
