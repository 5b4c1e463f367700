package tablebase

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// shapes are all the kinds of table there are.
var shapes = []Shape{
	{Game: "quixo", Size: 4, Planes: 2, Steps: true},
	{Game: "quixo", Size: 4, Planes: 2},
	{Game: "notakto", Size: 6, Planes: 1, Steps: true},
	{Game: "notakto", Size: 6, Planes: 1},
}

func TestTableSaysWhatWasSealed(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.String(), func(t *testing.T) {
			classes := smallTable(shape)
			table := open(t, write(t, shape, classes))
			if table.Shape() != shape {
				t.Errorf("shape %v, want %v", table.Shape(), shape)
			}
			checkAll(t, table, shape, classes)
			if err := table.Verify(context.Background(), nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkTogether looks states of all classes up at once, in any order.
func checkTogether(t testing.TB, table *Table, shape Shape, classes []sealed) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	var places []Place
	want := make(map[Place]Entry)
	for _, c := range classes {
		c.sampled(r, 300, func(block int, index uint64) {
			place := Place{c.class.Class, block, index}
			places, want[place] = append(places, place), c.entry(shape, block, index)
		})
	}
	r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	entries := make([]Entry, len(places))
	if err := table.LookupAll(places, entries); err != nil {
		t.Fatal(err)
	}
	for i, place := range places {
		if entries[i] != want[place] {
			t.Errorf("LookupAll says %v of %v, want %v", entries[i], place, want[place])
		}
	}
	places[len(places)/2].Index = 1 << 60
	if err := table.LookupAll(places, entries); !errors.Is(err, ErrInput) {
		t.Errorf("LookupAll with a state that is not there: %v", err)
	}
}

// checkFound finds states of all classes at once, of which it is believed, rightly or
// not, in which block they are.
func checkFound(t testing.TB, table *Table, classes []sealed) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 8))
	var sought []Key
	var want []Place
	for _, c := range classes {
		c.sampled(r, 100, func(block int, index uint64) {
			for _, near := range []int{-1, block, r.IntN(c.class.Blocks()), c.class.Blocks()} {
				sought = append(sought, Key{c.class.Class, c.class.Masks[block], index, near})
				want = append(want, Place{c.class.Class, block, index})
			}
		})
	}
	places := make([]Place, len(sought))
	if found, err := table.FindAll(sought, places); found != len(sought) || err != nil || !slices.Equal(places, want) {
		t.Errorf("%d of %d are found, %v: %v, want %v", found, len(sought), err, places, want)
	}
	middle := len(sought) / 2
	sought[middle].Mask = 1 << 63
	if found, err := table.FindAll(sought, places); found != middle || err != nil {
		t.Errorf("%d are found, %v, want %d", found, err, middle)
	}
}

// checkAll compares everything that a table says with what was sealed.
func checkAll(t testing.TB, table *Table, shape Shape, classes []sealed) {
	t.Helper()
	var want []ClassInfo
	for _, c := range classes {
		want = append(want, ClassInfo{c.class.Class, c.class.IndexBits, c.class.Blocks(), len(c.planes.Steps), c.counts})
	}
	if got := table.Classes(); !reflect.DeepEqual(want, got) {
		t.Fatalf("classes: got %+v\nwant %+v", got, want)
	}
	checkTogether(t, table, shape, classes)
	checkFound(t, table, classes)
	r := rand.New(rand.NewPCG(7, 7))
	for i, c := range classes {
		got, err := table.Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(c.class.Masks, got) {
			t.Errorf("masks of class %d: got %+v\nwant %+v", c.class.Class, got, c.class.Masks)
		}
		var planes Planes
		if err := table.Planes(i, 0, c.class.Blocks(), &planes); err != nil {
			t.Fatal(err)
		}
		if !samePlanes(c.planes, planes) {
			t.Errorf("planes of class %d differ", c.class.Class)
		}
		for b, mask := range c.class.Masks {
			if got, found, err := table.Find(c.class.Class, mask); got != b || !found || err != nil {
				t.Errorf("Find(%d, %d) = %d, %v, %v, want %d", c.class.Class, mask, got, found, err, b)
			}
		}
		c.sampled(r, 1000, func(block int, index uint64) {
			got, err := table.Lookup(c.class.Class, block, index)
			if want := c.entry(shape, block, index); err != nil || got != want {
				t.Errorf("Lookup(%d, %d, %d) = %v, %v, want %v", c.class.Class, block, index, got, err, want)
			}
		})
	}
}
