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

// Lookups give the same before anything is checked as after everything is, for as many states as
// fit into a group, fewer, and more.
func TestLookupAllOfMapping(t *testing.T) {
	for _, shape := range []tablebase.Shape{tabletest.QuixoShape, notaktoShape} {
		classes := tabletest.SmallTable(shape)
		path := tabletest.Write(t, shape, classes)
		checked := tabletest.Open(t, path)
		if checked.Mapped() == nil {
			t.Skip("tables are not mapped here")
		}
		for _, r := range records(checked) {
			for part := range format.Masks {
				for chunk := range r.Parts[part].Chunks() {
					checked.SetChecked(r.Class, part, chunk)
				}
			}
		}
		r := rand.New(rand.NewPCG(4, 4))
		var places []reader.Place
		var want []tablebase.Entry
		for _, c := range classes {
			sampled(c, r, 200, func(block int, index uint64) {
				places = append(places, reader.Place{Class: c.Class.Class, Block: block, Index: index})
				want = append(want, entryOf(c, shape, block, index))
			})
		}
		r.Shuffle(len(places), func(i, j int) {
			places[i], places[j] = places[j], places[i]
			want[i], want[j] = want[j], want[i]
		})
		got := make([]tablebase.Entry, len(places))
		for n := range 70 {
			for _, table := range []*reader.Table{tabletest.Open(t, path), checked} {
				if err := table.LookupAll(places[:n], got[:n]); err != nil || !slices.Equal(got[:n], want[:n]) {
					t.Fatalf("%v: %v, %v, want %v", shape, err, got[:n], want[:n])
				}
			}
		}
		if err := checked.LookupAll(places, got); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v: all: %v", shape, err)
		}
	}
}
