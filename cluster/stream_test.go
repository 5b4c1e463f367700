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

	"pgregory.net/rapid"

	"backsolve/cluster/store"
	"backsolve/partition"
	"backsolve/partition/spacetest"
	"backsolve/retro"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// spaceAfter returns the space of Notakto that goes on after taken cells.
func spaceAfter(t testing.TB, n int, taken uint64) *partition.Space {
	t.Helper()
	_, space := spacetest.After(t, "notakto", n, taken)
	return space
}

// plainStream returns what one process finds that keeps no table.
func plainStream(t *testing.T, space *partition.Space) *outofcore.Result {
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

// sameResult reports whether two results say the same of the game.
func sameResult(a, b *outofcore.Result) bool {
	return reflect.DeepEqual(a.Classes, b.Classes) && reflect.DeepEqual(a.Half, b.Half) && a.Cells == b.Cells &&
		a.Start == b.Start && reflect.DeepEqual(a.First, b.First)
}

// tiny is how large parts are made in tests: of one block each.
const tiny = 1

// coordinateStream solves a space by the workers of a cluster, by groups of so many blocks, and
// keeps no table.
func coordinateStream(ctx context.Context, space *partition.Space, groupBlocks int, packed bool, o Options, how outofcore.Options) (*outofcore.Result, error) {
	c, err := Begin(ctx, space, NewStream(space, packed, groupBlocks), o)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r, err := outofcore.SolveBy(c.Context(), space, how, NewStreamScheduler(c))
	if err != nil {
		return nil, err
	}
	return r, c.Finish(ctx)
}

// wantStream solves a space by the workers of the cell and compares the result.
func (c *cell) wantStream(t *testing.T, space *partition.Space, groupBlocks int, packed bool, o Options) {
	t.Helper()
	got, err := coordinateStream(t.Context(), space, groupBlocks, packed, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, plainStream(t, space)) {
		t.Errorf("notakto %d after %#x, groups of %d blocks, packed %v: it is another result", space.Size, space.Taken, groupBlocks, packed)
	}
}

// streaming solves Notakto 5×5 after c3 by the workers of the cell, in the background, keeps no
// table, and returns what waits for it and compares the result.
func (c *cell) streaming(t *testing.T) (wait func()) {
	space := spaceAfter(t, 5, 1<<12)
	o := c.options()
	o.GroupBytes = tiny
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
		if !sameResult(got, plainStream(t, space)) {
			t.Error("it is another result")
		}
	}
}

// A solve that keeps no table has the same result however many workers have a hand in it, whatever
// their groups and parts are, and nothing is left of it.
func TestStreamsSameResult(t *testing.T) {
	for _, workers := range []int{1, 2, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			for range workers {
				c.employ(t, nil)
			}
			for i, b := range []struct {
				n     int
				taken uint64
			}{{3, 0}, {4, 0}, {4, 1 << 5}, {5, 0}, {5, 1 << 12}} {
				o := c.options()
				o.GroupBytes = []int64{tiny, few, 1 << 30}[(i+workers)%3]
				c.wantStream(t, spaceAfter(t, b.n, b.taken), []int{1, 3, 1000}[i%3], i%2 == 0, o)
			}
			c.wantNothing(t)
		})
	}
}

// Of Notakto 6×6 with four cells taken the parts have many blocks, and the groups many parts.
func TestStreamsManyBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	t.Parallel()
	c := newCell(t)
	c.employ(t, nil)
	c.employ(t, nil)
	o := c.options()
	o.GroupBytes = 4 << 10
	c.wantStream(t, spaceAfter(t, 6, 1|1<<5|1<<30|1<<35), 700, false, o)
}

// A class is cut for the workers that are there when it is begun, and stays cut so when it is gone on
// with.
func TestStreamsSpread(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 5, 1<<12)
	var lock sync.Mutex
	groups := map[int]map[int]bool{} // the first blocks of those of a class
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	begun := func(class, first int) {
		lock.Lock()
		defer lock.Unlock()
		if groups[class] == nil {
			groups[class] = map[int]bool{}
		}
		groups[class][first] = true
		if class == 5 {
			stop(errStopped)
		}
	}
	employed := 0
	employ := func() {
		t.Helper()
		c.employ(t, func(o *WorkOptions) { o.onTask = begun })
		employed++
		conn, err := connect(c.options(), "test")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.close()
		until(t, "the worker", func() bool {
			if conn.open(t.Context()) != nil {
				return true // nobody has begun
			}
			workers, err := conn.workers(t.Context())
			return err == nil && len(workers) == employed
		})
	}
	// Buckets are there when the first solve has begun.
	first, err := Begin(t.Context(), space, NewStream(space, false, 1000), c.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.Close()
	employ()
	employ()
	o := c.options()
	var heard sayings
	o.GroupBytes, o.Logf = tiny, heard.logf
	if _, err := coordinateStream(ctx, space, 1000, false, o, outofcore.Options{}); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	employ()
	c.wantStream(t, space, 1000, false, o)
	lock.Lock()
	defer lock.Unlock()
	for class, want := range map[int]int{6: 2, 5: 2, 4: 3} {
		if len(groups[class]) != want {
			t.Errorf("class %d is cut into %d groups, not %d", class, len(groups[class]), want)
		}
	}
	if heard.has("made again") {
		t.Errorf("something is made again: %q", heard.all)
	}
}

// The store has no more than the layer in work and those that it is made from.
func TestStreamsLetGo(t *testing.T) {
	t.Parallel()
	for _, taken := range []uint64{0, 1 << 12} { // in halves, and in one piece
		c := newCell(t)
		kept := 2
		if taken == 0 {
			kept = 3
		}
		var lock sync.Mutex
		most := 0
		c.employ(t, func(o *WorkOptions) {
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
		o.GroupBytes = tiny
		c.wantStream(t, spaceAfter(t, 5, taken), 1, false, o)
		if lock.Lock(); most != kept {
			t.Errorf("after %#x: the store had %d layers at once, not %d", taken, most, kept)
		}
		lock.Unlock()
	}
}

// The table of the emptiest classes has the same bytes.
func TestStreamsOpening(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	c.employ(t, nil)
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
			return contents(t, path)
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
				t.Errorf("after %#x, packed %v: it is another table", taken, packed)
			}
		}
	}
}

// A part that gets lost, is cut or is flipped on its way into the store is made again while what
// it is made from is there.
func TestStreamsDamaged(t *testing.T) {
	for name, harm := range harms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			var harmed sync.Map
			c.employ(t, func(o *WorkOptions) {
				o.Store = &damaged{c.store, func(name string, b []byte) []byte {
					if _, again := harmed.LoadOrStore(name, true); !again && strings.Contains(name, "class-05/") {
						return harm(b)
					}
					return b
				}}
			})
			var heard sayings
			o := c.options()
			o.GroupBytes, o.Logf = tiny, heard.logf
			c.wantStream(t, spaceAfter(t, 5, 1<<12), 2, false, o)
			if !heard.has("class-05/", "made again") {
				t.Errorf("nothing is said of it: %q", heard.all)
			}
		})
	}
}

// What is damaged of the class above cannot be made again: the solve ends and says so, and begins
// anew only when it is told to.
func TestStreamsDamagedAbove(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 5, 1<<12)
	var once sync.Once
	c.employ(t, func(o *WorkOptions) {
		o.onTask = func(class, _ int) {
			if class != 3 {
				return
			}
			once.Do(func() {
				files, err := filepath.Glob(filepath.Join(c.place, "*", "*", "class-04", "blocks-*"))
				if err != nil || len(files) == 0 {
					t.Errorf("the class above has no files: %v", err)
				}
				for _, file := range files {
					if err := os.Truncate(file, 100); err != nil {
						t.Error(err)
					}
				}
			})
		}
	})
	o := c.options()
	o.GroupBytes = tiny
	for range 2 {
		_, err := coordinateStream(t.Context(), space, 2, false, o, outofcore.Options{})
		if !errors.Is(err, ErrLost) || !errors.Is(err, store.ErrDamaged) || !strings.Contains(err.Error(), "class-04/") {
			t.Errorf("it ends with %v", err)
		}
		time.Sleep(time.Second) // while there is no coordinator the worker waits
	}
	o.Force, o.Anew = true, true
	c.wantStream(t, space, 2, false, o)
	c.wantNothing(t)
}

// A solve that is stopped in any class goes on after the last one that is sealed, also by a
// coordinator that knows nothing of it.
func TestStreamsGoOn(t *testing.T) {
	t.Parallel()
	for _, taken := range []uint64{0, 1 << 12} {
		c, space := newCell(t), spaceAfter(t, 5, taken)
		c.employ(t, nil)
		o := c.options()
		o.GroupBytes = tiny
		want, resumed := plainStream(t, space), 0
		for class := space.MaskBits; class >= 0; class-- {
			ctx, stop := context.WithCancelCause(t.Context())
			how := outofcore.Options{Options: retro.Options{Progress: func(e retro.Event) {
				if e.Class == class && e.Sealed && class > 0 {
					stop(errStopped)
				}
			}}}
			got, err := coordinateStream(ctx, space, 2, class%2 == 0, o, how)
			stop(nil)
			switch {
			case err == nil:
				if resumed = got.Resumed; !sameResult(got, want) {
					t.Error("it is another result")
				}
			case !errors.Is(err, errStopped):
				t.Fatal(err)
			}
		}
		if resumed != space.MaskBits {
			t.Errorf("it went on after %d classes, not %d", resumed, space.MaskBits)
		}
		c.wantNothing(t)
	}
}

// When NATS has lost its files while no coordinator was at work, the next one finds in the store what is
// finished. It does not where the solve was discarded.
func TestStreamsGoOnFromStore(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 5, 1<<12)
	c.employ(t, nil)
	o := c.options()
	o.GroupBytes = tiny
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	_, err := coordinateStream(ctx, space, 2, true, o, outofcore.Options{Options: retro.Options{Progress: func(e retro.Event) {
		if e.Class == space.MaskBits-3 && e.Sealed {
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
	defer conn.close()
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
	var heard sayings
	o.Logf = heard.logf
	got, err := coordinateStream(t.Context(), space, 2, true, o, outofcore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !sameResult(got, plainStream(t, space)) || got.Resumed < 4 {
		t.Errorf("it is another result, or began anew: it went on after %d classes", got.Resumed)
	}
	if !heard.has("the store has finished classes") {
		t.Errorf("nothing is said of it: %q", heard.all)
	}
	c.wantNothing(t)
}

// A worker on a machine whose words have another order of bytes is refused, and so is a coordinator
// there.
func TestStreamsOrder(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 4, 1)
	coordinator, err := Begin(t.Context(), space, NewStream(space, false, 4), c.options())
	if err != nil {
		t.Fatal(err)
	}
	if err := coordinator.record.update(t.Context(), func(s *Solve) { s.HighFirst = littleEndian }); err != nil {
		t.Fatal(err)
	}
	if err := Work(t.Context(), WorkOptions{Options: c.options()}); !errors.Is(err, ErrByteOrder) {
		t.Errorf("the worker ends with %v", err)
	}
	coordinator.Close()
	if _, err := Begin(t.Context(), space, NewStream(space, false, 4), c.options()); !errors.Is(err, ErrOther) || !strings.Contains(err.Error(), "byte order") {
		t.Errorf("the coordinator ends with %v", err)
	}
}

// A worker whose memory is not what the groups take ends and says how much that is.
func TestStreamsNeedMemory(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 5, 1<<12)
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

// What a part and a sum say comes back, and whatever byte is changed or wherever it is cut, it is
// refused.
func TestSlicesRoundTrip(t *testing.T) {
	place := openStore(t, t.TempDir())
	s := &Solve{ID: newID(), Game: "notakto", Size: 5, Stream: true}
	rapid.Check(t, func(r *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 300), 1, 20).Draw(r, "lengths")
		g := group{subclass{class: rapid.IntRange(0, 9).Draw(r, "class"), set: rapid.Bool().Draw(r, "set")}, 17, len(lengths), false}
		var stored [][]byte
		for _, n := range lengths {
			stored = append(stored, rapid.SliceOfN(rapid.Byte(), n, n).Draw(r, "slice"))
		}
		if _, err := putSlices(t.Context(), place, s, g, stored); err != nil {
			r.Fatal(err)
		}
		got, err := getSlices(t.Context(), place, s, g)
		if err != nil || !reflect.DeepEqual(got, stored) {
			r.Fatalf("%v, %v", got, err)
		}
		object, err := place.Get(t.Context(), s.object(g))
		if err != nil {
			r.Fatal(err)
		}
		defer object.Close()
		var whole bytes.Buffer
		if _, err := whole.ReadFrom(object); err != nil {
			r.Fatal(err)
		}
		at := rapid.IntRange(0, whole.Len()-1).Draw(r, "at")
		changed := bytes.Clone(whole.Bytes())
		changed[at] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		for what, b := range map[string][]byte{"changed": changed, "cut": whole.Bytes()[:at], "longer": append(bytes.Clone(whole.Bytes()), 1)} {
			if err := decodeBytes(b, func(r objectReader) error { _, err := decodeSlices(r, s, g); return err }); !errors.Is(err, errObject) {
				r.Fatalf("%s at %d: %v", what, at, err)
			}
		}
		other := g
		other.set = !g.set
		if err := decodeBytes(whole.Bytes(), func(r objectReader) error { _, err := decodeSlices(r, s, other); return err }); !errors.Is(err, errObject) {
			r.Fatalf("of the other half: %v", err)
		}
	})
}

// The groups of a layer are all of its blocks, once, in whole parts, and so many that every worker
// has one.
func TestStreamGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Solve{
			Stream: true, PartBlocks: rapid.IntRange(1, 50).Draw(t, "part"), Spread: rapid.IntRange(1, 20).Draw(t, "spread"),
			GroupBlocks: rapid.IntRange(1, 2000).Draw(t, "group"),
		}
		blocks := rapid.IntRange(1, 5000).Draw(t, "blocks")
		groups := s.streamGroups(subclass{class: 3}, blocks)
		next := 0
		for _, g := range groups {
			if g.first != next || g.blocks < 1 || g.blocks > max(s.GroupBlocks, s.PartBlocks) || g.first%s.PartBlocks != 0 {
				t.Fatalf("%+v comes where block %d is due", g, next)
			}
			for _, part := range g.cut(s.PartBlocks) {
				if part.first != next || s.partOf(g.subclass, blocks, next) != part || s.partOf(g.subclass, blocks, next+part.blocks-1) != part {
					t.Fatalf("the part %+v comes where block %d is due", part, next)
				}
				next += part.blocks
			}
		}
		if next != blocks || len(groups) < min(s.Spread, (blocks+s.PartBlocks-1)/s.PartBlocks)/2 {
			t.Fatalf("%d groups have %d of %d blocks", len(groups), next, blocks)
		}
	})
}

// A coordinator that is stopped before a class is cut says so.
func TestSpreadIsStopped(t *testing.T) {
	t.Parallel()
	c, space := newCell(t), spaceAfter(t, 5, 1<<12)
	ctx, stop := context.WithCancelCause(t.Context())
	coordinator, err := Begin(ctx, space, NewStream(space, false, 1000), c.options())
	if err != nil {
		t.Fatal(err)
	}
	defer coordinator.Close()
	stop(errStopped)
	if err := NewStreamScheduler(coordinator).setSpread(coordinator.Context(), subclass{class: 5}); !errors.Is(err, errStopped) {
		t.Errorf("%v, want %v", err, errStopped)
	}
}

// A solve's parts and groups have the sizes that its blocks and its workers ask for; one that is
// not streamed has none.
func TestSizeParts(t *testing.T) {
	space := spaceAfter(t, 5, 1<<12)
	slice := outofcore.SliceBytes(space)
	for _, c := range []struct {
		of     Solve
		expect int
		want   [3]int // blocks of a group and of a part, and groups
	}{
		{Solve{Stream: true}, 0, [3]int{1, 1, 1}},
		{Solve{Stream: true, GroupBlocks: 500, GroupBytes: slice}, 3, [3]int{500, groupsPerPart, 3}},
		{Solve{Stream: true, GroupBlocks: 5, GroupBytes: 10 * slice}, 1, [3]int{5, 5, 1}},
		{Solve{Stream: true, GroupBlocks: 1 << 20, GroupBytes: slice << 30}, -1, [3]int{1 << 20, 1 << 15, 1}},
		{Solve{GroupBytes: slice}, 3, [3]int{}},
	} {
		got := c.of
		got.setPartSizes(space, Options{Expect: c.expect})
		if is := [3]int{got.GroupBlocks, got.PartBlocks, got.Spread}; is != c.want || got.HighFirst != (c.of.Stream && !littleEndian) {
			t.Errorf("%+v for %d workers: %v, want %v", c.of, c.expect, is, c.want)
		}
	}
}
