package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/game/games"
	"backsolve/retro"
)

// solveShards solves Quixo 3×3 in shards with the workers of the cluster, in the background. It
// returns a function that waits for the solve and compares the table.
func (c *testCluster) solveShards(t *testing.T) (wait func()) {
	o := c.options()
	o.Expect, o.Own = 3, true
	done := make(chan bool)
	go func() {
		defer close(done)
		c.wantShards(t, "quixo:3", false, o)
	}()
	return func() { <-done }
}

// wantShards solves a board in shards with the workers of the cluster, and compares the table.
func (c *testCluster) wantShards(t *testing.T, board string, steps bool, o Options) {
	t.Helper()
	name, size, _, err := games.Named(board)
	if err != nil {
		t.Error(err)
		return
	}
	space, path := namedSpace(t, name, size), filepath.Join(t.TempDir(), "table.tb")
	if err := coordinate(t.Context(), path, space, steps, o); err != nil {
		t.Error(err)
	} else if !bytes.Equal(bytesIn(t, path), localTable(t, space, steps)) {
		t.Errorf("%s: the table differs", board)
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
			c.wantShards(t, "quixo:3", false, o)
			c.wantShards(t, "quixo:3", true, o)
			c.wantShards(t, "tictactoe:3", false, o)
			if workers == 2 {
				c.wantShards(t, "quixo:4x3", true, o)
			}
			c.wantEmpty(t)
		})
	}
}

// Two workers solve the fullest classes of boards of 27 and 28 cells into the same bytes as one process.
func TestFullestClassesByTwoWorkers(t *testing.T) {
	if os.Getenv("BACKSOLVE_LONG") == "" || testing.Short() {
		t.Skip("takes minutes; set BACKSOLVE_LONG=1, without the race detector, to run it")
	}
	for _, of := range []struct {
		board  string
		downTo int
		steps  bool
	}{{"quixo:4x7", 27, false}, {"quixo:4x7", 27, true}, {"quixo:3x9", 26, false}} {
		t.Run(fmt.Sprintf("%s/steps=%v", of.board, of.steps), func(t *testing.T) {
			name, size, _, err := games.Named(of.board)
			if err != nil {
				t.Fatal(err)
			}
			space := namedSpace(t, name, size)
			c := newTestCluster(t)
			c.timing = timing{}
			for range 2 {
				c.startWorker(t, func(o *WorkOptions) { o.Threads = 1 })
			}
			o, how, path := c.options(), retro.Options{Steps: of.steps, DownTo: of.downTo}, filepath.Join(t.TempDir(), "table.tb")
			o.Expect = 2
			if err := solve(t.Context(), path, space, how); err != nil {
				t.Fatal(err)
			}
			want := sha256.Sum256(bytesIn(t, path+".partial")) // 2 GB with steps
			by, err := Begin(t.Context(), space, NewSolve(space, how), o)
			if err != nil {
				t.Fatal(err)
			}
			how.Scheduler = by.Solve
			err = solve(by.Context(), filepath.Join(c.place, "table.tb"), space, how)
			if by.Close(); err != nil || sha256.Sum256(bytesIn(t, filepath.Join(c.place, "table.tb.partial"))) != want {
				t.Errorf("other bytes by two workers, %v", err)
			}
		})
	}
}

// What shards labelled, or the outcomes of a section, may be lost or damaged at any time. It is made
// again.
func TestDamagedShards(t *testing.T) {
	for name, damage := range damages {
		for what, of := range map[string]struct {
			board, object, says string
			steps               bool
		}{
			"labels":                {"quixo:3", "class-05/labels/round-0", "made again", false},
			"labels with steps":     {"quixo:4x3", "class-08/labels/round-0", "made again", true}, // of classes with several sections
			"sections":              {"quixo:3", "class-05/blocks-", "made again", true},          // the coordinator reads them
			"sections in the table": {"quixo:4x3", "class-08/blocks-", "written again", true},
		} {
			t.Run(name+" "+what, func(t *testing.T) {
				if name != "flipped" && (testing.Short() || of.board != "quixo:3" && os.Getenv("BACKSOLVE_LONG") == "") {
					t.Skip("takes long")
				}
				t.Parallel()
				c := newTestCluster(t)
				c.timing.Alive = 20 * time.Second // a slow worker keeps its shard, so that the other reads its labels
				var once sync.Once
				harmful := &hookedStore{c.store, func(ctx context.Context, name string, data ...[]byte) error {
					err := c.store.Put(ctx, name, data...)
					if err != nil || !strings.Contains(name, of.object) || strings.Contains(name, "round-000") {
						return err
					}
					harm := func() {
						file := filepath.Join(c.place, name+".object")
						var b []byte
						if b, err = os.ReadFile(file); err != nil {
							return
						}
						if b = damage(b); b == nil {
							err = os.Remove(file)
						} else {
							err = os.WriteFile(file, b, 0o644)
						}
					}
					if of.says == "made again" {
						once.Do(harm)
					} else { // the worker that solved a section does not need it
						harm()
					}
					return err
				}}
				for range 2 {
					c.startWorker(t, func(o *WorkOptions) { o.Store = harmful })
				}
				o, log := c.logged()
				o.Expect = 2
				if what == "sections" {
					o.Store = closed{c.store} // in which no worker can write the table
				}
				c.wantShards(t, of.board, of.steps, o)
				if !log.has(of.object, of.says) {
					t.Errorf("it is not logged: %q", log.all)
				}
				c.wantEmpty(t)
			})
		}
	}
}
