package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"backsolve/cluster/store"
	"backsolve/internal/plan"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// hookedStore is a store with another Put.
type hookedStore struct {
	store.Store
	put func(ctx context.Context, name string, data ...[]byte) error
}

func (h *hookedStore) Put(ctx context.Context, name string, data ...[]byte) error {
	return h.put(ctx, name, data...)
}

// damages are what can happen to the bytes of a file; nil means lost.
var damages = map[string]func(b []byte) []byte{
	"lost":    func([]byte) []byte { return nil },
	"cut":     func(b []byte) []byte { return b[:len(b)/2] },
	"flipped": func(b []byte) []byte { b[len(b)/2] ^= 4; return b },
}

// A lost, cut, flipped or mixed-up object is made again.
func TestDamagedBlocks(t *testing.T) {
	others := maps.Clone(damages)
	others["longer"] = func(b []byte) []byte { return append(b, 0) }
	others["empty"] = func([]byte) []byte { return []byte{} }
	for name, damage := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			c.wantRemade(t, damage, func(o Options) { o.ShardBytes = 200; c.wantTable(t, 4, true, o) })
		})
	}
}

// wantRemade damages each object of class 5 once, and wants the solve to make it again.
func (c *testCluster) wantRemade(t *testing.T, damage func(b []byte) []byte, solve func(o Options)) {
	t.Helper()
	var damagedOnce sync.Map
	c.startWorker(t, func(o *WorkOptions) {
		o.Store = &hookedStore{c.store, func(ctx context.Context, name string, data ...[]byte) error {
			err := c.store.Put(ctx, name, data...)
			if _, again := damagedOnce.LoadOrStore(name, true); err != nil || again || !strings.Contains(name, "class-05/") {
				return err
			}
			file := filepath.Join(c.place, name+".object")
			b, err := os.ReadFile(file)
			if b = damage(b); err == nil && b == nil {
				return os.Remove(file)
			}
			return errors.Join(err, os.WriteFile(file, b, 0o644))
		}}
	})
	o, log := c.logged()
	solve(o)
	if !log.has("class-05/", "made again") {
		t.Errorf("it is not logged: %q", log.all)
	}
}

// An object of the class above may be lost or damaged after it was accepted. The coordinator restores
// it if a worker needs it and has not kept it.
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
				o.Memory = plan.New(newSpace(t, 5), plan.Options{Steps: true, Threads: o.Threads}).WorkerMemory(smallShards)
				o.onTask = func(class, _ int) {
					if class == 3 {
						once.Do(harmAll)
					}
				}
			})
			o, log := c.logged()
			c.wantTable(t, 5, true, o)
			if !log.has("class-04", "written again") {
				t.Errorf("it is not logged: %q", log.all)
			}
		})
	}
}

// harm damages the files of the store that match patterns.
func (c *testCluster) harm(t *testing.T, damage func(b []byte) []byte, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(c.place, pattern+".object"))
		if err != nil || len(files) == 0 {
			t.Errorf("the store has no %s, %v", pattern, err)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if b = damage(b); err == nil && b == nil {
				err = os.Remove(file)
			} else if err == nil {
				err = os.WriteFile(file, b, 0o644)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
}

// New workers and the next coordinator cope with lost or damaged markers of a solve.
func TestDamagedMarker(t *testing.T) {
	const marker, other = "*/*/solve", "*/*/copies/solve"
	for name, damage := range damages {
		for _, markers := range [][]string{{marker}, {other}, {marker, other}} {
			t.Run(fmt.Sprint(name, len(markers), markers[0]), func(t *testing.T) {
				t.Parallel()
				c, space := newTestCluster(t), newSpace(t, 4)
				o, log := c.logged()
				begin := func() *Coordinator {
					t.Helper()
					coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
					if err != nil {
						t.Fatal(err)
					}
					return coordinator
				}
				first := begin()
				first.Close()
				if err := c.store.Put(t.Context(), first.record.solve.object(shard{Blocks: 1}), []byte("an object")); err != nil {
					t.Fatal(err)
				}
				c.harm(t, damage, markers...)
				coordinator := begin()
				defer coordinator.Close()
				if coordinator.record.solve.ID != first.record.solve.ID {
					t.Error("the solve is not resumed")
				}
				c.harm(t, damage, markers...)
				c.startWorker(t, nil)
				if err := solve(coordinator.Context(), filepath.Join(t.TempDir(), "table.tb"), space, retro.Options{Scheduler: coordinator.Solve}); err != nil {
					t.Fatal(err)
				}
				waitFor(t, "the marker", func() bool {
					return getEither(t.Context(), c.store, &first.record.solve, first.record.solve.marker(), new(Solve)) == nil
				})
				if !log.has("solve", "written again") {
					t.Errorf("the coordinator says %q", log.all)
				}
				if err := coordinator.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				c.wantEmpty(t)
			})
		}
	}
}

// They also cope with lost or damaged counts of a class that was finished long before.
func TestDamagedCounts(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
			o := c.options()
			o.ShardBytes = tinyObjects
			ctx, stop := context.WithCancelCause(t.Context())
			hooked := &hookedStore{c.store, func(ctx context.Context, name string, data ...[]byte) error {
				if strings.Contains(name, "/class-01/") {
					stop(ErrStopped)
				}
				return c.store.Put(ctx, name, data...)
			}}
			c.startWorker(t, func(o *WorkOptions) { o.Store = hooked })
			if _, err := coordinateStream(ctx, space, 1, false, o, outofcore.Options{}); !errors.Is(err, ErrStopped) {
				t.Fatal(err)
			}
			sealed, err := filepath.Glob(filepath.Join(c.place, "*", "*", "sealed", "*"))
			if err != nil || len(sealed) < 5 {
				t.Fatalf("finished are %q, %v", sealed, err)
			}
			old := strings.TrimSuffix(filepath.Base(sealed[len(sealed)-2]), ".object") // above it nothing is left
			c.harm(t, damage, "*/*/sealed/"+old)
			var log logRecorder
			o.Logf = log.logf
			c.wantStream(t, space, 1, false, o)
			if !log.has("sealed/"+old, "written again") {
				t.Errorf("the coordinator says %q", log.all)
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
	o, log := c.logged()
	c.wantTable(t, 4, false, o)
	if !log.has("the worker process", store.ErrFull.Error()) {
		t.Errorf("the coordinator says %q", log.all)
	}

	other := newTestCluster(t)
	coordinator, solved := other.begin(t, other.options())
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

func (f *fullStore) Put(ctx context.Context, name string, data ...[]byte) error {
	if atomic.AddInt64(&f.left, -1) >= 0 {
		return fmt.Errorf("cannot put %s: %w", name, store.ErrFull)
	}
	return f.Store.Put(ctx, name, data...)
}
