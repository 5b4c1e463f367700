package reader_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// sampledPlaces returns the places of states of all classes, some of them twice, in
// random order, with what the table must say of each.
func sampledPlaces(r *rand.Rand, s tablebase.Shape, classes []tabletest.Sealed) (places []reader.Place, want []tablebase.Entry) {
	for _, c := range classes {
		sampled(c, r, 3000, func(block int, index uint64) {
			places = append(places, reader.Place{Class: c.Class.Class, Block: block, Index: index})
			want = append(want, entryOf(c, s, block, index))
		})
	}
	for range 100 {
		i := r.IntN(len(places))
		places, want = append(places, places[i]), append(want, want[i])
	}
	r.Shuffle(len(places), func(i, j int) {
		places[i], places[j] = places[j], places[i]
		want[i], want[j] = want[j], want[i]
	})
	return places, want
}

// readBatch looks places up in a batch in which every seventh state is not set.
func readBatch(t testing.TB, table *reader.Table, places []reader.Place) *reader.Batch {
	t.Helper()
	b := table.NewBatch(len(places))
	for i, p := range places {
		if i%7 == 3 {
			continue
		}
		if err := b.Set(i, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Read(t.Context(), reader.WorkerPool{Workers: 3, Turns: make(chan struct{}, 2)}); err != nil {
		t.Fatal(err)
	}
	return b
}

// A batch says what lookups say, of packed tables and others: also of states whose
// columns lie in two frames or chunks, and again when the chunks are checked.
func TestBatchIsLookups(t *testing.T) {
	for _, shape := range []tablebase.Shape{tabletest.QuixoShape, notaktoShape} {
		for name, classes := range map[string][]tabletest.Sealed{"small": tabletest.SmallTable(shape), "large": tabletest.LargeTable(shape), "numbers": tabletest.NumbersTable(shape)} {
			path := tabletest.Write(t, shape, classes)
			for _, path := range []string{path, tabletest.Pack(t, path)} {
				table := tabletest.Open(t, path)
				r := rand.New(rand.NewPCG(3, 4))
				for round := range 2 {
					places, want := sampledPlaces(r, shape, classes)
					b := readBatch(t, table, places)
					for i, e := range want {
						if got, ok := b.Entry(i); ok != (i%7 != 3) || ok && got != e {
							t.Fatalf("%s, round %d, %+v: %+v, %v, want %+v", name, round, places[i], got, ok, e)
						}
					}
				}
			}
		}
	}
}

// What a batch cannot read it leaves out, and nothing else: also where the damage comes
// after the chunks were checked.
func TestBatchLeavesOutDamage(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	places, want := sampledPlaces(rand.New(rand.NewPCG(5, 6)), tabletest.QuixoShape, classes)
	for _, checked := range []bool{false, true} {
		path := tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes))
		table := openSmall(t, path)
		if checked {
			readBatch(t, table, places)
		}
		packed := tabletest.ReadFile(t, path)
		for at := len(packed) / 5; at < len(packed)*4/5; at += len(packed) / 5 {
			packed[at] ^= 0x10
		}
		if err := os.WriteFile(path, packed, 0o644); err != nil {
			t.Fatal(err)
		}
		if !checked {
			table = openSmall(t, path)
		}
		b := readBatch(t, table, places)
		missed := 0
		for i, e := range want {
			if i%7 == 3 {
				continue
			}
			got, ok := b.Entry(i)
			if ok && got != e {
				t.Fatalf("checked %t: %+v: %+v, want %+v", checked, places[i], got, e)
			}
			if !ok {
				missed++
				_, err := table.Lookup(places[i].Class, places[i].Block, places[i].Index)
				if !checked && !errors.Is(err, tablebase.ErrDamaged) { // else the cache may have it
					t.Fatalf("%+v is left out, but looked up alone: %v", places[i], err)
				}
			}
		}
		if missed == 0 || missed == len(want) {
			t.Errorf("checked %t: %d of %d states are left out", checked, missed, len(want))
		}
	}
}

// openSmall opens a packed table that keeps eight frames unpacked.
func openSmall(t testing.TB, path string) *reader.Table {
	t.Helper()
	table, err := reader.OpenCaching(path, reader.SmallCache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

// A closed table has nothing to say, and neither has a batch whose time is over.
func TestBatchEnds(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	table := tabletest.Open(t, tabletest.Pack(t, tabletest.Write(t, tabletest.QuixoShape, classes)))
	places, _ := sampledPlaces(rand.New(rand.NewPCG(7, 8)), tabletest.QuixoShape, classes)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := table.NewBatch(len(places))
	for i, p := range places {
		if err := b.Set(i, p); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Read(ctx, reader.WorkerPool{Workers: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := b.Set(0, reader.Place{Class: 64}); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("%v", err)
	}
	table.Close()
	b = readBatch(t, table, places)
	for i := range places {
		if e, ok := b.Entry(i); ok {
			t.Fatalf("a closed table says %+v", e)
		}
	}
}

// A panic of a worker is the caller's, so that it can be met there.
func TestWorkerPoolPanics(t *testing.T) {
	defer func() {
		if p := recover(); p != "on purpose" {
			t.Errorf("the panic is %v", p)
		}
	}()
	turns := make(chan struct{}, 1)
	reader.WorkerPool{Workers: 4, Turns: turns}.Each(t.Context(), 100, 3, func(from, to int) {
		if from <= 50 && 50 < to {
			panic("on purpose")
		}
	})
	t.Error("there is none")
}

// All numbers are worked on, each once.
func TestWorkerPoolWorksOnAll(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 100} {
		done := make([]bool, n)
		err := reader.WorkerPool{Workers: 3}.Each(t.Context(), n, 4, func(from, to int) {
			for i := from; i < to; i++ {
				if done[i] {
					t.Errorf("%d of %d is done twice", i, n)
				}
				done[i] = true
			}
		})
		for i, is := range done {
			if !is || err != nil {
				t.Errorf("%d of %d is not done: %v", i, n, err)
			}
		}
	}
}
