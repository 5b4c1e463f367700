package tablebase

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Once everything is checked states are looked up in another way, with the same answers; before
// that, not even one is.
func TestLookupAllChecked(t *testing.T) {
	for _, shape := range []Shape{quixoShape, notaktoShape} {
		classes := smallTable(shape)
		table := open(t, write(t, shape, classes))
		m := table.mapped.Load()
		if m == nil {
			t.Skip("tables are not mapped here")
		}
		r := rand.New(rand.NewPCG(4, 4))
		var places []Place
		for _, c := range classes {
			c.sampled(r, 200, func(block int, index uint64) { places = append(places, Place{c.class.Class, block, index}) })
		}
		r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		got, want := make([]Entry, len(places)), make([]Entry, len(places))
		if done, err := table.lookupAllChecked(m, places, got); done || err != nil {
			t.Fatalf("%v: looked up without a check: %t, %v", shape, done, err)
		}
		for _, l := range table.classes {
			for part := range masks {
				for c := range l.parts[part].chunks() {
					if err := table.checkChunk(table.byClass[l.Class], part, c); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for n := range 70 { // as many as are looked up at once, fewer, and more
			if err := table.lookupAllMapped(m, places[:n], want[:n]); err != nil {
				t.Fatal(err)
			}
			if done, err := table.lookupAllChecked(m, places[:n], got[:n]); !done || err != nil || !slices.Equal(got[:n], want[:n]) {
				t.Fatalf("%v: %t, %v, %v, want %v", shape, done, err, got[:n], want[:n])
			}
		}
		if err := table.lookupAllMapped(m, places, want); err != nil {
			t.Fatal(err)
		}
		if done, err := table.lookupAllChecked(m, places, got); !done || err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: all: %t, %v", shape, done, err)
		}
	}
}
