package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/partition"
	"backsolve/retro"
)

// mostFailures is how many tasks may fail one after the other before a worker gives up.
const mostFailures = 8

// mostPuts is how many parts are put into the store at once, while the next ones are
// settled: to put takes longer than to settle where the disk is slow, or far.
const mostPuts = 2

// moved is the bytes that are read and written for a group.
type moved struct {
	read, written int64
	verdict       *verdict // of a check
}

// putting puts a group into the store.
type putting func(ctx context.Context) (moved, error)

// craft is how the groups of a solve are settled.
type craft interface {
	// settle settles a group and returns what puts it into the store, and says how many bytes
	// were moved for it. It is for one goroutine; what it returns must be called, which may be
	// by another one, while the next group is settled.
	settle(ctx context.Context, g group) (put putting, err error)
	// compare settles blocks of a group again, and reports whether one of them is not what was put,
	// and which. The error wraps errUnreadable where what was put cannot be read.
	compare(ctx context.Context, g, blocks group) (block int, differs bool, err error)
	// discard takes away what has been put.
	discard(ctx context.Context, g group) error
	// eager says that the next task is to be taken while one is done.
	eager() bool
	close()
}

// service is a worker's work for one solve.
type service struct {
	*worker
	solve   *Solve
	space   *partition.Space
	craft   craft
	putting sync.WaitGroup

	others   bool      // other workers are there
	lookedAt time.Time // when that was found out

	ends   sync.Mutex // guards what follows
	failed int        // tasks that failed one after the other
	cause  error      // why the last one did
}

// newService has a worker ready for a solve, with threads and memory of its options.
func newService(ctx context.Context, w *worker, solve *Solve, space *partition.Space) (s *service, err error) {
	s = &service{worker: w, solve: solve, space: space}
	if solve.Stream {
		s.craft, err = newStreamer(ctx, s)
	} else {
		s.craft, err = newTabler(ctx, s)
	}
	return s, err
}

// taken is a task that was taken out of the queue.
type taken struct {
	message jetstream.Msg // nil where none came for a while
	task    task
	release func() // ends what has the server wait for it
	again   bool   // it may have been given to somebody before
	done    bool   // it is noted as done
	err     error  // why no more can be taken
}

// queue returns what returns the next task, and what ends that.
func (s *service) queue(ctx context.Context) (next func() taken, stop func()) {
	if !s.craft.eager() {
		return func() taken { return s.take(ctx) }, func() {}
	}
	tasks, stop := s.ahead(ctx)
	return func() taken {
		select {
		case <-ctx.Done():
			return taken{err: context.Cause(ctx)}
		case t := <-tasks:
			return t
		}
	}, stop
}

// ahead takes tasks out of the queue, each while the one before it is done: who waits for
// messages settles nothing. stop ends that, and gives back what was taken and not asked for.
func (s *service) ahead(ctx context.Context) (queue <-chan taken, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	tasks := make(chan taken)
	var taking sync.WaitGroup
	taking.Go(func() {
		for {
			t := s.take(ctx)
			select {
			case tasks <- t:
			case <-ctx.Done():
				if t.message != nil {
					t.release()
					t.message.Nak()
				}
				return
			}
			if t.err != nil {
				return
			}
		}
	})
	return tasks, func() {
		cancel()
		taking.Wait()
	}
}

// take takes the next task out of the queue.
func (s *service) take(ctx context.Context) taken {
	message, err := s.fetch(ctx)
	if err != nil || message == nil {
		return taken{err: err}
	}
	t := taken{message: message, release: s.hold(message)}
	if json.Unmarshal(message.Data(), &t.task) == nil && t.task.ID == s.solve.ID {
		t.again = again(message)
		t.done = t.again && s.isDone(ctx, t.task.group())
	}
	return t
}

// again reports whether a message may have been given to somebody before. A task is not put into
// the queue once more when it is done.
func again(message jetstream.Msg) bool {
	about, err := message.Metadata()
	return err != nil || about.NumDelivered > 1
}

// do does a task but for putting its part into the store, which goes on when it returns.
// What fails is tried again, here or by another worker, unless it has failed too often.
func (s *service) do(ctx context.Context, t taken) error {
	began, g := time.Now(), t.task.group()
	if g.check && t.task.Maker == s.id && s.hasOthers(ctx) {
		t.release()
		t.message.NakWithDelay(idle / 4) // another worker is to check it
		return nil
	}
	t.again = t.again && !t.done
	if t.again && s.isDoomed(ctx, g) {
		t.release()
		t.message.NakWithDelay(s.o.Sweep)
		return sleep(ctx, s.o.Sweep)
	}
	put, err := s.settle(ctx, t)
	if err != nil || put == nil {
		s.end(ctx, t, err)
		return s.failure(ctx, err)
	}
	s.putting.Go(func() { s.end(ctx, t, s.keep(ctx, g, put, began)) })
	return s.failure(ctx, nil)
}

// end tells NATS and the coordinator what came of a task.
func (s *service) end(ctx context.Context, t taken, err error) {
	t.release()
	if t.again {
		longer, cancel := outlive(ctx, callTimeout)
		s.attempt(longer, t.task.group(), -1) // else one more counts as lost
		cancel()
	}
	switch {
	case err == nil:
		t.message.Ack() // who misses it does the task again, and finds it done
	case ctx.Err() != nil:
		t.message.Nak()
	default:
		t.message.NakWithDelay(s.o.Sweep / 2)
		s.tell(err)
	}
	if late := s.clearLate(ctx, t.task.group()); late != nil && ctx.Err() == nil {
		s.tell(late)
		err = cmp.Or(err, late)
	}
	if ctx.Err() != nil {
		return
	}
	s.ends.Lock()
	defer s.ends.Unlock()
	if s.cause = err; err == nil {
		s.failed = 0
	} else {
		s.failed++
	}
}

// failure returns why the worker has to end, where it has to: its context has ended, it
// has too little memory, or too many tasks have failed. It waits after a failure.
func (s *service) failure(ctx context.Context, err error) error {
	if memory := (*retro.MemoryError)(nil); errors.As(err, &memory) {
		return err
	}
	s.ends.Lock()
	failed, cause := s.failed, s.cause
	s.ends.Unlock()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case failed >= mostFailures:
		return fmt.Errorf("%d tasks have failed one after the other: %w", failed, cause)
	}
	return sleep(ctx, time.Duration(failed)*s.o.Sweep/10)
}

// hold has the server wait for a task until stop is called.
func (s *service) hold(message jetstream.Msg) (stop func()) {
	done := make(chan struct{})
	go func() {
		ticker := time.NewTicker(s.o.AckWait / 4)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				message.InProgress() // it is told again soon
			}
		}
	}()
	return func() { close(done) }
}

// tell tells the coordinator, and who looks at the worker, what has failed.
func (s *service) tell(err error) {
	s.o.Say(err.Error())
	s.conn.nc.Publish(troubleSubject+s.solve.ID, fmt.Appendf(nil, "the worker %v: %v", s.status.Member, err))
}

// settle settles a group, or checks it, and returns what puts it into the store, nil where another
// worker has done it, and did not come to say so.
func (s *service) settle(ctx context.Context, t taken) (put putting, err error) {
	g := t.task.group()
	s.set(func(w *WorkerStatus) { w.Class, w.First = g.class, g.first })
	if s.o.begun != nil {
		s.o.begun(g.class, g.first)
	}
	if t.done {
		return nil, nil
	}
	if !g.check {
		return s.craft.settle(ctx, g)
	}
	v, err := s.check(ctx, t.task)
	return func(context.Context) (moved, error) { return moved{verdict: v}, nil }, err
}

// keep puts a group into the store and notes that it is there.
func (s *service) keep(ctx context.Context, g group, put putting, began time.Time) error {
	bytes, err := put(ctx)
	if err != nil {
		return err
	}
	return s.note(ctx, g, bytes, time.Since(began))
}

// clearLate deletes what the worker has put and noted of a group after the solve was over, because
// the worker slept or was cut off. It must come after all writes: what was written before the record
// went is deleted by whoever deleted the record. It goes on for a while after ctx has ended.
func (s *service) clearLate(ctx context.Context, g group) error {
	ctx, cancel := outlive(ctx, callTimeout)
	defer cancel()
	return patiently(ctx, s.o.Options, "the cluster", func(ctx context.Context) error {
		over, err := s.isOver(ctx)
		if err != nil || !over {
			return err
		}
		if err := s.craft.discard(ctx, g); err != nil {
			return err
		}
		call, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		return s.conn.purgeNotes(call, s.solve.noteOf(g))
	})
}

// outlive returns a context that ends some time after another one.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(d, cancel) })
	return longer, func() { stop(); cancel() }
}

// isOver reports whether the solve is not in work any more. Where its record got lost that cannot be
// told until the coordinator has written it again.
func (s *service) isOver(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	record, _, err := s.conn.record(ctx)
	return err == nil && (record == nil || record.Over || record.ID != s.solve.ID), err
}

// isDone reports whether a group is noted as done.
func (s *service) isDone(ctx context.Context, g group) bool {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	_, err := s.conn.state.Get(ctx, s.solve.doneKey(g))
	return err == nil
}

// note notes that a group is done, and tells the coordinator.
func (s *service) note(ctx context.Context, g group, bytes moved, took time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	value := encoded(doneNote{s.status.String(), bytes.written, bytes.read, took.Seconds(), s.id, bytes.verdict})
	if _, err := s.conn.state.Put(ctx, s.solve.doneKey(g), value); err != nil {
		return fmt.Errorf("cannot note that blocks %d to %d of class %d are done: %w", g.first, g.first+g.blocks-1, g.class, err)
	}
	s.set(func(w *WorkerStatus) {
		w.Tasks++
		w.Written += bytes.written
	})
	return s.conn.nc.Publish(doneSubject+s.solve.ID, encoded(s.solve.task(g)))
}

// insist has something read of the class above, a group or a part of one. Where it is not there
// or damaged the coordinator is asked to put it there again. Where there is no coordinator the next one
// is waited for: that is no failure of the worker's.
func (s *service) insist(ctx context.Context, g group, read func() error) error {
	err := read()
	if !useless(err) {
		return err
	}
	return patiently(ctx, s.o.Options, "the coordinator", func(ctx context.Context) error {
		call, cancel := context.WithTimeout(ctx, s.o.AckWait+callTimeout)
		defer cancel()
		answer, asked := s.conn.nc.RequestWithContext(call, lostSubject+s.solve.ID, encoded(s.solve.task(g)))
		if asked != nil {
			asked = fmt.Errorf("%w; and the coordinator cannot be asked for it: %w", err, asked)
			if over, err := s.isOver(ctx); err == nil && over {
				return &final{asked}
			}
			return asked
		}
		if len(answer.Data) > 0 {
			return &final{fmt.Errorf("%w; and the coordinator cannot put it there again: %s", err, answer.Data)}
		}
		if err := read(); err != nil {
			return &final{err}
		}
		return nil
	})
}
