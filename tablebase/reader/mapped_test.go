package reader_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// Once everything is checked states are looked up in another way, with the same answers; before
// that, not even one is.
func TestLookupAllChecked(t *testing.T) {
	for _, shape := range []tablebase.Shape{tabletest.QuixoShape, tabletest.NotaktoShape} {
		classes := tabletest.SmallTable(shape)
		table := tabletest.Open(t, tabletest.Write(t, shape, classes))
		if !table.IsMapped() {
			t.Skip("tables are not mapped here")
		}
		r := rand.New(rand.NewPCG(4, 4))
		var places []reader.Place
		for _, c := range classes {
			c.Sampled(r, 200, func(block int, index uint64) {
				places = append(places, reader.Place{Class: c.Class.Class, Block: block, Index: index})
			})
		}
		r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
		got, want := make([]tablebase.Entry, len(places)), make([]tablebase.Entry, len(places))
		if done, err := table.LookupAllChecked(places, got); done || err != nil {
			t.Fatalf("%v: looked up without a check: %t, %v", shape, done, err)
		}
		for _, l := range records(table) {
			for part := range format.Masks {
				for c := range l.Parts[part].Chunks() {
					if err := table.CheckChunk(l.Class, part, c); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		for n := range 70 { // as many as are looked up at once, fewer, and more
			if err := table.LookupAllMapped(places[:n], want[:n]); err != nil {
				t.Fatal(err)
			}
			if done, err := table.LookupAllChecked(places[:n], got[:n]); !done || err != nil || !slices.Equal(got[:n], want[:n]) {
				t.Fatalf("%v: %t, %v, %v, want %v", shape, done, err, got[:n], want[:n])
			}
		}
		if err := table.LookupAllMapped(places, want); err != nil {
			t.Fatal(err)
		}
		if done, err := table.LookupAllChecked(places, got); !done || err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: all: %t, %v", shape, done, err)
		}
	}
}
