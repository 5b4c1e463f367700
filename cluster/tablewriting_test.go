package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"backsolve/cluster/store"
	"backsolve/game/games"
)

// openingStore is a store with another OpenFile.
type openingStore struct {
	*hookedStore
	open func(name string, flag int) (*os.File, error)
}

func (s *openingStore) OpenFile(name string, flag int) (*os.File, error) { return s.open(name, flag) }

// startOpening starts a worker that calls before with each file that it opens to write, and opens
// what that returns.
func (c *testCluster) startOpening(t *testing.T, before func(name string) string) {
	t.Helper()
	c.startWorker(t, func(o *WorkOptions) {
		below := &hookedStore{c.store, c.store.Put}
		o.Store = &openingStore{below, func(name string, flag int) (*os.File, error) {
			if flag == os.O_WRONLY {
				name = before(name)
			}
			return below.OpenFile(name, flag)
		}}
	})
}

// A worker whose writes do not reach the table is found by who reads them back. It gets no more
// work.
func TestLostWrites(t *testing.T) {
	for _, of := range []string{"blocks", "shards"} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			if err := os.WriteFile(filepath.Join(c.place, "elsewhere"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			o := WorkOptions{Options: c.options(), Threads: 1}
			below := &hookedStore{c.store, c.store.Put}
			o.Store = &openingStore{below, func(name string, flag int) (*os.File, error) {
				if flag == os.O_WRONLY {
					name = "elsewhere"
				}
				return below.OpenFile(name, flag)
			}}
			ended := make(chan error, 1)
			go func() { ended <- Work(t.Context(), o) }()
			coordinator := c.quarantining(t, 0)
			if coordinator.ShardBytes = 200; of == "shards" {
				c.wantShards(t, "quixo:3", true, coordinator)
			} else {
				c.wantTable(t, 4, true, coordinator)
			}
			if err := <-ended; !errors.Is(err, ErrFaulty) {
				t.Errorf("the worker ended with: %v", err)
			}
		})
	}
}

// If a store loses some of what is written into the table, workers are not blamed: it is written again.
func TestSomeLostWrites(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	if err := os.WriteFile(filepath.Join(c.place, "elsewhere"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var opened atomic.Int64
	c.startOpening(t, func(name string) string {
		if n := opened.Add(1); n%8 == 3 && n < 60 {
			return "elsewhere"
		}
		return name
	})
	o, log := c.logged()
	o.ShardBytes = 200
	c.wantTable(t, 4, true, o)
	if !log.has("differs from what was written") || log.has("is wrong") {
		t.Errorf("the coordinator says %q", log.all)
	}
}

// An object that is lost before it is written into the table is solved again.
func TestLostBeforeWriting(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	var opened atomic.Int64
	c.startOpening(t, func(name string) string {
		if opened.Add(1) == 20 {
			for object, err := range c.store.List(t.Context(), "") {
				if err == nil && filepath.Base(filepath.Dir(object)) != "." {
					c.store.Delete(t.Context(), object)
				}
			}
		}
		return name
	})
	o, log := c.logged()
	o.ShardBytes = 200
	c.wantTable(t, 4, true, o)
	if !log.has("/class-", "no such object", "it is made again") {
		t.Errorf("no object was lost: %q", log.all)
	}
}

// A coordinator that ends while a class is being written is resumed by the next one. What workers
// had written is written again, as it may be cut off.
func TestStoppedWhileWriting(t *testing.T) {
	for _, board := range []string{"notakto:4", "quixo:4x2"} {
		for _, here := range []bool{false, true} {
			name := fmt.Sprintf("%s, by the coordinator: %v", strings.ReplaceAll(board, ":", " "), here)
			t.Run(name, func(t *testing.T) { testStoppedWhileWriting(t, board, here) })
		}
	}
}

// readingStore is a store in which no worker can write the table, and that tells of the states that are read.
type readingStore struct {
	closed
	reads func()
}

func (s readingStore) Get(ctx context.Context, name string) (*store.Reader, error) {
	if strings.Contains(name, "/blocks-") {
		s.reads()
	}
	return s.closed.Get(ctx, name)
}

func testStoppedWhileWriting(t *testing.T, board string, here bool) {
	t.Parallel()
	name, size, _, err := games.Named(board)
	if err != nil {
		t.Fatal(err)
	}
	c, space := newTestCluster(t), namedSpace(t, name, size)
	path := filepath.Join(t.TempDir(), "table.tb")
	var written atomic.Int64
	stops := make(chan struct{}, 3)
	writes := func() {
		if n := written.Add(1); n == 3 || n == 7 || n == 55 {
			stops <- struct{}{}
		}
	}
	o := c.options()
	o.ShardBytes = 200
	if here {
		c.startWorker(t, nil)
		o.Store = readingStore{closed{c.store}, writes}
	} else {
		c.startOpening(t, func(name string) string { writes(); return name })
	}
	for tries := 0; ; tries++ {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			select {
			case <-stops:
				cancel()
			case <-ctx.Done():
			}
		}()
		err := coordinate(ctx, path, space, true, o)
		cancel()
		if err == nil {
			if tries < 2 {
				t.Errorf("the coordinator was stopped %d times", tries)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	if string(bytesIn(t, path)) != string(localTable(t, space, true)) {
		t.Error("the table differs")
	}
}
