package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// faultyStore returns a store for a worker that makes wrong objects: spoil changes the planes of
// some, of which the checksums are right.
func faultyStore(c *testCluster, spoil func(g shard, planes []byte, blocks int) bool) *hookedStore {
	return &hookedStore{c.store, func(ctx context.Context, name string, data ...[]byte) error {
		b := bytes.Join(data, nil)
		h, size, err := readHead(bytes.NewReader(b), int64(len(b)), name)
		if err != nil {
			return err
		}
		planes := b[len(b)-int(size):]
		_, of, _ := strings.Cut(name, "/class-")
		var g shard
		var last int
		if n, _ := fmt.Sscanf(strings.Replace(of, "-set", "", 1), "%d/blocks-%d-%d", &g.Class, &g.First, &last); n == 3 {
			g.Set, g.Blocks = strings.Contains(of, "-set"), last+1-g.First
			spoil(g, planes, g.Blocks)
		}
		h.Items, data = nil, nil
		for _, length := range h.lengths {
			data, planes = append(data, planes[:length]), planes[length:]
		}
		_, err = putObject(ctx, c.store, name, *h, data...)
		return err
	}}
}

// flip turns a lost state into a won one, or the other way round.
func flip(slice []byte, index int) { slice[index/8] ^= 1 << (index % 8) }

// swap turns a won state into a lost one, and a lost state of the same weight into a won one. The
// counts stay. It reports whether there are such states.
func swap(slice []byte, indexBits int) bool {
	seen := map[[2]int]int{}
	for i := range 1 << indexBits {
		won, weight := int(slice[i/8]>>(i%8)&1), bits.OnesCount(uint(i))
		if other, is := seen[[2]int{1 - won, weight}]; is {
			flip(slice, i)
			flip(slice, other)
			return true
		}
		seen[[2]int{won, weight}] = i
	}
	return false
}

// startFaultyWorker starts a worker with a faultyStore until the solve is over, and then wants it
// to be quarantined.
func (c *testCluster) startFaultyWorker(t *testing.T, spoil func(g shard, planes []byte, blocks int) bool) {
	t.Helper()
	o := WorkOptions{Options: c.options(), Threads: 1, IdleIfFaulty: true}
	o.Store = faultyStore(c, spoil)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Work(ctx, o) }()
	t.Cleanup(func() {
		conn, err := connect(c.options(), "test")
		if err == nil {
			defer conn.nc.Close()
			err = conn.open(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, "a quarantined worker", func() bool {
			workers, err := conn.workers(context.Background())
			return err == nil && slices.ContainsFunc(workers, func(w WorkerStatus) bool { return strings.Contains(w.Refused, ErrFaulty.Error()) })
		})
		cancel()
		if err := <-ended; !errors.Is(err, ErrFaulty) {
			t.Errorf("the error of the faulty worker is %v", err)
		}
	})
}

// once returns a function that returns true for the first call with true.
func once() func(bool) bool {
	var done atomic.Bool
	return func(is bool) bool { return is && done.CompareAndSwap(false, true) }
}

// A flipped bit changes the counts, so it is always found. What the worker made of the class is
// made again, and the worker gets no more work.
func TestFlippedBit(t *testing.T) {
	spoiled := func(steps bool) func(g shard, planes []byte, blocks int) bool {
		first := once()
		return func(g shard, planes []byte, blocks int) bool {
			if !first(g.Class == 4) {
				return false
			}
			if steps {
				planes = planes[len(planes)/2:] // a digit of the steps
			}
			flip(planes, 3)
			return true
		}
	}
	t.Run("table", func(t *testing.T) {
		t.Parallel()
		c := newTestCluster(t)
		c.startFaultyWorker(t, spoiled(true))
		o := c.quarantining(t, 0)
		c.wantTable(t, 4, true, o)
	})
	t.Run("written by the coordinator", func(t *testing.T) {
		t.Parallel()
		c := newTestCluster(t)
		c.startFaultyWorker(t, spoiled(true))
		o := c.quarantining(t, 0)
		o.Store = closed{c.store} // in which no worker can write the table
		c.wantTable(t, 4, true, o)
	})
	t.Run("shards", func(t *testing.T) {
		t.Parallel()
		for _, steps := range []bool{false, true} {
			c := newTestCluster(t)
			c.startFaultyWorker(t, spoiled(false))
			o := c.quarantining(t, 0)
			o.Store = closed{c.store}
			c.wantShards(t, "quixo:3", steps, o)
		}
	})
	t.Run("stream", func(t *testing.T) {
		t.Parallel()
		for _, packed := range []bool{false, true} {
			c := newTestCluster(t)
			c.startFaultyWorker(t, spoiled(false))
			o := c.quarantining(t, 0)
			o.ShardBytes = tinyObjects
			c.wantStream(t, spaceAfter(t, 5, 1<<12), 2, packed, o)
		}
	})
}

// quarantining returns the options of a coordinator that must find a faulty worker. After that, a
// healthy worker starts.
func (c *testCluster) quarantining(t *testing.T, share float64) Options {
	t.Helper()
	found := make(chan struct{})
	first := once()
	o := c.options()
	o.ShardBytes, o.VerifyShare = 200, share
	o.Logf = func(_ slog.Level, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if first(strings.Contains(text, "is wrong") && strings.Contains(text, "made again")) {
			close(found)
		}
	}
	go func() {
		select {
		case <-found:
			c.startWorker(t, nil)
		case <-t.Context().Done():
		}
	}()
	t.Cleanup(func() {
		select {
		case <-found:
		default:
			t.Error("no worker is quarantined")
		}
	})
	return o
}

// Swapped states, which leave the counts alone, are found if and only if they are in the sample. A
// single worker checks itself.
func TestVerifyShare(t *testing.T) {
	for _, stream := range []bool{false, true} {
		space := newSpace(t, 4)
		s := NewSolve(space, retro.Options{})
		if stream {
			space = spaceAfter(t, 5, 1<<12)
			s = NewStream(space, false, 1)
		}
		l := stage{Class: 4}
		for _, sampled := range []bool{true, false} {
			for _, alone := range []bool{true, false} {
				t.Run(fmt.Sprintf("stream %v, sampled %v, alone %v", stream, sampled, alone), func(t *testing.T) {
					t.Parallel()
					spoiled := make(chan struct{})
					first := once()
					spoil := func(g shard, planes []byte, blocks int) bool {
						size := len(planes) / blocks
						for i := 0; i < blocks && g.stage == l && g.First+i < checkBlocks; i++ {
							slice := planes[i*size:][:size]
							if first(swap(bytes.Clone(slice), space.IndexBits[l.Class])) {
								close(spoiled)
								return swap(slice, space.IndexBits[l.Class])
							}
						}
						return false
					}
					share := s.leastShare(l, 0)
					if sampled {
						share += 1e-9
					}
					verify(t, newTestCluster(t), space, s, share, sampled, alone, spoil, spoiled)
				})
			}
		}
	}
}

// leastShare returns the greatest share that does not sample a run.
func (s *Solve) leastShare(c stage, run int) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; isSampled(s, c, run, middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// verify solves with a faulty worker, and wants its fault to be found or not.
func verify(t *testing.T, c *testCluster, space *partition.Space, s Solve, share float64, found, alone bool, spoil func(g shard, planes []byte, blocks int) bool, spoiled <-chan struct{}) {
	t.Helper()
	o := c.options()
	if o.ShardBytes, o.VerifyShare = 200, share; found {
		c.startFaultyWorker(t, spoil)
		o = c.quarantining(t, share)
	} else {
		c.startWorker(t, func(o *WorkOptions) { o.Store = faultyStore(c, spoil) })
	}
	if s.Stream {
		o.ShardBytes = tinyObjects
	}
	if !alone { // earlier it could take the shard to be spoiled
		go func() {
			select {
			case <-spoiled:
				c.startWorker(t, nil)
			case <-t.Context().Done():
			}
		}()
	}
	same := false
	if s.Stream {
		got, err := coordinateStream(t.Context(), space, 1, false, o, outofcore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same = sameResult(got, localResult(t, space))
	} else {
		path := filepath.Join(t.TempDir(), "table.tb")
		if err := coordinate(t.Context(), path, space, false, o); err != nil {
			t.Fatal(err)
		}
		same = bytes.Equal(bytesIn(t, path), localTable(t, space, false))
	}
	if found && !same {
		t.Error("the table differs")
	}
	if !found && same && !s.Stream { // a result may be right in spite of it
		t.Error("nothing was wrong")
	}
}

// Two workers that wait for work do not take turns at returning the checks of their own objects.
func TestOwnChecks(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	space := newSpace(t, 4)
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	conn, solve := coordinator.conn, &coordinator.record.solve
	var workers []WorkerStatus
	c.startWorker(t, nil)
	c.startWorker(t, nil)
	waitFor(t, "two workers", func() bool {
		workers, err = conn.workers(t.Context())
		return len(workers) == 2
	})
	for i := range 4 {
		for k := range 2 { // the first in line gets its own check, at the latest in the other order
			g := shard{stage: stage{Class: 4}, First: 2*i + k, Blocks: 1, Check: true}
			check := task{ID: solve.ID, shard: g}
			check.Maker = workers[(i+k)%2].ID
			if _, err := conn.js.Publish(t.Context(), solve.taskSubject(g), encoded(check)); err != nil {
				t.Fatal(err)
			}
			time.Sleep(idle / 8)
		}
		began := time.Now()
		waitFor(t, "two checks", func() bool {
			done, err := getAll[completion](t.Context(), conn.state, solve.doneKeys(stage{Class: 4}))
			return err == nil && len(done) == 2*i+2
		})
		if took := time.Since(began); took > 20*time.Second {
			t.Fatalf("two checks took %v", took)
		}
	}
	if err := coordinator.Finish(t.Context()); err != nil {
		t.Error(err)
	}
}

// A worker whose check finds a difference in a right object is the faulty one.
func TestFaultyCheck(t *testing.T) {
	t.Parallel()
	c := newTestCluster(t)
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.nc.Close()
	o := c.options()
	var log logRecorder
	o.ShardBytes, o.VerifyShare, o.Logf = 200, 1, log.logf
	space, path := newSpace(t, 4), filepath.Join(t.TempDir(), "table.tb")
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	if err := conn.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.startWorker(t, nil)
	liar := &worker{o: WorkOptions{Options: o.withDefaults()}, conn: conn}
	lied := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer close(lied)
		for {
			message, err := liar.fetch(ctx)
			if err != nil {
				return
			}
			var task task
			if message == nil || json.Unmarshal(message.Data(), &task) != nil || !task.Check {
				if message != nil {
					message.NakWithDelay(10 * time.Millisecond)
				}
				continue
			}
			lie := completion{Task: task, WorkerID: "liar", Differs: true}
			if _, err := conn.state.Put(ctx, coordinator.record.solve.doneKey(task.shard), encoded(lie)); err != nil {
				t.Error(err)
			}
			message.Ack()
			return
		}
	}()
	if err := solve(coordinator.Context(), path, space, retro.Options{Scheduler: coordinator.Solve}); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-lied
	if !bytes.Equal(bytesIn(t, path), localTable(t, space, false)) {
		t.Error("the table differs")
	}
	if !log.has("the worker liar is wrong") || len(coordinator.faulty) != 1 {
		t.Errorf("%v are wrong: %q", coordinator.faulty, log.all)
	}
	if err := coordinator.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	c.wantEmpty(t)
}

// The sampled runs have the share that is asked for. A smaller sample is part of a larger one. The
// sampled blocks of a shard are its own.
func TestSample(t *testing.T) {
	s := &Solve{Game: "notakto", Size: 6}
	l := stage{Class: 12}
	for _, share := range []float64{0, 0.01, 0.2, 1} {
		n := 0
		for run := range 20_000 {
			is := isSampled(s, l, run, share)
			if is {
				n++
			}
			if is && !isSampled(s, l, run, 2*share) {
				t.Fatalf("run %d is in a sample of %v, and not of twice as much", run, share)
			}
		}
		if off := float64(n) - 2e4*share; off*off > 25*2e4*share*(1-share) {
			t.Errorf("%d of 20,000 runs are sampled, with a share of %v", n, share)
		}
	}
	g := shard{stage: l, First: 5, Blocks: 40}
	next := 5
	for _, run := range sample(s, g, 1) {
		if run.First != next || run.Blocks < 1 {
			t.Errorf("%+v comes instead of block %d", run, next)
		}
		next += run.Blocks
	}
	if next != 45 {
		t.Errorf("the sampled blocks end at %d", next)
	}
}
