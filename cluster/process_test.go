//go:build unix

package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"backsolve/cluster/store"
	"backsolve/game"
	"backsolve/retro/outofcore"
)

// child describes what this test binary does as a child process.
type child struct {
	Do    string // work, coordinate or serve
	URL   string
	Place string // of the store
	// Pause makes a worker create a file in the At-th task, and wait until that is deleted. It does
	// so at the beginning of the task, or before the upload if Late.
	Pause string
	At    int
	Late  bool
	// Die makes a worker die when it has taken a task of a class.
	Die   int
	Path  string // of the table
	Game  string // notakto if empty
	N     int
	Taken uint64
	// Usual makes a worker keep the usual times.
	Usual bool
	// Record is a file to which a worker adds its processor time as it begins a task, after the task.
	Record string
	// Memory is the limit of a worker's memory, 0 for a GiB.
	Memory int64
	// Stream makes the coordinator keep no table.
	Stream bool
	Dir    string // of the server
	Port   int
}

const childVariable = "BACKSOLVE_TEST_CHILD"

func TestMain(m *testing.M) {
	callTimeout = 2 * time.Second
	if text := os.Getenv(childVariable); text != "" {
		var e child
		err := json.Unmarshal([]byte(text), &e)
		if err == nil {
			err = e.run()
		}
		fmt.Fprintln(os.Stderr, e.Do, "ended:", err)
		os.Exit(1)
	}
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		f.Value.Set("8") // most tests wait for timeouts
	}
	os.Exit(m.Run())
}

func (e *child) run() error {
	ctx := context.Background()
	if e.Do == "serve" {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: e.Port, JetStream: true, StoreDir: e.Dir, NoLog: true, NoSigs: true})
		if err != nil {
			return err
		}
		s.Start()
		if !s.ReadyForConnections(time.Second) || !s.JetStreamEnabled() { // it has no log
			return fmt.Errorf("NATS did not start at port %d in %s", e.Port, e.Dir)
		}
		s.WaitForShutdown()
		return nil
	}
	place, err := store.Open(ctx, e.Place)
	if err != nil {
		return err
	}
	logf := func(_ slog.Level, format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	o := Options{URL: e.URL, Store: place, Version: "1", ShardBytes: smallShards, Logf: logf, timing: quick}
	if e.Do == "work" {
		how := WorkOptions{Options: o, Threads: 1}
		if e.Usual {
			how.timing, how.Logf, how.Memory = timing{}, nil, cmp.Or(e.Memory, 1<<30)
		}
		if e.Late {
			how.Store = &pausingStore{place, e.pause()}
		} else {
			pause := e.pause()
			how.onTask = func(class, _ int) {
				if e.Die > 0 && class == e.Die {
					os.Exit(9)
				}
				pause()
			}
		}
		if e.Record != "" {
			f, err := os.Create(e.Record)
			if err != nil {
				return err
			}
			how.onTask = func(class, first int) { fmt.Fprintln(f, class, first, ownSeconds(nil, syscall.RUSAGE_SELF)) }
		}
		return Work(ctx, how)
	}
	space, err := (&Solve{Game: cmp.Or(e.Game, "notakto"), Size: game.Size(e.N), Taken: e.Taken}).space()
	if err != nil {
		return err
	}
	if e.Stream {
		o.ShardBytes = tinyObjects
		_, err := coordinateStream(ctx, space, 1, false, o, outofcore.Options{})
		return err
	}
	o.Expect = 2 // shards
	if err := coordinate(ctx, e.Path, space, e.Game == "", o); err != nil {
		return err
	}
	os.Exit(0)
	return nil
}

// pause returns a function that pauses in its At-th call.
func (e *child) pause() func() {
	var calls atomic.Int64 // several goroutines upload objects
	return func() {
		if calls.Add(1) == int64(e.At) {
			os.WriteFile(e.Pause, nil, 0o666)
			for fileThere(e.Pause) {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}
}

// pausingStore is a store that pauses before Put.
type pausingStore struct {
	store.Store
	pause func()
}

func (p *pausingStore) Put(ctx context.Context, name string, data ...[]byte) error {
	p.pause()
	return p.Store.Put(ctx, name, data...)
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// startChild starts a child process. It is killed when the test ends.
func startChild(t *testing.T, e child, environment ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(append(os.Environ(), childVariable+"="+string(encoded(e))), environment...)
	cmd.Stderr = &testLog{t: t}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

// testLog is a writer to the log of a test.
type testLog struct {
	t   *testing.T
	all string
}

func (l *testLog) Write(b []byte) (int, error) {
	l.all += string(b)
	l.t.Log(strings.TrimSpace(string(b)))
	return len(b), nil
}

// kill kills a process with SIGKILL.
func kill(cmd *exec.Cmd) {
	cmd.Process.Kill()
	cmd.Wait()
}

// startPausing starts a worker, and returns it when it pauses in its third task.
func (c *testCluster) startPausing(t *testing.T, late bool) (worker *exec.Cmd, pause string) {
	pause = filepath.Join(t.TempDir(), "pause")
	worker = startChild(t, child{Do: "work", URL: c.server.URL(), Place: c.place, Pause: pause, At: 3, Late: late}, c.server.Environment()...)
	waitFor(t, "the worker's third task", func() bool { return fileThere(pause) })
	return worker, pause
}

// Another worker does the tasks of a killed worker.
func TestKilledWorker(t *testing.T) {
	for name, solve := range solves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			wait := solve(c, t)
			for _, late := range []bool{false, true} {
				worker, _ := c.startPausing(t, late)
				kill(worker)
			}
			c.startWorker(t, nil)
			wait()
			c.wantEmpty(t)
		})
	}
}

// A suspended worker does no harm when it wakes up: another one has done its task, its class may be
// deleted, and it deletes what it uploads late.
func TestSleepingWorker(t *testing.T) {
	for name, solve := range solves {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", late ", late), func(t *testing.T) {
				t.Parallel()
				c := newTestCluster(t)
				wait := solve(c, t)
				worker, pause := c.startPausing(t, late)
				if err := worker.Process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(pause); err != nil { // it continues as soon as it wakes up
					t.Fatal(err)
				}
				quit := c.startWorker(t, nil)
				wait()
				quit()
				if err := worker.Process.Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
				// It is the only worker of the next solve.
				if name == "stream" {
					c.wantStream(t, spaceAfter(t, 4, 1), 2, true, c.options())
				} else {
					c.wantTable(t, 4, true, c.options())
				}
				c.wantEmpty(t)
			})
		}
	}
}

// A killed coordinator is started again, with its table or, as on another machine, without.
func TestKilledCoordinator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	for _, elsewhere := range []bool{false, true} {
		t.Run(fmt.Sprint("elsewhere ", elsewhere), func(t *testing.T) {
			t.Parallel()
			c, space := newTestCluster(t), newSpace(t, 5)
			want := localTable(t, space, true)
			c.startWorker(t, func(o *WorkOptions) {
				o.onTask = func(class, _ int) {
					if class <= 4 { // time to kill the coordinator
						time.Sleep(25 * time.Millisecond)
					}
				}
			})
			e := child{Do: "coordinate", URL: c.server.URL(), Place: c.place, N: 5}
			e.Path = filepath.Join(t.TempDir(), "table.tb")
			for _, class := range []int{6, 4, 3} {
				coordinator := startChild(t, e, c.server.Environment()...)
				waitFor(t, fmt.Sprint("class ", class), func() bool { return c.class(t) <= class })
				kill(coordinator)
				if elsewhere {
					e.Path = filepath.Join(t.TempDir(), "table.tb")
				}
			}
			if err := coordinate(t.Context(), e.Path, space, true, c.options()); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(bytesIn(t, e.Path), want) {
				t.Error("the table differs")
			}
			c.wantEmpty(t)
		})
	}
}

// So is one of a solve in shards. It goes on in the round in which it was killed.
func TestShardsKilledCoordinator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	c, space := newTestCluster(t), namedSpace(t, "quixo", 3)
	want := localTable(t, space, false)
	for range 2 {
		c.startWorker(t, func(o *WorkOptions) {
			o.onTask = func(int, int) { time.Sleep(25 * time.Millisecond) } // time to kill the coordinator
		})
	}
	e := child{Do: "coordinate", URL: c.server.URL(), Place: c.place, Game: "quixo", N: 3, Path: filepath.Join(t.TempDir(), "table.tb")}
	for i, class := range []int{7, 5, 4, 2} {
		coordinator := startChild(t, e, c.server.Environment()...)
		waitFor(t, fmt.Sprint("class ", class), func() bool { return c.class(t) <= class })
		time.Sleep(time.Duration(i) * 100 * time.Millisecond)
		kill(coordinator)
		if i == 1 {
			e.Path = filepath.Join(t.TempDir(), "table.tb") // elsewhere
		}
	}
	o := c.options()
	o.Expect = 2
	if err := coordinate(t.Context(), e.Path, space, false, o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, e.Path), want) {
		t.Error("the table differs")
	}
	c.wantEmpty(t)
}

// A killed coordinator is started again, anywhere: the store has what it needs.
func TestStreamsKilledCoordinator(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	c.startWorker(t, func(o *WorkOptions) {
		o.onTask = func(int, int) { time.Sleep(25 * time.Millisecond) } // time to kill the coordinator
	})
	for _, class := range []int{6, 4, 3} {
		coordinator := startChild(t, child{Do: "coordinate", URL: c.server.URL(), Place: c.place, N: 5, Taken: 1 << 12, Stream: true}, c.server.Environment()...)
		waitFor(t, fmt.Sprint("class ", class), func() bool { return c.class(t) <= class })
		kill(coordinator)
	}
	o := c.options()
	o.ShardBytes = tinyObjects
	got, err := coordinateStream(t.Context(), space, 1, false, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, localResult(t, space)) || got.Resumed == 0 {
		t.Errorf("the result differs, or it started over: it resumed after %d classes", got.Resumed)
	}
	c.wantEmpty(t)
}

// class returns the class in progress, a high one before the first.
func (c *testCluster) class(t *testing.T) int {
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	if conn.open(t.Context()) != nil {
		return 99
	}
	solve, err := getKey[Solve](t.Context(), conn.state, solveKey)
	if err != nil {
		t.Fatal(err)
	}
	if solve == nil || solve.Class < 0 {
		return 99
	}
	return solve.Class
}

// A poison task ends the solve, and is tried again when that is resumed.
func TestPoisonTask(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for redeliveries")
	}
	t.Parallel()
	c := newTestCluster(t)
	c.timing.AckWait = 600 * time.Millisecond // a task that waits for a processor is not delivered twice
	space, path := newSpace(t, 4), filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	go func() { done <- coordinate(t.Context(), path, space, true, c.options()) }()
	lost := 0
	var err error
	for ended := false; !ended; {
		worker := startChild(t, child{Do: "work", URL: c.server.URL(), Place: c.place, Die: 5}, c.server.Environment()...)
		exited := make(chan struct{})
		go func() { worker.Wait(); close(exited) }()
		select {
		case <-exited:
			if lost++; lost > 3*maxAttempts {
				t.Fatalf("%d workers were lost, and it continues", lost)
			}
		case err = <-done:
			ended = true
			worker.Process.Kill() // it would die with a task of the next coordinator, too
			<-exited
		}
	}
	if !errors.Is(err, ErrWorkersLost) || !strings.Contains(err.Error(), "of class 5") || lost < maxAttempts {
		t.Errorf("after %d workers the error is %v", lost, err)
	}
	c.startWorker(t, nil)
	if err := coordinate(t.Context(), path, space, true, c.options()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, true)) {
		t.Error("the table differs")
	}
	c.wantEmpty(t)
}
