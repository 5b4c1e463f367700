package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/game/games"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/tablebase/writer"
)

// quick is a timing that detects faults soon.
var quick = timing{AckWait: time.Second, Alive: 1200 * time.Millisecond, Sweep: 100 * time.Millisecond, RetryFor: time.Minute}

// smallShards is a shard size that makes some hundred shards of Notakto 5×5 with steps.
const smallShards = 12 << 10

// testCluster is a NATS server and a store.
type testCluster struct {
	server *local.Server
	place  string
	store  store.Store
	timing timing
}

func newTestCluster(t *testing.T) *testCluster {
	t.Helper()
	server, err := local.Start(filepath.Join(t.TempDir(), "nats"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	c := &testCluster{server: server, place: filepath.Join(t.TempDir(), "store"), timing: quick}
	c.store = openStore(t, c.place)
	return c
}

func openStore(t *testing.T, place string) store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// options returns the options of a coordinator or worker.
func (c *testCluster) options() Options {
	return Options{URL: c.server.URL(), Getenv: c.server.Getenv, Store: c.store, Version: "1", ShardBytes: smallShards, timing: c.timing}
}

// logged returns the options of a coordinator, and what it logs.
func (c *testCluster) logged() (Options, *logRecorder) {
	o, log := c.options(), new(logRecorder)
	o.Logf = log.logf
	return o, log
}

// begin begins a solve of Notakto 4×4, and solves it in the background until the test ends.
func (c *testCluster) begin(t *testing.T, o Options) (*Coordinator, <-chan error) {
	t.Helper()
	space := newSpace(t, 4)
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(coordinator.Close)
	path, solved := filepath.Join(t.TempDir(), "table.tb"), make(chan error, 1)
	go func() {
		solved <- solve(coordinator.Context(), path, space, retro.Options{Scheduler: coordinator.Solve})
	}()
	return coordinator, solved
}

// namedSpace returns the space of a game and size.
func namedSpace(t testing.TB, name string, size int) *partition.Space {
	t.Helper()
	rules, err := games.NewGrid(name, size)
	if err != nil {
		t.Fatal(err)
	}
	space, err := partition.NewAfter(rules, 0)
	if err != nil {
		t.Fatal(err)
	}
	return space
}

func newSpace(t testing.TB, n int) *partition.Space {
	t.Helper()
	return spaceAfter(t, n, 0)
}

// solve solves a board into a file.
func solve(ctx context.Context, path string, space *partition.Space, o retro.Options) error {
	w, err := writer.Create(path, probe.Shape(space, o.Steps), false)
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = retro.Solve(ctx, space, w, o)
	return err
}

// localTable returns the table that a single process makes.
func localTable(t *testing.T, space *partition.Space, steps bool) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain.tb")
	if err := solve(t.Context(), path, space, retro.Options{Steps: steps}); err != nil {
		t.Fatal(err)
	}
	return bytesIn(t, path)
}

func bytesIn(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// closed is a store in which no worker can write the table.
type closed struct{ store.Store }

func (closed) Locate(string) string { return "" }

// coordinate solves a board with the workers of a cluster.
func coordinate(ctx context.Context, path string, space *partition.Space, steps bool, o Options) error {
	how, made := retro.Options{Steps: steps}, path
	if o.Store.Locate(o.Store.String()) != "" { // workers can write the table
		made = filepath.Join(o.Store.String(), filepath.Base(filepath.Dir(path))+"-table.tb")
	}
	c, err := Begin(ctx, space, NewSolve(space, how), o)
	if err != nil {
		return err
	}
	defer c.Close()
	how.Scheduler = c.Solve
	if err := solve(c.Context(), made, space, how); err != nil {
		return err
	}
	if made != path {
		b, err := os.ReadFile(made)
		if err := errors.Join(err, os.WriteFile(path, b, 0o644), os.Remove(made)); err != nil {
			return err
		}
	}
	return c.Finish(ctx)
}

// startWorker runs a worker in this process until the test ends, or until quit is called, which
// returns the worker's error.
func (c *testCluster) startWorker(t *testing.T, change func(o *WorkOptions)) (quit func() error) {
	t.Helper()
	o := WorkOptions{Options: c.options(), Threads: 2}
	if change != nil {
		change(&o)
	}
	return startWorker(t, o)
}

// startWorker does that with all options.
func startWorker(t *testing.T, o WorkOptions) (quit func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Work(ctx, o) }()
	quit = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := quit(); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("a worker ended with: %v", err)
		}
	})
	return quit
}

// wantTable solves a board with the workers of the cluster, and compares the table.
func (c *testCluster) wantTable(t *testing.T, n int, steps bool, o Options) {
	t.Helper()
	space, path := newSpace(t, n), filepath.Join(t.TempDir(), "table.tb")
	if err := coordinate(t.Context(), path, space, steps, o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, steps)) {
		t.Errorf("notakto %d, steps %v: the table differs", n, steps)
	}
}

// wantEmpty waits until the store and NATS have nothing of a solve.
func (c *testCluster) wantEmpty(t *testing.T) {
	t.Helper()
	var left []string
	for range 100 {
		left = nil
		for name, err := range c.store.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			left = append(left, name)
		}
		if len(left) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("the store has %s", strings.Join(left, ", "))
	}
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	if err := conn.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stream, err := conn.js.Stream(t.Context(), taskStream); err != nil || stream.CachedInfo().State.Msgs > 0 {
		t.Errorf("the queue has tasks: %+v, %v", stream.CachedInfo().State, err)
	}
	all, err := getAll[json.RawMessage](t.Context(), conn.state, ">")
	if err != nil || len(all) > 0 {
		t.Errorf("the state has %v, %v", all, err)
	}
}

// logRecorder records log messages.
type logRecorder struct {
	lock sync.Mutex
	all  []string
}

func (s *logRecorder) logf(_ slog.Level, format string, args ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.all = append(s.all, fmt.Sprintf(format, args...))
}

// has reports whether some message contains all words.
func (s *logRecorder) has(words ...string) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, text := range s.all {
		found := true
		for _, word := range words {
			found = found && strings.Contains(text, word)
		}
		if found {
			return true
		}
	}
	return false
}

// solveTable solves Notakto 5×5 with steps with the workers of the cluster, in the background. It
// returns a function that waits for the solve and compares the table.
func (c *testCluster) solveTable(t *testing.T) (wait func()) {
	space, path := newSpace(t, 5), filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	go func() { done <- coordinate(t.Context(), path, space, true, c.options()) }()
	return func() {
		t.Helper()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytesIn(t, path), localTable(t, space, true)) {
			t.Error("the table differs")
		}
	}
}

// solves are the kinds of solves.
var solves = map[string]func(c *testCluster, t *testing.T) (wait func()){"table": (*testCluster).solveTable, "stream": (*testCluster).solveStream, "shards": (*testCluster).solveShards}

// waitFor waits for an event.
func waitFor(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timeout after a minute: %s", what)
		}
	}
}

// freeAddress returns an unused address of this machine. Its port is none of those that systems
// give to whoever asks for any, so nobody takes it before its server listens, or while that is down.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10_000+rand.IntN(22_000)))
		if err == nil {
			defer listener.Close()
			return listener.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}
