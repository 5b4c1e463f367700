package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"backsolve/cluster/store"
	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/retro"
)

var anySolve = &Solve{ID: "x", Game: "notakto", Size: 5, Steps: true, ShardBytes: 100}

// objectBytes returns the bytes of an object of a store.
func objectBytes(t rapid.TB, from store.Store, name string) []byte {
	t.Helper()
	r, err := from.Get(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An object is read as it was put, whatever is skipped of it. One that is cut anywhere, longer or another one
// is refused.
func TestObjects(t *testing.T) {
	place := openStore(t, t.TempDir())
	rapid.Check(t, func(r *rapid.T) {
		const name = "board/x/class-03/blocks-0-1"
		want := head{First: rapid.IntRange(0, 9).Draw(r, "first"), Last: rapid.Bool().Draw(r, "last")}
		var items [][]byte
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 300), 0, 20).Draw(r, "lengths") {
			items = append(items, rapid.SliceOfN(rapid.Byte(), n, n).Draw(r, "item"))
		}
		if _, err := putObject(t.Context(), place, name, want, items...); err != nil {
			r.Fatal(err)
		}
		reads := rapid.SliceOfN(rapid.IntRange(0, 300), len(items), len(items)).Draw(r, "reads")
		h, _, err := getObject(t.Context(), place, name, func(_ *head, i int, it *item) error {
			b := make([]byte, min(int64(reads[i]), it.left))
			if err := it.fill(b); err != nil || !bytes.Equal(b, items[i][:len(b)]) {
				r.Errorf("item %d begins with %v, %v", i, b, err)
			}
			return nil
		})
		if err != nil || h.First != want.First || h.Last != want.Last {
			r.Fatalf("%+v, %v", h, err)
		}
		whole := objectBytes(r, place, name)
		at := rapid.IntRange(0, len(whole)-1).Draw(r, "at")
		for what, b := range map[string][]byte{"cut": whole[:at], "longer": append(bytes.Clone(whole), 1)} {
			if _, _, err := readObject(bytes.NewReader(b), int64(len(b)), name, nil); !errors.Is(err, store.ErrDamaged) {
				r.Fatalf("%s at %d: %v", what, at, err)
			}
		}
		if _, _, err := readObject(bytes.NewReader(whole), int64(len(whole)), name+"0", nil); !errors.Is(err, store.ErrDamaged) {
			r.Fatalf("of another name: %v", err)
		}
	})
}

// damagedObjects returns the bytes of an object with items, and what damage makes of them.
func damagedObjects(items [][]byte) (whole []byte, damages map[string][]byte) {
	object := func(items ...[]byte) (start, whole []byte) {
		start = appendHead(nil, "a", head{}, items)
		return start, slices.Concat(start, bytes.Join(items, nil))
	}
	start, whole := object(items...)
	damages = map[string][]byte{"one byte more": append(bytes.Clone(whole), 0), "empty": nil}
	for _, length := range []int{1, len(magic), headAt - 1, headAt, len(start) - 1, len(start), len(whole) / 2, len(whole) - 1} {
		damages[fmt.Sprintf("cut to %d", length)] = whole[:length]
	}
	for at := 0; at < len(whole); at += 1 + at/len(start)*997 {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 0x10
		damages[fmt.Sprintf("flipped at %d", at)] = flipped
	}
	exchanged := slices.Clone(items)
	exchanged[0], exchanged[1] = items[1], items[0]
	damages["items exchanged"] = slices.Concat(start, bytes.Join(exchanged, nil))
	exchanged[1] = append([]byte{items[0][0] ^ 1}, items[0][1:]...)
	_, other := object(exchanged[1], items[1])
	damages["of another object"] = slices.Concat(start, other[len(other)-len(items[0])-len(items[1]):], bytes.Join(items[2:], nil))
	return whole, damages
}

// Reads detect every cut and every flipped bit, also in what is skipped, and give no wrong byte before.
func TestDamagedObjects(t *testing.T) {
	items := [][]byte{bitslice.Bytes(random(1, 40_000)), bitslice.Bytes(random(2, 40_000)), {}, []byte("short"), bitslice.Bytes(random(3, 7))}
	whole, damages := damagedObjects(items)
	read := func(b []byte, from io.Reader, skips bool) error {
		_, _, err := readObject(from, int64(len(b)), "a", func(_ *head, i int, it *item) error {
			if skips && i%2 == 0 {
				return nil
			}
			got, err := readItem(it, nil)
			if err == nil && !bytes.Equal(got, items[i]) {
				t.Errorf("item %d is wrong", i)
			}
			return err
		})
		return err
	}
	for _, skips := range []bool{false, true} {
		for _, from := range []io.Reader{bytes.NewReader(whole), iotest.OneByteReader(bytes.NewReader(whole)), iotest.DataErrReader(bytes.NewReader(whole))} {
			if err := read(whole, from, skips); err != nil {
				t.Errorf("whole: %v", err)
			}
		}
		for how, b := range damages {
			if err := read(b, bytes.NewReader(b), skips); !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%s: the error is %v", how, err)
			}
		}
		// A file may become shorter after its length was asked for.
		if err := read(whole, bytes.NewReader(whole[:100_000]), skips); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("cut meanwhile: the error is %v", err)
		}
	}
}

// Any bytes are either damaged, or an object with the items that are read from them.
func FuzzReadObject(f *testing.F) {
	whole, damages := damagedObjects([][]byte{[]byte("some data"), []byte("more"), {}})
	f.Add(whole)
	for _, b := range damages {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var items [][]byte
		_, _, err := readObject(bytes.NewReader(b), int64(len(b)), "a", func(_ *head, _ int, it *item) error {
			got, err := readItem(it, nil)
			items = append(items, got)
			return err
		})
		switch {
		case err == nil && !bytes.HasSuffix(b, bytes.Join(items, nil)):
			t.Errorf("%d items are read of another object", len(items))
		case err != nil && !errors.Is(err, store.ErrDamaged):
			t.Error(err)
		}
	})
}

// A second copy has the same bytes.
func TestCopies(t *testing.T) {
	place := openStore(t, t.TempDir())
	if err := putTwice(t.Context(), place, anySolve, anySolve.marker(), anySolve); err != nil {
		t.Fatal(err)
	}
	names := anySolve.copies(anySolve.marker())
	if a, b := objectBytes(t, place, names[0]), objectBytes(t, place, names[1]); !bytes.Equal(a, b) {
		t.Errorf("%q, and the copy is %q", a, b)
	}
}

// contentsOf returns what a new store has of a solve of Notakto 5×5 or Quixo 4×3, with steps.
func contentsOf(t *testing.T, shards bool) *contents {
	t.Helper()
	space := newSpace(t, 5)
	if shards {
		space = namedSpace(t, "quixo", 3)
	}
	solve := NewSolve(space, retro.Options{Steps: true})
	solve.ID = "x"
	return &contents{openStore(t, t.TempDir()), &solve, space, partition.BlockCounts(space), func(int64) {}}
}

// random returns random words.
func random(seed uint64, n int) []uint64 {
	source := rand.New(rand.NewPCG(seed, 1))
	all := make([]uint64, n)
	for i := range all {
		all[i] = source.Uint64()
	}
	return all
}

// An object that is read equals the one that was put. One of other slices is refused.
func TestBlocksAndSlices(t *testing.T) {
	c := contentsOf(t, false)
	g := shard{stage: stage{Class: 3}, First: 17, Blocks: 3}
	words := int(c.units(g)[0].words) / g.Blocks
	for digits := range 4 {
		want := &retro.SolvedBlocks{Class: 3, First: 17, Words: words, Win: random(1, 3*words)}
		for d := range digits {
			want.Digits = append(want.Digits, random(uint64(2+d), 3*words))
		}
		if _, err := putObject(t.Context(), c.store, c.solve.object(g), head{}, planesOf(want)...); err != nil {
			t.Fatal(err)
		}
		got, err := c.solved(t.Context(), g)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-put +read):\n%s", err, diff)
		}
		for _, items := range [][][]byte{nil, planesOf(want)[1:], {bytesOf(want.Win[1:])}} {
			if digits == 1 && len(items) == 1 && len(items[0]) == 8*3*words {
				continue // a digit is as long as the won states
			}
			if _, err := putObject(t.Context(), c.store, c.solve.object(g), head{}, items...); err != nil {
				t.Fatal(err)
			}
			if _, err := c.solved(t.Context(), g); len(items) < 2 && !errors.Is(err, store.ErrDamaged) {
				t.Errorf("%d other planes: %v", len(items), err)
			}
		}
	}
}

// Sections and labels that are read equal those that were put.
func TestSectionsAndLabels(t *testing.T) {
	c, class := contentsOf(t, true), 5
	u := c.units(turnOf(class, 1, 0, sealing))[0]
	want := &retro.SolvedSection{Section: u.First, Win: random(1, int(u.words)), Lose: random(2, int(u.words)), Plies: []retro.PlyLabels{
		{Ply: 1, Won: []byte("one"), Lost: []byte("two")}, {Ply: 4, Lost: []byte("three")},
	}}
	if _, err := putSection(t.Context(), c.store, c.solve, class, want); err != nil {
		t.Fatal(err)
	}
	got, err := c.section(t.Context(), class, u.First)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-put +read):\n%s", err, diff)
	}
	long := bytes.Repeat([]byte("x"), labelsBytes+1)
	labels := []retro.SectionLabels{{Section: 3, Won: []byte("a"), Lost: []byte("b")}, {Section: 6, Won: long}, {Section: 9, Lost: []byte("c")}}
	g := turnOf(class, 2, 1, 7)
	w := &labelsWriter{to: c.store, name: c.solve.object(g)}
	for _, l := range labels {
		if err := w.add(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.put(t.Context(), true); err != nil || w.objects != 2 {
		t.Errorf("%d objects, %v", w.objects, err)
	}
	var read []retro.SectionLabels
	err = c.labels(t.Context(), g, func(l retro.SectionLabels) error { read = append(read, l); return nil })
	same := func(a, b retro.SectionLabels) bool {
		return a.Section == b.Section && bytes.Equal(a.Won, b.Won) && bytes.Equal(a.Lost, b.Lost)
	}
	if err != nil || !slices.EqualFunc(labels, read, same) {
		t.Errorf("%d labels are read, %v", len(read), err)
	}
}

// The units of shards are the sections of the class, once, in order.
func TestUnits(t *testing.T) {
	c, class := contentsOf(t, true), 4
	for shards := 1; shards < 5; shards++ {
		at := int64(0)
		for shard := range shards {
			for _, u := range c.units(turnOf(class, shards, shard, sealing)) {
				if u.at != at || u.words < 1 {
					t.Fatalf("%+v comes instead of word %d", u, at)
				}
				at += u.words
			}
		}
		if at != c.words(class) {
			t.Errorf("%d shards have %d of %d words", shards, at, c.words(class))
		}
	}
}

// The shards of a class have all of its blocks, once, in order, and are not too many.
func TestShardsOfClass(t *testing.T) {
	space := newSpace(t, 5)
	rapid.Check(t, func(t *rapid.T) {
		s := Solve{Game: "notakto", Size: 5, ShardBytes: rapid.Int64Range(1, 1<<22).Draw(t, "bytes")}
		blocks := rapid.IntRange(1, 100_000).Draw(t, "blocks")
		next := 0
		shards := s.shards(space, 3, blocks)
		for _, g := range shards {
			if g.First != next || g.Blocks < 1 || g.Class != 3 {
				t.Fatalf("%+v comes instead of block %d", g, next)
			}
			next += g.Blocks
		}
		if next != blocks || len(shards) > maxShards {
			t.Fatalf("%d shards have %d of %d blocks", len(shards), next, blocks)
		}
	})
}

// Words are stored as little-endian bytes on every machine.
func TestByteOrder(t *testing.T) {
	defer func(here bool) { littleEndian = here }(littleEndian)
	plane, want := random(4, 20_000), []byte(nil)
	for _, word := range plane {
		want = binary.LittleEndian.AppendUint64(want, word)
	}
	for _, littleEndian = range []bool{littleEndian, false} { // both ways are right on this machine
		if !bytes.Equal(bytesOf(plane), want) {
			t.Errorf("lowest first %t: other bytes", littleEndian)
		}
		got := make([]uint64, len(plane))
		itemOf := func(b []byte) *item {
			return &item{from: bufio.NewReader(bytes.NewReader(b)), left: int64(len(want)), want: crc32.Checksum(want, castagnoli)}
		}
		if err := readWords(itemOf(want), got); err != nil || !reflect.DeepEqual(got, plane) {
			t.Errorf("lowest first %t: other words, %v", littleEndian, err)
		}
		if err := readWords(itemOf(want[1:]), got); !errors.Is(err, store.ErrDamaged) {
			t.Errorf("lowest first %t: cut short: %v", littleEndian, err)
		}
	}
}
