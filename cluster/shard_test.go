package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"backsolve/game"
)

// solveShards solves Quixo 3×3 in shards with the workers of the cluster, in the background. It
// returns a function that waits for the solve and compares the table.
func (c *testCluster) solveShards(t *testing.T) (wait func()) {
	o := c.options()
	o.Expect, o.Own = 3, true
	done := make(chan bool)
	go func() {
		defer close(done)
		c.wantShards(t, "quixo", 3, o)
	}()
	return func() { <-done }
}

// wantShards solves a board in shards with the workers of the cluster, and compares the table.
func (c *testCluster) wantShards(t *testing.T, name string, size game.Size, o Options) {
	t.Helper()
	space, path := namedSpace(t, name, int(size)), filepath.Join(t.TempDir(), "table.tb")
	if err := coordinate(t.Context(), path, space, false, o); err != nil {
		t.Error(err)
	} else if !bytes.Equal(contents(t, path), localTable(t, space, false)) {
		t.Errorf("%s %v: the table differs", name, size)
	}
}

// Any number of workers makes the same table in shards, and nothing is left of the solve.
func TestShards(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && workers != 2 {
				t.Skip("takes long")
			}
			c := newTestCluster(t)
			for range workers {
				c.startWorker(t, nil)
			}
			o := c.options()
			o.Expect = workers
			c.wantShards(t, "quixo", 3, o)
			c.wantShards(t, "tictactoe", 3, o)
			c.wantEmpty(t)
		})
	}
}

// What shards labelled, or the outcomes of a section, may be lost or damaged at any time. It is made
// again.
func TestDamagedShards(t *testing.T) {
	for name, damage := range damages {
		for _, what := range []string{"class-05/labels/round-001/", "class-05/blocks-"} {
			t.Run(name+" "+filepath.Base(what), func(t *testing.T) {
				t.Parallel()
				c := newTestCluster(t)
				var once sync.Map
				harmful := &hookedStore{filesOf{c.store}, func(ctx context.Context, name string, data ...[]byte) error {
					err := c.store.Put(ctx, name, data...)
					if _, again := once.LoadOrStore(name, true); err != nil || again || !strings.Contains(name, what) {
						return err
					}
					file := filepath.Join(c.place, name+".object")
					b, err := os.ReadFile(file)
					if b = damage(b); err == nil && b == nil {
						return os.Remove(file)
					}
					return errors.Join(err, os.WriteFile(file, b, 0o644))
				}}
				for range 2 {
					c.startWorker(t, func(o *WorkOptions) { o.Store = harmful })
				}
				var log logRecorder
				o := c.options()
				o.Expect, o.Logf = 2, log.logf
				c.wantShards(t, "quixo", 3, o)
				if !log.has("class-05/", "made again") {
					t.Errorf("it is not logged: %q", log.all)
				}
				c.wantEmpty(t)
			})
		}
	}
}
