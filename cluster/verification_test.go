package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
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

// faulty is a worker's store into which it puts parts that it has made wrong: spoil changes the planes
// of some, and the checksum is that of what came of it.
func faulty(c *cell, spoil func(g group, planes []byte, blocks int) bool) *damaged {
	return &damaged{c.store, func(_ string, b []byte) []byte {
		head := struct {
			Class, First, Blocks int
			Set                  bool
			Lengths              []int64
		}{}
		start := 12 + int(binary.LittleEndian.Uint32(b[8:]))
		if magic := string(b[:8]); magic != partMagic && magic != slicesMagic || json.Unmarshal(b[12:start], &head) != nil {
			return b
		}
		head.Blocks = max(head.Blocks, len(head.Lengths))
		end := len(b) - 4
		if spoil(group{subclass: subclass{head.Class, head.Set}, first: head.First, blocks: head.Blocks}, b[start:end], head.Blocks) {
			binary.LittleEndian.PutUint32(b[end:], crc32.Checksum(b[:end], crc32.MakeTable(crc32.Castagnoli)))
		}
		return b
	}}
}

// flip makes a lost state of a block won, or the other way round.
func flip(slice []byte, index int) { slice[index/8] ^= 1 << (index % 8) }

// swap makes a won state of a slice lost and a lost one of the same weight won, so that they are as
// many. It reports whether there are such.
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

// wrongWorker has a worker work that puts into a faulty store, until the solve is over, and then wants
// that it was told so.
func (c *cell) wrongWorker(t *testing.T, spoil func(g group, planes []byte, blocks int) bool) {
	t.Helper()
	o := WorkOptions{Options: c.options(), Threads: 1, IdleIfFaulty: true}
	o.Store = faulty(c, spoil)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- Work(ctx, o) }()
	t.Cleanup(func() {
		conn, err := connect(c.options(), "test")
		if err == nil {
			defer conn.close()
			err = conn.open(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		until(t, "a worker that stays and says that it was wrong", func() bool {
			workers, err := conn.workers(context.Background())
			return err == nil && slices.ContainsFunc(workers, func(w WorkerStatus) bool { return strings.Contains(w.Refused, ErrFaulty.Error()) })
		})
		cancel()
		if err := <-ended; !errors.Is(err, ErrFaulty) {
			t.Errorf("the wrong worker ends with %v", err)
		}
	})
}

// once reports true for the first call with true.
func once() func(bool) bool {
	var done atomic.Bool
	return func(is bool) bool { return is && done.CompareAndSwap(false, true) }
}

// A bit that is flipped by a worker before it takes the checksum changes the counts, and is always
// found. What the worker has made of the class is made again, and the worker gets no more work.
func TestFlippedBit(t *testing.T) {
	spoiled := func(steps bool) func(g group, planes []byte, blocks int) bool {
		first := once()
		return func(g group, planes []byte, blocks int) bool {
			if !first(g.class == 4) {
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
		c := newCell(t)
		c.wrongWorker(t, spoiled(true))
		wants := c.blamed(t, 0)
		c.wantTable(t, 4, true, wants.o)
	})
	t.Run("stream", func(t *testing.T) {
		t.Parallel()
		for _, packed := range []bool{false, true} {
			c := newCell(t)
			c.wrongWorker(t, spoiled(false))
			wants := c.blamed(t, 0)
			wants.o.GroupBytes = tiny
			c.wantStream(t, spaceAfter(t, 5, 1<<12), 2, packed, wants.o)
		}
	})
}

// blaming are the options of a coordinator that must say that a worker is wrong.
type blaming struct{ o Options }

// blamed returns them, and has an honest worker come when another one was found wrong.
func (c *cell) blamed(t *testing.T, share float64) *blaming {
	t.Helper()
	found := make(chan struct{})
	first := once()
	o := c.options()
	o.GroupBytes, o.VerifyShare = 200, share
	o.Logf = func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if first(strings.Contains(text, "is wrong") && strings.Contains(text, "made again")) {
			close(found)
		}
	}
	go func() {
		select {
		case <-found:
			c.employ(t, nil)
		case <-t.Context().Done():
		}
	}()
	t.Cleanup(func() {
		select {
		case <-found:
		default:
			t.Error("no worker is found wrong")
		}
	})
	return &blaming{o}
}

// States that are exchanged for others, so that the counts remain, are found where they are among the
// share that is checked, and only there. A worker that is alone checks itself.
func TestVerifyShare(t *testing.T) {
	for _, stream := range []bool{false, true} {
		space := newSpace(t, 4)
		s := NewSolve(space, retro.Options{})
		if stream {
			space = spaceAfter(t, 5, 1<<12)
			s = NewStream(space, false, 1)
		}
		l := subclass{class: 4}
		for _, chosen := range []bool{true, false} {
			for _, alone := range []bool{true, false} {
				t.Run(fmt.Sprintf("stream %v, chosen %v, alone %v", stream, chosen, alone), func(t *testing.T) {
					t.Parallel()
					spoiled := make(chan struct{})
					first := once()
					spoil := func(g group, planes []byte, blocks int) bool {
						size := len(planes) / blocks
						for i := 0; i < blocks && g.subclass == l && g.first+i < checkBlocks; i++ {
							slice := planes[i*size:][:size]
							if first(swap(bytes.Clone(slice), space.IndexBits[l.class])) {
								close(spoiled)
								return swap(slice, space.IndexBits[l.class])
							}
						}
						return false
					}
					share := s.leastShare(l, 0)
					if chosen {
						share += 1e-9
					}
					verifies(t, newCell(t), space, s, share, chosen, alone, spoil, spoiled)
				})
			}
		}
	}
}

// leastShare is that beyond which a run of blocks is chosen.
func (s *Solve) leastShare(c subclass, run int) float64 {
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

// verifies solves with a faulty worker, and wants what it has made wrong to be found or not.
func verifies(t *testing.T, c *cell, space *partition.Space, s Solve, share float64, found, alone bool, spoil func(g group, planes []byte, blocks int) bool, spoiled <-chan struct{}) {
	t.Helper()
	o := c.options()
	if o.GroupBytes, o.VerifyShare = 200, share; found {
		c.wrongWorker(t, spoil)
		o = c.blamed(t, share).o
	} else {
		c.employ(t, func(o *WorkOptions) { o.Store = faulty(c, spoil) })
	}
	if s.Stream {
		o.GroupBytes = tiny
	}
	if !alone { // sooner it might take what is to be spoiled
		go func() {
			select {
			case <-spoiled:
				c.employ(t, nil)
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
		same = sameResult(got, plainStream(t, space))
	} else {
		path := filepath.Join(t.TempDir(), "table.tb")
		if err := coordinate(t.Context(), path, space, false, o); err != nil {
			t.Fatal(err)
		}
		same = bytes.Equal(contents(t, path), plain(t, space, false))
	}
	if found && !same {
		t.Error("it is another table")
	}
	if !found && same && !s.Stream { // a result may be the same in spite of it
		t.Error("nothing was made wrong")
	}
}

// A worker that says of what is right that it is not is the one that is wrong.
func TestWrongCheck(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	conn, err := connect(c.options(), "test")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.close()
	o := c.options()
	var heard sayings
	o.GroupBytes, o.VerifyShare, o.Logf = 200, 1, heard.logf
	space, path := newSpace(t, 4), filepath.Join(t.TempDir(), "table.tb")
	coordinator, err := Begin(t.Context(), space, NewSolve(space, retro.Options{}), o)
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	if err := conn.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.employ(t, nil)
	liar := &job{worker: &worker{o: WorkOptions{Options: o.withDefaults()}, conn: conn, id: "liar"}, conn: conn, solve: &coordinator.record.solve}
	lied := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer close(lied)
		for {
			message, err := liar.worker.fetch(ctx)
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
			lie := func(context.Context) (completion, error) {
				return completion{Check: &checkResult{Maker: task.Maker, Share: task.Share, Differs: true, Block: task.First}}, nil
			}
			if err := liar.complete(ctx, task.group(), lie, time.Now()); err != nil {
				t.Error(err)
			}
			message.Ack()
			return
		}
	}()
	if err := solve(coordinator.Context(), path, space, retro.Options{Scheduler: coordinator}); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-lied
	if !bytes.Equal(contents(t, path), plain(t, space, false)) {
		t.Error("it is another table")
	}
	if !heard.has("the worker liar is wrong") || len(coordinator.faulty) != 1 {
		t.Errorf("%v are wrong: %q", coordinator.faulty, heard.all)
	}
	if err := coordinator.Finish(t.Context()); err != nil {
		t.Error(err)
	}
	c.wantNothing(t)
}

// As many runs of blocks are chosen as the share says, those of a smaller share among those of a larger
// one, and the chosen blocks of a group are within it.
func TestChosen(t *testing.T) {
	s := &Solve{Game: "notakto", Size: 6}
	l := subclass{class: 12}
	for _, share := range []float64{0, 0.01, 0.2, 1} {
		n := 0
		for run := range 20_000 {
			is := isSampled(s, l, run, share)
			if is {
				n++
			}
			if is && !isSampled(s, l, run, 2*share) {
				t.Fatalf("run %d is chosen of %v, and not of twice as much", run, share)
			}
		}
		if off := float64(n) - 2e4*share; off*off > 25*2e4*share*(1-share) {
			t.Errorf("of 20,000 runs %d are chosen, by a share of %v", n, share)
		}
	}
	g := group{subclass: l, first: 5, blocks: 40}
	next := 5
	for _, run := range sample(s, g, 1) {
		if run.first != next || run.blocks < 1 {
			t.Errorf("%+v comes where block %d is due", run, next)
		}
		next += run.blocks
	}
	if next != 45 {
		t.Errorf("the chosen blocks end at %d", next)
	}
}
