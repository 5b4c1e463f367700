package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"backsolve/partition"
	"backsolve/retro"
)

// A table has the same bytes with any number of workers, and nothing is left of the solve.
func TestSameBytes(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && workers != 2 {
				t.Skip("takes long")
			}
			c := newTestCluster(t)
			for range workers {
				c.startWorker(t, nil)
			}
			for _, n := range []int{3, 4, 5} {
				for _, steps := range []bool{false, true} {
					c.wantTable(t, n, steps, c.options())
				}
			}
			c.wantEmpty(t)
		})
	}
}

// Shards of any size make the same table.
func TestShardBytes(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.startWorker(t, nil)
	c.startWorker(t, nil)
	for _, bytes := range []int64{1, 200, 1 << 30} {
		o := c.options()
		o.ShardBytes = bytes
		c.wantTable(t, 4, true, o)
	}
}

// The store has only the class in progress and the one above.
func TestTableDrops(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	var lock sync.Mutex
	most := 0
	c.startWorker(t, func(o *WorkOptions) {
		o.onTask = func(int, int) {
			classes := map[string]bool{}
			for name, err := range c.store.List(t.Context(), "") {
				if dir := filepath.Dir(name); err == nil && strings.HasPrefix(filepath.Base(dir), "class-") {
					classes[dir] = true
				}
			}
			lock.Lock()
			defer lock.Unlock()
			most = max(most, len(classes))
		}
	})
	o := c.options()
	o.ShardBytes = 200
	c.wantTable(t, 4, true, o)
	if lock.Lock(); most != 2 {
		t.Errorf("the store had %d classes at once, not 2", most)
	}
	lock.Unlock()
}

// alternate solves the classes by workers if byWorkers returns true, and otherwise in this process.
// It returns the table's path.
func alternate(t *testing.T, space *partition.Space, steps bool, o Options, byWorkers func(class int) bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.tb")
	for class := space.MaskBits; class >= 0; class-- {
		how := retro.Options{Steps: steps, DownTo: class}
		var c *Coordinator
		if byWorkers(class) {
			var err error
			if c, err = Begin(t.Context(), space, NewSolve(space, how), o); err != nil {
				t.Fatal(err)
			}
			how.Scheduler = c.Solve
		}
		if err := solve(t.Context(), path, space, how); err != nil {
			t.Fatal(err)
		}
		if c != nil {
			c.Close()
		}
	}
	return path
}

// A cluster finishes what a single process has begun, and the other way round. Workers have the coordinator
// store the classes of the single process, which is nothing to warn of.
func TestResumeFromOneProcess(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 5)
	c.startWorker(t, nil)
	o, log := c.logged()
	path := alternate(t, space, true, o, func(class int) bool { return class%2 == 0 })
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
	if log.has("written again") {
		t.Errorf("a class of the single process counts as lost: %q", log.all)
	}
}

// A worker with another version or store is refused, and both sides report it.
func TestRefusedWorkers(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.timing.Alive = 20 * time.Second // the refused workers must still be known
	o, log := c.logged()
	space := newSpace(t, 4)
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	other := WorkOptions{Options: c.options()}
	other.Version = "0.9"
	if err := Work(t.Context(), other); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "1, and this worker has 0.9") {
		t.Errorf("another version: %v", err)
	}
	elsewhere := WorkOptions{Options: c.options()}
	elsewhere.Store = openStore(t, t.TempDir())
	if err := Work(t.Context(), elsewhere); !errors.Is(err, ErrStore) {
		t.Errorf("another store: %v", err)
	}
	small := WorkOptions{Options: c.options(), Memory: 1 << 20}
	memory := (*retro.MemoryError)(nil)
	if err := Work(t.Context(), small); !errors.As(err, &memory) {
		t.Errorf("1 MiB of memory: %v", err)
	}
	// A worker that fits does everything.
	c.startWorker(t, nil)
	how := retro.Options{Scheduler: coordinator.Solve}
	path := filepath.Join(t.TempDir(), "table.tb")
	if err := coordinator.checkWorkers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := solve(coordinator.Context(), path, space, how); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, false)) {
		t.Error("the table differs")
	}
	for _, says := range []string{"this worker has 0.9", ErrStore.Error(), "memory"} {
		if !log.has("a worker gets no work: process ", says) {
			t.Errorf("the coordinator says %q, and not %q", log.all, says)
		}
	}
}

// A coordinator without workers logs an error that says why.
func TestLonelyCoordinator(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.timing.Alive = 300 * time.Millisecond
	o, log := c.logged()
	_, solved := c.begin(t, o)
	waitFor(t, "that it says so", func() bool { return log.has("no worker has been accepted", "none has come") })
	other := WorkOptions{Options: c.options()}
	other.Version = "0.9"
	waitFor(t, "that it says why", func() bool { // a worker is remembered for a moment only
		if err := Work(t.Context(), other); !errors.Is(err, ErrVersion) {
			t.Errorf("another version: %v", err)
		}
		return log.has("no worker has been accepted", "this worker has 0.9")
	})
	c.startWorker(t, nil)
	if err := <-solved; err != nil {
		t.Error(err)
	}
}

// A worker that starts before NATS waits for it. With UntilDone it ends after one solve.
func TestUntilDone(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	o := WorkOptions{Options: c.options(), Threads: 1, UntilDone: true}
	o.Wait = time.Minute
	var log logRecorder
	o.Logf = log.logf
	address := freeAddress(t) // nothing listens there yet
	o.URL = "nats://" + address
	ended := make(chan error, 1)
	go func() { ended <- Work(t.Context(), o) }()
	for !log.has("waiting for NATS at " + o.URL) {
		time.Sleep(10 * time.Millisecond)
	}
	newProxyAt(t, c.server.URL(), address)
	c.wantTable(t, 4, false, c.options())
	if err := <-ended; err != nil {
		t.Errorf("the worker ended with: %v", err)
	}
}

// A refused password is no reason to wait.
func TestWaitRefused(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	o := WorkOptions{Options: c.options()}
	o.Wait, o.Getenv = time.Hour, func(string) string { return "" }
	if err := Work(t.Context(), o); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("without a password: %v", err)
	}
}

// The sweep finds tasks and completions that NATS has lost.
func TestLostTasks(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	var taken atomic.Int64
	c.startWorker(t, func(o *WorkOptions) {
		o.onTask = func(class, _ int) {
			if taken.Add(1)%7 != 3 {
				return
			}
			for name, subject := range map[string]string{taskStream: taskSubject + ".>", "KV_" + stateBucket: stateSubject + "done.>"} {
				stream, err := conn.js.Stream(t.Context(), name)
				if err == nil {
					err = stream.Purge(t.Context(), jetstream.WithPurgeSubject(subject))
				}
				if err != nil {
					t.Error(err)
				}
			}
		}
	})
	c.wantTable(t, 5, true, c.options())
}

// A worker that is cut off from NATS, and records a completion after the solve is over, deletes it.
func TestLateCompletion(t *testing.T) {
	for name, solve := range solves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			p := newProxy(t, c.server.URL())
			p.hold("PUB "+stateSubject+"done.", 2)
			quitLate := c.startWorker(t, func(o *WorkOptions) { o.URL = p.client })
			wait := solve(c, t)
			<-p.held
			c.startWorker(t, nil)
			wait()
			p.release()
			quitLate()
			c.wantEmpty(t)
		})
	}
}

// Workers remove tasks of a finished solve from the queue.
func TestTasksOfFinishedSolve(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 4)
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	over := Solve{ID: "over"}
	for first := range 5 {
		g := shard{stage: stage{Class: 3}, First: first, Blocks: 1}
		if _, err := coordinator.conn.js.Publish(t.Context(), over.taskSubject(g), encoded(task{ID: over.ID, shard: g})); err != nil {
			t.Fatal(err)
		}
	}
	c.startWorker(t, nil)
	path := filepath.Join(t.TempDir(), "table.tb")
	if err := solve(coordinator.Context(), path, space, retro.Options{Scheduler: coordinator.Solve}); err != nil {
		t.Fatal(err)
	}
	if err := coordinator.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.wantEmpty(t)
}
