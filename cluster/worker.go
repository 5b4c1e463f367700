package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrVersion is the cause if worker and coordinator have different versions.
var ErrVersion = errors.New("the coordinator has another version")

// ErrStore is the cause if worker and coordinator have different stores.
var ErrStore = errors.New("the coordinator has another store")

// ErrByteOrder is the cause if a worker's machine cannot use the coordinator's slices.
var ErrByteOrder = errors.New("the coordinator's machine has another byte order")

// WorkOptions configure a worker.
type WorkOptions struct {
	Options
	// Threads and Memory are as in retro.Options.
	Threads int
	Memory  int64
	// UntilDone ends the worker when the first solve that it worked for is over.
	UntilDone bool
	// IdleIfFaulty keeps a worker whose results were wrong running, so that no supervisor starts it again.
	IdleIfFaulty bool
	// onTask, if set, is called for each task before any work. It is for tests.
	onTask func(class, first int)
}

type worker struct {
	o     WorkOptions
	conn  *conn
	id    string
	tasks jetstream.Consumer // nil if it must be looked up

	lock   sync.Mutex
	status WorkerStatus // guarded by lock
}

// Work works for the coordinators of a cluster until ctx ends, and returns its cause then; with UntilDone it
// returns nil after one solve. The error wraps ErrVersion, ErrByteOrder or ErrStore if the worker does not
// fit the solve in progress, and ErrFaulty if its results were wrong. It is a *retro.MemoryError if memory
// is short, or says what failed too often.
func Work(ctx context.Context, o WorkOptions) error {
	o.Options = o.Options.withDefaults()
	conn, err := awaitConnection(ctx, o.Options, "backsolve worker")
	if err != nil {
		return err
	}
	defer conn.nc.Close()
	w := &worker{o: o, conn: conn, id: rand.Text()}
	w.status = WorkerStatus{Member: newMember(o.Version), ID: w.id, Class: -1}
	w.export()
	ctx, cancel := context.WithCancel(ctx)
	var heartbeat sync.WaitGroup
	defer heartbeat.Wait()
	defer cancel()
	if err := w.awaitCluster(ctx); err != nil {
		return err
	}
	heartbeat.Go(func() { w.heartbeat(ctx) })
	working, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	_, err = conn.nc.Subscribe(faultySubject+w.id, func(m *nats.Msg) { fail(fmt.Errorf("%w: %s", ErrFaulty, m.Data)) })
	for err == nil {
		var solve *Solve
		if solve, err = w.awaitSolve(working); err == nil {
			err = w.serve(working, solve)
		}
		if err == nil && o.UntilDone {
			return nil
		}
	}
	if ctx.Err() == nil {
		w.set(func(s *WorkerStatus) { s.Refused = err.Error() }) // the coordinator reports it
	}
	if errors.Is(err, ErrFaulty) && w.o.IdleIfFaulty {
		w.o.Logf(slog.LevelWarn, "%v", err)
		<-ctx.Done()
	}
	return err
}

const idle = 200 * time.Millisecond // between two looks of a worker that has nothing to do

func (w *worker) awaitCluster(ctx context.Context) error {
	for logged := false; ; logged = true {
		err := w.conn.open(ctx)
		if err == nil {
			return nil
		}
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return fmt.Errorf("NATS at %s: %w; start it with JetStream (nats-server -js)", w.conn.o.URL, err)
		}
		if !logged {
			w.o.Logf(slog.LevelInfo, "waiting for a coordinator")
		}
		if err := sleep(ctx, idle); err != nil {
			return err
		}
	}
}

func (w *worker) heartbeat(ctx context.Context) {
	key, status := workerKeys+w.id, WorkerStatus{}
	publish := func(ctx context.Context) {
		w.set(func(s *WorkerStatus) { status = *s })
		w.conn.alive.Put(ctx, key, encoded(status)) // a lost update does not matter
	}
	for publish(ctx); sleep(ctx, w.o.Alive/6) == nil; {
		publish(ctx)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if publish(last); status.Refused == "" { // the coordinator reports who was refused
		w.conn.alive.Purge(last, key)
	}
}

func (w *worker) set(change func(s *WorkerStatus)) {
	w.lock.Lock()
	defer w.lock.Unlock()
	change(&w.status)
}

// current returns the solve in progress, or nil if there is none or the cluster does not respond.
func (w *worker) current(ctx context.Context) *Solve {
	solve, err := getKey[Solve](ctx, w.conn.state, solveKey)
	if err != nil || solve == nil || solve.Over {
		return nil
	}
	return solve
}

func (w *worker) awaitSolve(ctx context.Context) (*Solve, error) {
	for {
		if solve := w.current(ctx); solve != nil {
			return solve, w.checkFit(ctx, solve)
		}
		if err := sleep(ctx, idle); err != nil {
			return nil, err
		}
	}
}

func (w *worker) checkFit(ctx context.Context, solve *Solve) error {
	switch {
	case solve.Version != w.o.Version:
		return fmt.Errorf("%w: %s, and this worker has %s; install the same version on both", ErrVersion, solve.Version, w.o.Version)
	case !solve.hasByteOrder():
		return fmt.Errorf("%w: %s keeps no table, so all machines need the same one", ErrByteOrder, solve.Board())
	}
	readMarker := func() error { return getEither(ctx, w.o.Store, solve, solve.marker(), new(Solve)) }
	err := readMarker()
	for end := time.Now().Add(3 * w.o.Sweep); isUnusable(err) && time.Now().Before(end); err = readMarker() {
		// In its next sweep, the coordinator restores a lost or damaged marker.
		if err := sleep(ctx, min(idle, w.o.Sweep)); err != nil {
			return err
		}
	}
	if !isLost(err) {
		return err
	}
	if now := w.current(ctx); now == nil || now.ID != solve.ID {
		return nil // it has just ended
	}
	return fmt.Errorf("%w: %v has nothing of %s", ErrStore, w.o.Store, solve.Board())
}

func (w *worker) serve(ctx context.Context, solve *Solve) error {
	space, err := solve.space()
	if err != nil {
		return err
	}
	j, err := newJob(ctx, w, solve, space)
	if err != nil {
		return err
	}
	defer j.runner.close()
	w.o.Logf(slog.LevelInfo, "working on %s", solve.Board())
	defer func(before Metrics) {
		j.uploads.Wait()
		m := w.metrics().since(before)
		w.o.Logf(slog.LevelInfo, "no longer working on %s: %d tasks, %.1f s solving, %.1f s reading, %.1f s waiting, %s read, %s written",
			solve.Board(), m.Tasks, m.Solving, m.Reading, m.Waiting, humanize.IBytes(uint64(m.Read)), humanize.IBytes(uint64(m.Written)))
	}(w.metrics())
	for {
		t, err := j.receive(ctx)
		if err != nil {
			return err
		}
		if t.message != nil && t.task.ID == solve.ID {
			if err := j.handle(ctx, t); err != nil {
				return err
			}
			continue
		}
		now := w.current(ctx)
		if t.message != nil { // of another solve
			t.release()
			if now != nil && now.ID == solve.ID {
				t.message.Term() // of a finished solve, by a coordinator that was suspended
			} else {
				t.message.NakWithDelay(idle / 4)
			}
		}
		if now != nil && now.ID != solve.ID || now == nil && w.conn.nc.IsConnected() {
			w.set(func(s *WorkerStatus) { s.Class = -1 })
			return nil
		}
	}
}

// fetch returns the next message of the work queue, or nil if none comes for a while.
func (w *worker) fetch(ctx context.Context) (message jetstream.Msg, err error) {
	call, cancel := context.WithTimeout(ctx, w.o.Alive)
	defer cancel()
	if w.tasks == nil {
		w.tasks, err = w.conn.js.Consumer(call, taskStream, taskConsumer)
	}
	if err == nil {
		message, err = w.tasks.Next(jetstream.FetchContext(call))
	}
	switch {
	case ctx.Err() != nil:
		if message != nil {
			message.Nak()
		}
		return nil, context.Cause(ctx)
	case err == nil:
		return message, nil
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return nil, nil
	}
	w.tasks = nil // NATS is unreachable, or being prepared
	return nil, sleep(ctx, idle)
}
