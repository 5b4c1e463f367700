package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
)

// ErrVersion is the cause where a worker is not of the coordinator's version.
var ErrVersion = errors.New("the coordinator has another version")

// ErrStore is the cause where a worker has not the coordinator's store.
var ErrStore = errors.New("the coordinator has another store")

// ErrOrder is the cause where a worker's machine cannot use the slices of the coordinator's.
var ErrOrder = errors.New("the coordinator's machine has another order of the bytes of a word")

// WorkOptions say how a worker works.
type WorkOptions struct {
	Options
	// Threads and Memory are as in retro.Options.
	Threads int
	Memory  int64
	// Stay has a worker that was wrong stay without work, so that whoever restarts workers that end
	// does not start it anew.
	Stay bool
	// begun, if set, is called when a task has been taken, before anything is done for
	// it. It is for tests.
	begun func(class, first int)
}

// worker is a worker at work.
type worker struct {
	o      WorkOptions
	conn   *conn
	id     string
	key    string // under which it tells that it is there
	lock   sync.Mutex
	status WorkerStatus       // guarded by lock
	tasks  jetstream.Consumer // nil where it has to be looked up
}

// Work works for the coordinators of a cluster until ctx ends, and returns its cause then.
// It waits where there is no coordinator. The error wraps ErrVersion, ErrOrder or ErrStore where it
// is not fit for the solve in work, wraps ErrWrong where it was wrong, is a *retro.MemoryError where the
// memory does not suffice, or says what has failed too often.
func Work(ctx context.Context, o WorkOptions) error {
	o.Options = o.Options.withDefaults()
	conn, err := connect(o.URL, "backsolve worker", o.Getenv)
	if err != nil {
		return err
	}
	defer conn.close()
	w := &worker{o: o, conn: conn, id: newID()}
	w.key = workerKeys + w.id
	w.status = WorkerStatus{Member: newMember(o.Version), ID: w.id, Class: -1}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	defer telling.Wait()
	defer cancel()
	if err := w.find(ctx); err != nil {
		return err
	}
	telling.Go(func() { w.beat(ctx) })
	working, condemn := context.WithCancelCause(ctx)
	defer condemn(nil)
	if err := w.listen(condemn); err != nil {
		return err
	}
	for {
		solve, err := w.await(working)
		if err == nil {
			err = w.serve(working, solve)
		}
		if errors.Is(err, ErrWrong) {
			w.set(func(s *WorkerStatus) { s.Refused = err.Error() })
			if w.o.Stay {
				w.o.Say(err.Error())
				<-ctx.Done()
			}
		}
		if err != nil {
			return err
		}
	}
}

// sleep waits, and returns the cause when ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// idle is how long a worker that has nothing to do waits before it looks again.
const idle = 200 * time.Millisecond

// find waits until a coordinator has prepared the cluster.
func (w *worker) find(ctx context.Context) error {
	said := false
	for {
		call, cancel := context.WithTimeout(ctx, callTimeout)
		err := w.conn.find(call)
		cancel()
		if err == nil {
			return nil
		}
		if errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) {
			return fmt.Errorf("NATS at %s: %w; start it with JetStream, as by nats-server -js", w.conn.url, err)
		}
		if !said {
			said = true
			w.o.Say("waiting for a coordinator")
		}
		if err := sleep(ctx, idle); err != nil {
			return err
		}
	}
}

// beat tells that the worker is there until it ends.
func (w *worker) beat(ctx context.Context) {
	tell := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		w.lock.Lock()
		value := encoded(w.status)
		w.lock.Unlock()
		w.conn.alive.Put(ctx, w.key, value) // it is told again soon
	}
	ticker := time.NewTicker(w.o.Alive / 6)
	defer ticker.Stop()
	for {
		tell(ctx)
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			if w.refused() {
				tell(last) // so that the coordinator can say whom it does not have
			} else {
				w.conn.alive.Purge(last, w.key)
			}
			return
		case <-ticker.C:
		}
	}
}

func (w *worker) refused() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.status.Refused != ""
}

// set changes what is told of the worker.
func (w *worker) set(change func(s *WorkerStatus)) {
	w.lock.Lock()
	defer w.lock.Unlock()
	change(&w.status)
}

// current returns the record of the solve in work; nil where there is none, or the cluster
// does not answer.
func (w *worker) current(ctx context.Context) *Solve {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	entry, err := w.conn.state.Get(ctx, solveKey)
	if err != nil {
		return nil
	}
	solve := new(Solve)
	if json.Unmarshal(entry.Value(), solve) != nil || solve.Over {
		return nil
	}
	return solve
}

// await waits for a solve, and says why the worker is not fit for it.
func (w *worker) await(ctx context.Context) (*Solve, error) {
	for {
		if solve := w.current(ctx); solve != nil {
			return solve, w.checkFit(ctx, solve)
		}
		if err := sleep(ctx, idle); err != nil {
			return nil, err
		}
	}
}

// checkFit says why the worker cannot take part in a solve.
func (w *worker) checkFit(ctx context.Context, solve *Solve) error {
	err := error(nil)
	if solve.Version != w.o.Version {
		err = fmt.Errorf("%w: %s, and this worker has %s; install the same one on both", ErrVersion, solve.Version, w.o.Version)
	} else if !solve.fitsHere() {
		err = fmt.Errorf("%w: %s keeps no table, and is solved by machines with one order alone", ErrOrder, solve.Board())
	} else if _, there := w.o.Store.Stat(ctx, solve.marker()); errors.Is(there, store.ErrNotFound) {
		if now := w.current(ctx); now == nil || now.ID != solve.ID {
			return nil // it has just ended
		}
		err = fmt.Errorf("%w: %v has nothing of %s", ErrStore, w.o.Store, solve.Board())
	} else if there != nil {
		err = there
	}
	if err != nil {
		w.set(func(s *WorkerStatus) { s.Refused = err.Error() })
	}
	return err
}

// serve works for a solve until there is another one, or none.
func (w *worker) serve(ctx context.Context, solve *Solve) error {
	space, err := solve.space()
	if err != nil {
		return err
	}
	s, err := newService(ctx, w, solve, space)
	if err != nil {
		return err
	}
	defer s.craft.close()
	w.o.Say("working on " + solve.Board())
	defer func(before Account) {
		s.putting.Wait()
		w.o.Say("no longer working on " + solve.Board() + ": " + w.account().since(before).text())
	}(w.account())
	next, stop := s.queue(ctx)
	defer stop()
	for {
		began := time.Now()
		t := next()
		w.spend(began, waiting)
		switch {
		case t.err != nil:
			return t.err
		case t.message != nil && t.task.ID == solve.ID:
			if err := s.do(ctx, t); err != nil {
				return err
			}
			continue
		}
		now := w.current(ctx)
		if t.message != nil { // of another solve
			t.release()
			if now != nil && now.ID == solve.ID {
				t.message.Term() // of one that is over, by a coordinator that had slept
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

// fetch returns the next task, nil where none comes for a while.
func (w *worker) fetch(ctx context.Context) (jetstream.Msg, error) {
	call, cancel := context.WithTimeout(ctx, w.o.Alive)
	defer cancel()
	message, err := w.next(call)
	if ctx.Err() != nil {
		if message != nil {
			message.Nak()
		}
		return nil, context.Cause(ctx)
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		w.tasks = nil // the cluster is away, or being prepared
		return nil, sleep(ctx, idle)
	}
	return message, nil
}

// next is fetch as long as its context says.
func (w *worker) next(ctx context.Context) (_ jetstream.Msg, err error) {
	if w.tasks == nil {
		if w.tasks, err = w.conn.js.Consumer(ctx, taskStream, taskConsumer); err != nil {
			return nil, err
		}
	}
	batch, err := w.tasks.Fetch(1, jetstream.FetchContext(ctx))
	if err != nil {
		return nil, err
	}
	for message := range batch.Messages() {
		return message, nil
	}
	return nil, batch.Error()
}
