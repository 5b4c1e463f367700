package cluster

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"backsolve/cluster/store"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// stuckStore is a store whose deletions block after some.
type stuckStore struct {
	store.Store
	left chan bool // one for each that succeeds
	held chan struct{}
}

func (s *stuckStore) Delete(ctx context.Context, name string) error {
	select {
	case <-s.left:
		return s.Store.Delete(ctx, name)
	default:
	}
	select {
	case s.held <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// finishedBy solves Notakto 4×4, and returns the coordinator when the table is finished.
func (c *testCluster) finishedBy(t *testing.T, stream bool, o Options) *Coordinator {
	t.Helper()
	space, how := newSpace(t, 4), retro.Options{}
	want := NewSolve(space, how)
	if stream {
		want = NewStream(space, false, 1)
	}
	coordinator, err := Begin(t.Context(), space, want, o)
	if err != nil {
		t.Fatal(err)
	}
	if stream {
		if _, err = outofcore.SolveBy(coordinator.Context(), space, outofcore.Options{}, coordinator.Stages()); err == nil {
			err = coordinator.SetResult(t.Context(), "its result")
		}
	} else {
		how.Scheduler = coordinator.Solve
		err = solve(coordinator.Context(), filepath.Join(t.TempDir(), "table.tb"), space, how)
	}
	if err != nil {
		t.Fatal(err)
	}
	return coordinator
}

// Whenever a coordinator is killed between the last class and the end of Finish, CollectGarbage
// deletes what it has left. So does a solve of another board if the deletion had begun.
func TestKilledWhileFinishing(t *testing.T) {
	for name, at := range map[string]struct {
		stream  bool
		mark    string // in the first message to NATS that is held back
		after   int    // that many earlier messages
		deletes int    // objects that are deleted, if there is no mark
		over    bool   // the record says that the solve is over
	}{
		"before Finish":            {mark: solveMark},
		"before Finish, streamed":  {mark: solveMark, stream: true},
		"before tasks or notes go": {mark: purgeMark, over: true},
		"before the others go":     {mark: purgeMark, after: 1, over: true},
		"before objects go":        {deletes: 0, over: true},
		"when most objects went":   {deletes: 2, over: true},
		"before the record goes":   {mark: solveMark, after: 1, over: true},
	} {
		for _, another := range []bool{false, true} {
			if another {
				name += ", another board"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := newTestCluster(t)
				c.timing.Alive = 300 * time.Millisecond // so that the killed coordinator's lease ends soon
				quit := c.startWorker(t, nil)
				p := newProxy(t, c.server.URL())
				killable := &stuckStore{c.store, make(chan bool, 100), make(chan struct{}, 1)}
				for range cap(killable.left) {
					killable.left <- true
				}
				o := c.options()
				o.URL, o.Store = p.client, killable
				killed := c.finishedBy(t, at.stream, o)
				if quit(); at.mark != "" {
					p.hold(at.mark, at.after)
				}
				for at.mark == "" && len(killable.left) > at.deletes {
					<-killable.left
				}
				ended := make(chan error, 1)
				go func() {
					ended <- killed.Finish(t.Context())
					killed.Close()
					close(ended)
				}()
				t.Cleanup(func() {
					p.release()
					for range ended {
					}
				})
				select {
				case <-p.held:
				case <-killable.held:
				case err := <-ended:
					t.Fatalf("it was not killed: %v", err)
				}
				killed.Fail(errStopped)
				if !another {
					space, solve := newSpace(t, 4), killed.record.solve
					if err := CollectGarbage(t.Context(), space, solve, c.options()); err != nil {
						t.Fatal(err)
					}
					c.wantEmpty(t)
				}
				next, err := Begin(t.Context(), newSpace(t, 3), NewSolve(newSpace(t, 3), retro.Options{}), c.options())
				if another && !at.over {
					if !errors.Is(err, ErrOther) {
						t.Errorf("another board: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer next.Close()
				if err := next.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.wantEmpty(t)
			})
		}
	}
}

// The texts of messages that change the record, and that purge tasks or keys.
const (
	solveMark = stateSubject + solveKey + " "
	purgeMark = "$JS.API.STREAM.PURGE."
)

// CollectGarbage keeps an unfinished solve of any board, a solve with a running coordinator, and
// one with another store.
func TestCollectGarbageKeeps(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.timing.Alive = 300 * time.Millisecond
	space := newSpace(t, 4)
	mine := NewSolve(space, retro.Options{})
	if err := CollectGarbage(t.Context(), space, mine, c.options()); err != nil {
		t.Errorf("a NATS that nobody has used: %v", err)
	}
	c.startWorker(t, nil)
	finished := c.finishedBy(t, false, c.options())
	conn, err := connect(c.options(), "test")
	if err == nil {
		err = conn.open(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	keeps := func(what string, solve Solve, change func(o *Options)) error {
		t.Helper()
		o := c.options()
		if change != nil {
			change(&o)
		}
		err := CollectGarbage(t.Context(), space, solve, o)
		held, there := getKey[Solve](t.Context(), conn.state, solveKey)
		if there != nil || held == nil || held.ID != finished.record.solve.ID || held.Over {
			t.Errorf("%s: the record is %+v, %v", what, held, there)
		}
		return err
	}
	if err := keeps("a coordinator is at work", mine, nil); err != nil {
		t.Error(err)
	}
	finished.Close()
	if err := keeps("another board", NewSolve(newSpace(t, 3), retro.Options{}), nil); err != nil {
		t.Error(err)
	}
	elsewhere := openStore(t, t.TempDir())
	if err := keeps("another store", mine, func(o *Options) { o.Store = elsewhere }); err == nil || !strings.Contains(err.Error(), "another store") {
		t.Errorf("another store: %v", err)
	}
	changed := *finished.record
	changed.conn = conn
	if err := changed.update(t.Context(), func(s *Solve) { s.Class, s.Solved = 2, false }); err != nil {
		t.Fatal(err)
	}
	if err := keeps("an unfinished solve", mine, nil); !errors.Is(err, ErrUnfinished) || !strings.Contains(err.Error(), "notakto 4×4, class 2") {
		t.Errorf("an unfinished solve: %v", err)
	}
	if err := changed.update(t.Context(), func(s *Solve) { s.Solved, s.Result = true, "another result" }); err != nil {
		t.Fatal(err)
	}
	if err := keeps("another result", mine, nil); !errors.Is(err, ErrUnfinished) {
		t.Errorf("another result: %v", err)
	}
}
