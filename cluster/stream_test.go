package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// spaceAfter returns the space of Notakto with taken cells at the start.
func spaceAfter(t testing.TB, n int, taken uint64) *partition.Space {
	t.Helper()
	_, space := spacetest.After(t, "notakto", n, taken)
	return space
}

// localResult returns the result of a single process that keeps no table.
func localResult(t *testing.T, space *partition.Space) *outofcore.Result {
	t.Helper()
	files, err := outofcore.Open(filepath.Join(t.TempDir(), "plain"), space, false)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	r, err := files.Solve(t.Context(), outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameResult reports whether two results are equal.
func sameResult(a, b *outofcore.Result) bool {
	return reflect.DeepEqual(a.Classes, b.Classes) && reflect.DeepEqual(a.Half, b.Half) && a.Cells == b.Cells &&
		a.Start == b.Start && reflect.DeepEqual(a.First, b.First)
}

// tinyObjects is a shard size that makes objects of one block.
const tinyObjects = 1

// coordinateStream solves a space with the workers of a cluster, in shards of shardBlocks blocks,
// and keeps no table.
func coordinateStream(ctx context.Context, space *partition.Space, shardBlocks int, packed bool, o Options, how outofcore.Options) (*outofcore.Result, error) {
	c, err := Begin(ctx, space, NewStream(space, packed, shardBlocks), o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r, err := outofcore.SolveBy(c.Context(), space, how, c.Stages())
	if err != nil {
		return nil, err
	}
	return r, c.Finish(ctx)
}

// wantStream solves a space with the workers of the cluster, and compares the result.
func (c *testCluster) wantStream(t *testing.T, space *partition.Space, shardBlocks int, packed bool, o Options) {
	t.Helper()
	got, err := coordinateStream(t.Context(), space, shardBlocks, packed, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, localResult(t, space)) {
		t.Errorf("notakto %d after %#x, shards of %d blocks, packed %v: the result differs", space.Size, space.Taken, shardBlocks, packed)
	}
}

// solveStream solves Notakto 5×5 after c3 with the workers of the cluster, in the background, and
// keeps no table. It returns a function that waits for the solve and compares the result.
func (c *testCluster) solveStream(t *testing.T) (wait func()) {
	space := spaceAfter(t, 5, 1<<12)
	o := c.options()
	o.ShardBytes = tinyObjects
	var got *outofcore.Result
	done := make(chan error, 1)
	go func() {
		var err error
		got, err = coordinateStream(t.Context(), space, 1, false, o, outofcore.Options{})
		done <- err
	}()
	return func() {
		t.Helper()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if !sameResult(got, localResult(t, space)) {
			t.Error("the result differs")
		}
	}
}

// A solve that keeps no table has the same result with any number of workers, and any sizes of
// shards and objects. Nothing is left of it.
func TestStreamsSameResult(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			for range workers {
				c.startWorker(t, nil)
			}
			for i, b := range []struct {
				n     int
				taken uint64
			}{{3, 0}, {4, 0}, {4, 1 << 5}, {5, 0}, {5, 1 << 12}} {
				o := c.options()
				o.ShardBytes = []int64{tinyObjects, smallShards, 1 << 30}[(i+workers)%3]
				c.wantStream(t, spaceAfter(t, b.n, b.taken), []int{1, 3, 1000}[i%3], i%2 == 0, o)
			}
			c.wantEmpty(t)
		})
	}
}

// A class is cut for the workers that are running when it begins, and stays so when it is resumed.
func TestStreamsSpread(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	c.timing.Alive = 20 * time.Second // slow workers count
	var lock sync.Mutex
	shards := map[int]map[int]bool{} // first blocks, by class
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	begun := func(class, first int) {
		lock.Lock()
		defer lock.Unlock()
		if shards[class] == nil {
			shards[class] = map[int]bool{}
		}
		shards[class][first] = true
		if class == 5 {
			stop(errStopped)
		}
	}
	employed := 0
	startWorker := func() {
		t.Helper()
		c.startWorker(t, func(o *WorkOptions) { o.onTask = begun })
		employed++
		conn, err := connect(c.options(), "test")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.nc.Close()
		waitFor(t, "the worker", func() bool {
			if conn.open(t.Context()) != nil {
				return false // it takes long
			}
			workers, err := conn.workers(t.Context())
			return err == nil && len(workers) == employed
		})
	}
	// The buckets exist after the first solve has begun.
	first, err := Begin(t.Context(), space, NewStream(space, false, 1000), c.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.Close()
	startWorker()
	startWorker()
	o := c.options()
	var log logRecorder
	o.ShardBytes, o.Logf = tinyObjects, log.logf
	if _, err := coordinateStream(ctx, space, 1000, false, o, outofcore.Options{}); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	startWorker()
	c.wantStream(t, space, 1000, false, o)
	lock.Lock()
	defer lock.Unlock()
	for class, want := range map[int]int{6: 2, 5: 2, 4: 3} {
		if len(shards[class]) != want {
			t.Errorf("class %d is cut into %d shards, not %d", class, len(shards[class]), want)
		}
	}
	if log.has("made again") {
		t.Errorf("something is made again: %q", log.all)
	}
}

// The store has only the stage in progress, those that it is made from, and those that these are
// made from.
func TestStreamsDrop(t *testing.T) {
	t.Parallel()
	for _, taken := range []uint64{0, 1 << 12} { // in halves, and whole
		c := newTestCluster(t)
		kept := 3
		if taken == 0 {
			kept = 5
		}
		var lock sync.Mutex
		most := 0
		c.startWorker(t, func(o *WorkOptions) {
			o.onTask = func(int, int) {
				layers := map[string]bool{}
				for name, err := range c.store.List(t.Context(), "") {
					if dir := filepath.Dir(name); err == nil && strings.HasPrefix(filepath.Base(dir), "class-") {
						layers[dir] = true
					}
				}
				lock.Lock()
				defer lock.Unlock()
				most = max(most, len(layers))
			}
		})
		o := c.options()
		o.ShardBytes = tinyObjects
		c.wantStream(t, spaceAfter(t, 5, taken), 1, false, o)
		if lock.Lock(); most != kept {
			t.Errorf("after %#x: the store had %d layers at once, not %d", taken, most, kept)
		}
		lock.Unlock()
	}
}

// The opening table has the same bytes.
func TestStreamsOpening(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	c.startWorker(t, nil)
	for _, taken := range []uint64{0, 1 << 12} {
		space := spaceAfter(t, 5, taken)
		const classes = 4
		file := func(solve func(o outofcore.Options) error) []byte {
			path := filepath.Join(t.TempDir(), "opening.tb")
			w, err := writer.Create(path, tablebase.Shape{Game: space.Game, Size: space.Size, Planes: 1, Opening: true}, false)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if err := solve(outofcore.Options{Opening: &outofcore.Opening{Writer: w, Classes: classes}}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Finish(); err != nil {
				t.Fatal(err)
			}
			return bytesIn(t, path)
		}
		want := file(func(o outofcore.Options) error {
			files, err := outofcore.Open(filepath.Join(t.TempDir(), "plain"), space, false)
			if err != nil {
				return err
			}
			defer files.Close()
			_, err = files.Solve(t.Context(), o)
			return err
		})
		for _, packed := range []bool{false, true} {
			got := file(func(how outofcore.Options) error {
				_, err := coordinateStream(t.Context(), space, 2, packed, c.options(), how)
				return err
			})
			if !bytes.Equal(got, want) {
				t.Errorf("after %#x, packed %v: the table differs", taken, packed)
			}
		}
	}
}

// An object that is lost or damaged when it is put is made again.
func TestStreamsDamaged(t *testing.T) {
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newTestCluster(t)
			c.wantRemade(t, damage, func(o Options) {
				o.ShardBytes = tinyObjects
				c.wantStream(t, spaceAfter(t, 5, 1<<12), 2, false, o)
			})
		})
	}
}

// truncateAll cuts all objects of a class short.
func (c *testCluster) truncateAll(t *testing.T, class string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(c.place, "*", "*", class, "blocks-*"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no files: %v", class, err)
	}
	for _, file := range files {
		if err := os.Truncate(file, 100); err != nil {
			t.Error(err)
		}
	}
}

// Damaged objects of the class above are made again, if those of the class before it are whole. If
// not, the solve ends and says so, and starts over only on request.
func TestStreamsDamagedClassAbove(t *testing.T) {
	for _, taken := range []uint64{0, 1 << 12} {
		for _, both := range []bool{false, true} {
			t.Run(fmt.Sprintf("after %#x, both %v", taken, both), func(t *testing.T) {
				t.Parallel()
				c, space := newTestCluster(t), spaceAfter(t, 5, taken)
				var once sync.Once
				for range 2 {
					c.startWorker(t, func(o *WorkOptions) {
						o.onTask = func(class, _ int) {
							if class != 3 {
								return
							}
							once.Do(func() {
								c.truncateAll(t, "class-04")
								if both {
									c.truncateAll(t, "class-05")
								}
							})
						}
					})
				}
				o := c.options()
				var log logRecorder
				o.ShardBytes, o.Logf = tinyObjects, log.logf
				if !both {
					c.wantStream(t, space, 2, false, o)
					log.lock.Lock()
					defer log.lock.Unlock()
					if n := strings.Count(strings.Join(log.all, "\n"), "from the class before it"); n != 1 {
						t.Errorf("class 4 is solved again %d times, not once: %q", n, log.all)
					}
					c.wantEmpty(t)
					return
				}
				_, err := coordinateStream(t.Context(), space, 2, false, o, outofcore.Options{})
				if !errors.Is(err, ErrLost) || !errors.Is(err, store.ErrDamaged) && !errors.Is(err, store.ErrNotFound) {
					t.Errorf("the error is %v", err)
				}
				o.Force, o.Anew = true, true
				c.wantStream(t, space, 2, false, o)
				c.wantEmpty(t)
			})
		}
	}
}

// A damaged object of an opening table's class is made again.
func TestStreamsDamagedOpening(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	o := c.options()
	o.ShardBytes = tinyObjects
	c.startWorker(t, nil)
	coordinator, err := Begin(t.Context(), space, NewStream(space, false, 2), o)
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	scheduler, damage, solved := coordinator.Stages(), sync.OnceFunc(func() { c.truncateAll(t, "class-03") }), 0
	one := scheduler.Solve
	scheduler.Solve = func(ctx context.Context, b *outofcore.Blocks) (*outofcore.Sum, error) {
		sum, err := one(ctx, b)
		if b.Class == 3 && err == nil {
			damage()
			solved++
		}
		return sum, err
	}
	w, err := writer.Create(filepath.Join(t.TempDir(), "opening.tb"), tablebase.Shape{Game: space.Game, Size: space.Size, Planes: 1, Opening: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	got, err := outofcore.SolveBy(coordinator.Context(), space, outofcore.Options{Opening: &outofcore.Opening{Writer: w, Classes: 4}}, scheduler)
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, localResult(t, space)) || solved != 2 {
		t.Errorf("the result differs, or classes were solved again %d times", solved-1)
	}
	if _, err := w.Finish(); err != nil {
		t.Error(err)
	}
}

// A solve that was stopped in any class resumes after the last sealed one, also with a new
// coordinator.
func TestStreamsResume(t *testing.T) {
	t.Parallel()
	for _, taken := range []uint64{0, 1 << 12} {
		c, space := newTestCluster(t), spaceAfter(t, 5, taken)
		c.startWorker(t, nil)
		o := c.options()
		o.ShardBytes = tinyObjects
		want, resumed := localResult(t, space), 0
		for class := space.MaskBits; class >= 0; class-- {
			ctx, stop := context.WithCancelCause(t.Context())
			how := outofcore.Options{Options: retro.Options{Progress: func(e tablebase.Event) {
				if e.At == class && e.Stage == tablebase.Sealed && class > 0 {
					stop(errStopped)
				}
			}}}
			got, err := coordinateStream(ctx, space, 2, class%2 == 0, o, how)
			stop(nil)
			switch {
			case err == nil:
				if resumed = got.Resumed; !sameResult(got, want) {
					t.Error("the result differs")
				}
			case !errors.Is(err, errStopped):
				t.Fatal(err)
			}
		}
		if resumed != space.MaskBits {
			t.Errorf("it resumed after %d classes, not %d", resumed, space.MaskBits)
		}
		c.wantEmpty(t)
	}
}

// NATS may lose its files while no coordinator runs. The next one finds the finished classes in the
// store, unless the solve was discarded.
func TestStreamsResumeFromStore(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	c.startWorker(t, nil)
	o := c.options()
	o.ShardBytes = tinyObjects
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	_, err := coordinateStream(ctx, space, 2, true, o, outofcore.Options{Options: retro.Options{Progress: func(e tablebase.Event) {
		if e.At == space.MaskBits-3 && e.Stage == tablebase.Sealed {
			stop(errStopped)
		}
	}}})
	if !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	for _, name := range []string{"KV_" + stateBucket, "KV_" + aliveBucket, taskStream} {
		if err := conn.js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	newer := o
	newer.Version = "2"
	if _, err := Begin(t.Context(), space, NewStream(space, true, 2), newer); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "by version 1, and this is 2") {
		t.Errorf("another version: %v", err)
	}
	var log logRecorder
	o.Logf = log.logf
	got, err := coordinateStream(t.Context(), space, 2, true, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, localResult(t, space)) || got.Resumed < 4 {
		t.Errorf("the result differs, or it started over: it resumed after %d classes", got.Resumed)
	}
	if !log.has("the store has finished classes") {
		t.Errorf("it is not logged: %q", log.all)
	}
	c.wantEmpty(t)
}

// Workers and coordinators with another byte order are refused.
func TestStreamsByteOrder(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 4, 1)
	coordinator, err := Begin(t.Context(), space, NewStream(space, false, 4), c.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := coordinator.record.update(t.Context(), func(s *Solve) { s.HighFirst = littleEndian }); err != nil {
		t.Fatal(err)
	}
	if err := Work(t.Context(), WorkOptions{Options: c.options()}); !errors.Is(err, ErrByteOrder) {
		t.Errorf("the error of the worker is %v", err)
	}
	coordinator.Close()
	if _, err := Begin(t.Context(), space, NewStream(space, false, 4), c.options()); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "byte order") {
		t.Errorf("the error of the coordinator is %v", err)
	}
}

// A worker with too little memory ends and says how much it needs.
func TestStreamsMemory(t *testing.T) {
	t.Parallel()
	c, space := newTestCluster(t), spaceAfter(t, 5, 1<<12)
	coordinator, err := Begin(t.Context(), space, NewStream(space, false, 4), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	o := outofcore.Options{Options: retro.Options{Threads: 1}}
	need := StreamNeed(space, o, 4)
	for _, enough := range []bool{false, true} {
		worker := WorkOptions{Options: c.options(), Threads: 1, Memory: 1 << 20}
		if enough {
			worker.Memory = need
		}
		ctx, stop := context.WithTimeoutCause(t.Context(), 2*time.Second, errStopped)
		err := Work(ctx, worker)
		stop()
		if enough && !errors.Is(err, errStopped) {
			t.Errorf("%d bytes: %v", worker.Memory, err)
		}
		if memory := (*retro.MemoryError)(nil); !enough && (!errors.As(err, &memory) || memory.Need <= worker.Memory || memory.Need > need) {
			t.Errorf("%d bytes: %v", worker.Memory, err)
		}
	}
}

var errStopped = errors.New("stopped by the test")
