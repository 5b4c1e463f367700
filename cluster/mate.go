package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"backsolve/partition"
	"backsolve/retro"
)

// errAbandoned is the cause with which an attempt at a class ends where there is another
// one.
var errAbandoned = errors.New("the class has begun again")

// mate is a worker's work for one solve whose classes have moves inside.
type mate struct {
	*worker
	solve    *Solve
	peer     *retro.Peer
	kicks    chan *nats.Msg
	shift    *shift // of the attempt for which it has answered last, nil where that is over
	over     uint64 // the attempt that has ended here last
	failed   string // why it has, "" where it went well or was given up
	failures int    // in turn
}

// serveTogether is serve for classes with moves inside.
func (w *worker) serveTogether(ctx context.Context, solve *Solve, space partition.Space) error {
	o := solve.options()
	o.Threads, o.Memory = w.o.Threads, w.o.Memory
	o.LogPath = filepath.Join(os.TempDir(), "backsolve") // of logs that memory should not hold
	peer, err := retro.NewPeer(ctx, space, o)
	if err != nil {
		return err
	}
	defer peer.Close()
	w.o.Say("working on " + solve.Board())
	defer func(before Account) {
		w.o.Say("no longer working on " + solve.Board() + ": " + w.account().since(before).text())
	}(w.account())
	m := &mate{worker: w, solve: solve, peer: peer, kicks: make(chan *nats.Msg, 64)}
	kicked, err := w.conn.nc.ChanSubscribe(rollSubject+solve.ID, m.kicks)
	if err != nil {
		return err
	}
	defer kicked.Unsubscribe()
	defer m.leave()
	defer w.set(func(s *WorkerStatus) { s.Class, s.Phase = -1, 0 })
	for {
		record, err := currentRecord(ctx, w.conn)
		switch {
		case err != nil: // the cluster is away, and is asked again
		case record == nil || record.ID != solve.ID:
			return nil
		case record.DownTo < solve.DownTo:
			return nil // and see whether memory suffices for that, too
		case record.Attempt == m.over:
			if m.failed != "" {
				m.answer(hereNote{Attempt: m.over, Failed: m.failed})
			}
		case len(record.Members) == 0:
			m.join(ctx, record)
		case slices.Contains(record.Members, w.id) && m.shift != nil && m.shift.solve.Attempt == record.Attempt:
			if err := m.work(ctx, record); err != nil {
				return err
			}
			continue
		}
		if err := m.rest(ctx, idle); err != nil {
			return err
		}
	}
}

// currentRecord returns the record of the solve in work, nil where there is none.
func currentRecord(ctx context.Context, c *conn) (*Solve, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	return read[Solve](ctx, c.state, solveKey)
}

// isOver reports whether a solve is not in work any more, as far as can be told.
func (c *conn) isOver(ctx context.Context, s *Solve) bool {
	record, err := currentRecord(ctx, c)
	return err == nil && (record == nil || record.ID != s.ID)
}

// rest waits until the record may have changed.
func (m *mate) rest(ctx context.Context, most time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-m.kicks:
	case <-time.After(most):
	}
	return nil
}

// join tells the coordinator that the worker is ready for an attempt. What fails is tried
// again, as the coordinator asks again.
func (m *mate) join(ctx context.Context, record *Solve) {
	if m.shift == nil || m.shift.solve.Attempt != record.Attempt {
		m.leave()
		s, err := newShift(ctx, m.o.Options, m.conn, *record, everything)
		if err != nil {
			return
		}
		m.shift = s
	}
	m.answer(hereNote{Attempt: record.Attempt, Lacks: m.peer.Lacks(record.Class)})
}

// answer tells the coordinator something.
func (m *mate) answer(n hereNote) {
	n.Worker, n.Name = m.id, m.status.Member.String()
	m.conn.nc.Publish(hereSubject+m.solve.ID, encoded(n))
}

// leave ends the listening to an attempt.
func (m *mate) leave() {
	m.shift.end()
	m.shift = nil
}

// work solves a class with the others. It returns why the worker has to end, where it has
// to.
func (m *mate) work(ctx context.Context, record *Solve) error {
	m.over, m.failed = record.Attempt, ""
	m.shift.begin(record.Members, m.id)
	m.shift.told = func(phase int) {
		m.set(func(s *WorkerStatus) { s.Class, s.Phase = record.Class, phase })
		if m.o.begun != nil {
			m.o.begun(record.Class, phase)
		}
	}
	m.set(func(s *WorkerStatus) { s.Class, s.Phase = record.Class, 0 })
	class, give := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { m.watch(class, record.Class, give) })
	began := time.Now()
	err := m.solveClass(class, record.Class)
	moved := m.shift.account
	moved.Settling = time.Since(began).Seconds() - moved.Waiting
	m.set(func(s *WorkerStatus) { s.Account = s.Account.plus(moved) })
	give(nil)
	watching.Wait()
	m.leave()
	switch {
	case err == nil:
		m.failures = 0
		m.set(func(s *WorkerStatus) { s.Tasks++ })
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errNews):
		if m.failures++; m.failures >= mostFailures {
			return fmt.Errorf("%d classes have failed one after the other: %w", m.failures, err)
		}
		m.failed = err.Error()
		m.o.Say(m.failed)
	case !errors.Is(err, errAbandoned):
		return err
	}
	return nil
}

// watch gives an attempt up when there is another one, or the solve is over. That the
// next class is called for says that the coordinator is done with this one: then all that
// there is to be heard of it was told, and what is left is done here.
func (m *mate) watch(ctx context.Context, class int, give context.CancelCauseFunc) {
	for m.rest(ctx, time.Second) == nil {
		record, err := currentRecord(ctx, m.conn)
		switch {
		case err != nil:
		case record == nil || record.ID != m.solve.ID:
			give(errAbandoned)
			return
		case record.Attempt == m.over, record.Attempt == m.over+1 && record.Class == class-1:
		default:
			give(errAbandoned)
			return
		}
	}
}

// solveClass solves a class, and reads the one above before where that is not here.
func (m *mate) solveClass(ctx context.Context, class int) error {
	if m.peer.Lacks(class) {
		if err := m.load(ctx, class); err != nil {
			return err
		}
	}
	if err := m.peer.Solve(ctx, class, m.shift); err != nil {
		return err
	}
	return m.shift.hand(ctx, m.peer)
}

// load reads the class above. What is damaged is taken away, so that the coordinator puts it
// there again.
func (m *mate) load(ctx context.Context, class int) error {
	pieces, err := m.peer.Prepare(class)
	if err != nil {
		return err
	}
	for i := range pieces {
		name := m.solve.pieceObject(class+1, i)
		var b []byte
		err := patiently(ctx, m.o.Options, "the store", func(ctx context.Context) (err error) {
			b, err = getAll(ctx, m.o.Options, name)
			return err
		})
		if err == nil {
			b, err = unsealed(b)
		}
		if err == nil {
			if err = m.peer.Take(i, b); err != nil {
				err = fmt.Errorf("%w: %w", errNews, err)
			}
		}
		if errors.Is(err, errNews) && ctx.Err() == nil {
			m.o.Store.Delete(ctx, name)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
