package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/retro"
)

// A table has the same bytes with any number of workers, and nothing is left of the solve.
func TestSameBytes(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && workers > 2 {
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

// Groups of any size make the same table.
func TestGroups(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.startWorker(t, nil)
	c.startWorker(t, nil)
	for _, bytes := range []int64{1, 200, 1 << 30} {
		o := c.options()
		o.GroupBytes = bytes
		c.wantTable(t, 4, true, o)
	}
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
			how.Scheduler = c
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

// A cluster finishes what a single process has begun, and the other way round.
func TestResumeFromOneProcess(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 5)
	c.startWorker(t, nil)
	path := alternate(t, space, true, c.options(), func(class int) bool { return class%2 == 0 })
	if !bytes.Equal(contents(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
}

// A worker with another version or store is refused, and both sides report it.
func TestRefusedWorkers(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.timing.Alive = 20 * time.Second // the refused workers must still be known
	var log logRecorder
	o := c.options()
	o.Logf = log.logf
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
	how := retro.Options{Scheduler: coordinator}
	path := filepath.Join(t.TempDir(), "table.tb")
	if err := coordinator.checkWorkers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := solve(coordinator.Context(), path, space, how); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), localTable(t, space, false)) {
		t.Error("the table differs")
	}
	if !log.has("has version 0.9", "this is 1", "refused") {
		t.Errorf("the coordinator says %q", log.all)
	}
}

// There is one coordinator at a time. It resumes what another has begun, and refuses another solve.
func TestOneCoordinator(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	begin := func(n int, change func(o *Options)) (*Coordinator, error) {
		o := c.options()
		if change != nil {
			change(&o)
		}
		return Begin(t.Context(), newSpace(t, n), NewSolve(newSpace(t, n), retro.Options{}), o)
	}
	first, err := begin(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := begin(4, nil); !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a second coordinator: %v", err)
	}
	first.Close()
	second, err := begin(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	if second.record.solve.ID != first.record.solve.ID {
		t.Error("it is another solve")
	}
	second.Close()
	for says, o := range map[string]func(o *Options){
		"was begun by version 1, and this is 2": func(o *Options) { o.Version = "2" },
		"was begun with another store":          func(o *Options) { o.Store = openStore(t, t.TempDir()) },
	} {
		if _, err := begin(4, o); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := begin(5, nil); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "notakto 4×4") {
		t.Errorf("another board: %v", err)
	}
	forced, err := begin(5, func(o *Options) { o.Force = true })
	if err != nil {
		t.Fatal(err)
	}
	if err := forced.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := forced.conn.state.PutString(t.Context(), solveKey, "junk"); err != nil {
		t.Fatal(err)
	}
	forced.Close()
	if _, err := begin(4, nil); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "which cannot be read") {
		t.Errorf("a record of junk: %v", err)
	}
	forced, err = begin(4, func(o *Options) { o.Force = true })
	if err != nil {
		t.Fatal(err)
	}
	if err := forced.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	forced.Close()
	c.wantEmpty(t)
}

// A coordinator that was suspended and has a successor ends.
func TestReplacedCoordinator(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 4)
	old, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	// It acquires a lost lease again if no other process holds it.
	if err := old.conn.alive.Purge(t.Context(), coordinatorKey); err != nil {
		t.Fatal(err)
	}
	if err := old.lease.renew(t.Context()); err != nil {
		t.Errorf("a lost lease is not acquired again: %v", err)
	}
	if _, err := old.conn.alive.Put(t.Context(), coordinatorKey, encoded(Member{Host: "elsewhere", PID: 7})); err != nil {
		t.Fatal(err)
	}
	select {
	case <-old.Context().Done():
		if err := context.Cause(old.Context()); !errors.Is(err, ErrReplaced) || !strings.Contains(err.Error(), "process 7 on elsewhere") {
			t.Errorf("the error is %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it continues")
	}
	// It cannot change the record after another coordinator has.
	next, stale := *old.record, *old.record
	if err := next.update(t.Context(), setClass(5)); err != nil {
		t.Fatal(err)
	}
	if err := stale.update(t.Context(), setClass(4)); !errors.Is(err, ErrReplaced) {
		t.Errorf("it changes the record: %v", err)
	}
}

// damagingStore damages or loses some objects when they are put.
type damagingStore struct {
	store.Store
	put func(name string, b []byte) []byte
}

func (d *damagingStore) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if b = d.put(name, b); b == nil {
		return nil
	}
	return d.Store.Put(ctx, name, bytes.NewReader(b), int64(len(b)))
}

// damages are what can happen to bytes on their way into a store; nil means lost.
var damages = map[string]func(b []byte) []byte{
	"lost":    func([]byte) []byte { return nil },
	"cut":     func(b []byte) []byte { return b[:len(b)/2] },
	"flipped": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
}

// A lost, cut, flipped or mixed-up part is made again.
func TestDamagedParts(t *testing.T) {
	others := maps.Clone(damages)
	others["longer"] = func(b []byte) []byte { return append(b, 0) }
	others["empty"] = func([]byte) []byte { return []byte{} }
	for name, damage := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			c.wantRemade(t, damage, func(o Options) { c.wantTable(t, 5, true, o) })
		})
	}
}

// wantRemade damages each part of class 5 once, and wants the solve to make it again.
func (c *testCluster) wantRemade(t *testing.T, damage func(b []byte) []byte, solve func(o Options)) {
	t.Helper()
	var damagedOnce sync.Map
	c.startWorker(t, func(o *WorkOptions) {
		o.Store = &damagingStore{c.store, func(name string, b []byte) []byte {
			if _, again := damagedOnce.LoadOrStore(name, true); !again && strings.Contains(name, "class-05/") {
				return damage(b)
			}
			return b
		}}
	})
	var log logRecorder
	o := c.options()
	o.Logf = log.logf
	solve(o)
	if !log.has("class-05/", "made again") {
		t.Errorf("it is not logged: %q", log.all)
	}
}

// The coordinator restores a part of the class above that is lost or damaged after it was accepted,
// if a worker needs it and has not kept it.
func TestDamagedClassAbove(t *testing.T) {
	for name, damage := range map[string]func(file string) error{
		"lost": os.Remove,
		"cut":  func(file string) error { return os.Truncate(file, 100) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			var once sync.Once
			harmAll := func() {
				files, err := filepath.Glob(filepath.Join(c.place, "*", "*", "class-04", "*"))
				if err != nil || len(files) == 0 {
					t.Errorf("the class above has no files: %v", err)
				}
				for _, file := range files {
					if err := damage(file); err != nil {
						t.Error(err)
					}
				}
			}
			c.startWorker(t, func(o *WorkOptions) {
				o.Memory = plan.New(newSpace(t, 5), plan.Options{Steps: true, Threads: o.Threads}).WorkerMemory(smallGroups)
				o.onTask = func(class, _ int) {
					if class == 3 {
						once.Do(harmAll)
					}
				}
			})
			var log logRecorder
			o := c.options()
			o.Logf = log.logf
			c.wantTable(t, 5, true, o)
			if !log.has("class-04", "put there again") {
				t.Errorf("it is not logged: %q", log.all)
			}
		})
	}
}

// Tasks are retried while the store is full. A worker that can never put anything gives up and says
// why.
func TestFullStore(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	full := func(times int64) *fullStore { return &fullStore{Store: c.store, left: times} }
	c.startWorker(t, func(o *WorkOptions) { o.Store = full(3) })
	var log logRecorder
	o := c.options()
	o.Logf = log.logf
	c.wantTable(t, 4, false, o)
	if !log.has("the worker process", store.ErrFull.Error()) {
		t.Errorf("the coordinator says %q", log.all)
	}

	other := newTestCluster(t)
	space := newSpace(t, 4)
	o = other.options()
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	solved := make(chan error, 1)
	go func() {
		solved <- solve(coordinator.Context(), filepath.Join(t.TempDir(), "table.tb"), space, retro.Options{Scheduler: coordinator})
	}()
	never := WorkOptions{Options: other.options()}
	never.Store = &fullStore{Store: other.store, left: 1 << 40}
	if err := Work(t.Context(), never); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "tasks in a row have failed") {
		t.Errorf("the error of the worker is %v", err)
	}
	coordinator.Fail(ErrStopped)
	if err := <-solved; !errors.Is(err, ErrStopped) {
		t.Errorf("the error of the solve is %v", err)
	}
}

// fullStore is full for the first left calls of Put.
type fullStore struct {
	store.Store
	left int64
}

func (f *fullStore) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	if atomic.AddInt64(&f.left, -1) >= 0 {
		return fmt.Errorf("cannot put %s: %w", name, store.ErrFull)
	}
	return f.Store.Put(ctx, name, r, size)
}

// The sweep finds tasks and completions that NATS has lost.
func TestLostTasks(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
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

// A solve can be watched, stopped and resumed.
func TestStatusAndStop(t *testing.T) {
	c := newTestCluster(t)
	for _, name := range []string{"NATS_USER", "NATS_PASSWORD"} {
		t.Setenv(name, c.server.Getenv(name))
	}
	url := c.server.URL()
	if s, err := ReadStatus(t.Context(), url); err != nil || s.Solve != nil || s.Coordinator != nil || len(s.Workers) != 0 {
		t.Errorf("before the first solve: %+v, %v", s, err)
	}
	if _, err := Stop(t.Context(), url); !errors.Is(err, ErrIdle) {
		t.Errorf("a missing solve is stopped: %v", err)
	}
	space, path := newSpace(t, 5), filepath.Join(t.TempDir(), "table.tb")
	reached, goOn := make(chan bool), make(chan bool)
	var once sync.Once
	c.startWorker(t, func(o *WorkOptions) {
		o.onTask = func(class, _ int) {
			if class == 4 {
				once.Do(func() { close(reached); <-goOn })
			}
		}
	})
	solved := make(chan error, 1)
	go func() { solved <- coordinate(t.Context(), path, space, true, c.options()) }()
	<-reached
	var s *Status
	for range 100 {
		var err error
		if s, err = ReadStatus(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		if s.Progress != nil && s.Progress.Class == 4 && len(s.Workers) == 1 && s.Workers[0].Class == 4 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if s.Solve == nil || s.Solve.Board() != "notakto 5×5 with steps" || s.Solve.Class != 4 || s.Coordinator == nil || s.Coordinator.PID != os.Getpid() {
		t.Errorf("the solve is %+v by %v", s.Solve, s.Coordinator)
	}
	if p := s.Progress; p == nil || p.Class != 4 || p.Tasks < 2 || p.Decided == 0 || p.Decided >= p.States || p.PerSecond <= 0 || p.Left <= 0 {
		t.Errorf("the progress is %+v", p)
	}
	if len(s.Workers) != 1 || s.Workers[0].Class != 4 || s.Workers[0].Tasks == 0 || s.Workers[0].Written == 0 || s.Workers[0].Busy() <= 0 || s.Workers[0].Busy() > 1 {
		t.Errorf("the workers are %+v", s.Workers)
	}
	stopped, err := Stop(t.Context(), url)
	if err != nil || stopped.Board() != "notakto 5×5 with steps" {
		t.Errorf("stopped: %+v, %v", stopped, err)
	}
	if err := <-solved; !errors.Is(err, ErrStopped) {
		t.Errorf("the error is %v", err)
	}
	close(goOn)
	if s, err = ReadStatus(t.Context(), url); err != nil || s.Solve == nil || s.Coordinator != nil {
		t.Errorf("after the stop: %+v, %v", s, err)
	}
	if err := coordinate(t.Context(), path, space, true, c.options()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
}

// Invalid addresses, addresses with secrets and unreachable servers are refused.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, says := range map[string]string{
		"":                            "no address of NATS",
		"host:4222":                   "no address of NATS",
		"http://host:4222":            "no address of NATS",
		"nats://":                     "no address of NATS",
		"nats://me:secret@host:4222":  "give nats://host:4222, and set $NATS_CREDS",
		"nats://token@host:4222":      "give nats://host:4222, and set $NATS_CREDS",
		"http://me:secret@host:4222/": "no address of NATS",
	} {
		err := CheckURL(address)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"nats://host:4222", "tls://host", "wss://host/path"} {
		if err := CheckURL(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := ReadStatus(t.Context(), "nats://127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "cannot reach NATS at nats://127.0.0.1:1") {
		t.Errorf("unreachable: %v", err)
	}
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

func setClass(class int) func(s *Solve) { return func(s *Solve) { s.Class = class } }

// A deleted record differs from one that NATS has lost.
func TestLostRecord(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), newSpace(t, 3)
	first, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	j := &job{conn: first.conn, solve: &first.record.solve}
	purge := func() {
		t.Helper()
		stream, err := first.conn.js.Stream(t.Context(), "KV_"+stateBucket)
		if err == nil {
			err = stream.Purge(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	wants := func(what string, over bool, cause error) {
		t.Helper()
		if is, err := j.isOver(t.Context()); is != over || !errors.Is(err, cause) {
			t.Errorf("%s: it is over: %v, %v", what, is, err)
		}
	}
	wants("in work", false, nil)
	purge()
	wants("lost", false, errRecordLost)
	if err := first.record.update(t.Context(), setClass(7)); err != nil || first.record.solve.Class != 7 {
		t.Errorf("the record is not written again: %v", err)
	}
	wants("written again", false, nil)
	purge()
	if err := first.record.ensure(t.Context()); err != nil {
		t.Error(err)
	}
	wants("written again", false, nil)
	if err := first.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	wants("deleted", true, nil)
	if err := first.record.update(t.Context(), setClass(5)); !errors.Is(err, ErrReplaced) {
		t.Errorf("a deleted record is written again: %v", err)
	}
	if err := first.record.ensure(t.Context()); !errors.Is(err, ErrReplaced) {
		t.Errorf("a deleted record is written again: %v", err)
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
	over := Solve{ID: newID()}
	for first := range 5 {
		g := group{subclass: subclass{class: 3}, first: first, blocks: 1}
		if _, err := coordinator.conn.js.Publish(t.Context(), over.taskSubject(g), encoded(newTask(&over, g))); err != nil {
			t.Fatal(err)
		}
	}
	c.startWorker(t, nil)
	path := filepath.Join(t.TempDir(), "table.tb")
	if err := solve(coordinator.Context(), path, space, retro.Options{Scheduler: coordinator}); err != nil {
		t.Fatal(err)
	}
	if err := coordinator.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.wantEmpty(t)
}
