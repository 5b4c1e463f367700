package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/cluster/local"
	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase/writer"
)

// quick is a timing by which faults are seen soon.
var quick = Timing{AckWait: time.Second, Alive: 1200 * time.Millisecond, Sweep: 100 * time.Millisecond, RetryFor: time.Minute}

// few is how large groups are in tests, so that there are many: some hundred of Notakto 5×5
// with steps.
const few = 12 << 10

// cell is a NATS server and a store of a test.
type cell struct {
	server *local.Server
	place  string
	store  store.Store
	timing Timing
}

func newCell(t *testing.T) *cell {
	t.Helper()
	server, err := local.Start(filepath.Join(t.TempDir(), "nats"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	c := &cell{server: server, place: filepath.Join(t.TempDir(), "store"), timing: quick}
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

// options are those of who takes part in the cell.
func (c *cell) options() Options {
	return Options{URL: c.server.URL(), Getenv: c.server.Getenv, Store: c.store, Version: "1", GroupBytes: few, Timing: c.timing}
}

func newSpace(t testing.TB, n int) *partition.Space {
	t.Helper()
	return spaceAfter(t, n, 0)
}

// solve solves a board into a file, by a scheduler, or by this process if it is nil.
func solve(ctx context.Context, path string, space *partition.Space, o retro.Options) error {
	w, err := writer.Create(path, probe.Shape(space, o.Steps), false)
	if err != nil {
		return err
	}
	defer w.Close()
	_, err = retro.Solve(ctx, space, w, o)
	return err
}

// plain returns the table that one process makes.
func plain(t *testing.T, space *partition.Space, steps bool) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plain.tb")
	if err := solve(t.Context(), path, space, retro.Options{Steps: steps}); err != nil {
		t.Fatal(err)
	}
	return contents(t, path)
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// coordinate solves a board by the workers of a cluster.
func coordinate(ctx context.Context, path string, space *partition.Space, steps bool, o Options) error {
	how := retro.Options{Steps: steps}
	c, err := Begin(ctx, space, NewSolve(space, how), o)
	if err != nil {
		return err
	}
	defer c.Close()
	how.Scheduler = c
	if err := solve(c.Context(), path, space, how); err != nil {
		return err
	}
	return c.Finish(ctx)
}

// employ has a worker of this process work until the test ends, or until quit is called,
// which returns what it ended with.
func (c *cell) employ(t *testing.T, change func(o *WorkOptions)) (quit func() error) {
	t.Helper()
	o := WorkOptions{Options: c.options(), Threads: 2}
	if change != nil {
		change(&o)
	}
	return employ(t, o)
}

// employ is the same with all options of the worker.
func employ(t *testing.T, o WorkOptions) (quit func() error) {
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

// wantTable solves a board by the workers of the cell and compares the table.
func (c *cell) wantTable(t *testing.T, n int, steps bool, o Options) {
	t.Helper()
	space, path := newSpace(t, n), filepath.Join(t.TempDir(), "table.tb")
	if err := coordinate(t.Context(), path, space, steps, o); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, path), plain(t, space, steps)) {
		t.Errorf("notakto %d, steps %v: it is another table", n, steps)
	}
}

// wantNothing waits until nothing is left in the store, nor in NATS.
func (c *cell) wantNothing(t *testing.T) {
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
		t.Errorf("the store still has %s", strings.Join(left, ", "))
	}
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	if err := conn.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stream, err := conn.js.Stream(t.Context(), taskStream); err != nil || stream.CachedInfo().State.Msgs > 0 {
		t.Errorf("there are still tasks: %+v, %v", stream.CachedInfo().State, err)
	}
	all, err := getAll[json.RawMessage](t.Context(), conn.state, ">")
	if err != nil || len(all) > 0 {
		t.Errorf("the state still has %v, %v", all, err)
	}
}

// sayings collects what is said.
type sayings struct {
	lock sync.Mutex
	all  []string
}

func (s *sayings) logf(format string, args ...any) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.all = append(s.all, fmt.Sprintf(format, args...))
}

// has reports whether something was said that has all of the words in it.
func (s *sayings) has(words ...string) bool {
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

// solving solves Notakto 5×5 with steps by the workers of the cell, in the background, and
// returns what waits for it and compares the table.
func (c *cell) solving(t *testing.T) (wait func()) {
	space, path := newSpace(t, 5), filepath.Join(t.TempDir(), "table.tb")
	done := make(chan error, 1)
	go func() { done <- coordinate(t.Context(), path, space, true, c.options()) }()
	return func() {
		t.Helper()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(contents(t, path), plain(t, space, true)) {
			t.Error("it is another table")
		}
	}
}

// until waits for something that must come.
func until(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !there(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in a minute this has not come: %s", what)
		}
	}
}
