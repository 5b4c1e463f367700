package reader_test

import (
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// entryOf is what a table must say of a state.
func entryOf(s tabletest.Sealed, shape tablebase.Shape, block int, index uint64) tablebase.Entry {
	w, bit := block*bitslice.Words(s.Class.IndexBits)+int(index/64), index%64
	has := func(plane []uint64) bool { return plane[w]>>bit&1 == 1 }
	e := tablebase.Entry{Outcome: game.Draw, Steps: -1, Nimber: -1}
	switch {
	case has(s.Planes.Win):
		e.Outcome = game.Win
	case shape.Planes == 1 || has(s.Planes.Lose):
		e.Outcome = game.Lose
	}
	number := 0
	for d, plane := range s.Planes.Steps {
		if has(plane) {
			number += 1 << d
		}
	}
	switch {
	case shape.Steps && e.Outcome != game.Draw:
		e.Steps = number
	case shape.Nimbers && (number > 0 || e.Outcome == game.Lose):
		e.Nimber = number
	}
	return e
}

// sampled calls f for every state of a class, or where it has more than n for n
// random ones.
func sampled(s tabletest.Sealed, r *rand.Rand, n uint64, f func(block int, index uint64)) {
	states := uint64(len(s.Class.Masks)) << s.Class.IndexBits
	for i := range min(states, n) {
		if states > n {
			i = r.Uint64N(states)
		}
		f(int(i>>s.Class.IndexBits), i&(1<<s.Class.IndexBits-1))
	}
}

var notaktoShape = tablebase.Shape{Game: "notakto", Size: 6, Planes: 1}

// checkAll compares everything that a table says with what was sealed.
func checkAll(t testing.TB, table *reader.Table, shape tablebase.Shape, classes []tabletest.Sealed) {
	t.Helper()
	tabletest.CheckStored(t, table, classes)
	checkTogether(t, table, shape, classes)
	checkFound(t, table, classes)
	r := rand.New(rand.NewPCG(7, 7))
	for _, c := range classes {
		for b, mask := range c.Class.Masks {
			if got, found, err := table.Find(c.Class.Class, mask); got != b || !found || err != nil {
				t.Errorf("Find(%d, %d) = %d, %v, %v, want %d", c.Class.Class, mask, got, found, err, b)
			}
		}
		sampled(c, r, 1000, func(block int, index uint64) {
			got, err := table.Lookup(c.Class.Class, block, index)
			if want := entryOf(c, shape, block, index); err != nil || got != want {
				t.Errorf("Lookup(%d, %d, %d) = %v, %v, want %v", c.Class.Class, block, index, got, err, want)
			}
		})
	}
}

// checkTogether looks states of all classes up at once, in any order.
func checkTogether(t testing.TB, table *reader.Table, shape tablebase.Shape, classes []tabletest.Sealed) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	var places []reader.Place
	want := make(map[reader.Place]tablebase.Entry)
	for _, c := range classes {
		sampled(c, r, 300, func(block int, index uint64) {
			place := reader.Place{Class: c.Class.Class, Block: block, Index: index}
			places, want[place] = append(places, place), entryOf(c, shape, block, index)
		})
	}
	r.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	entries := make([]tablebase.Entry, len(places))
	if err := table.LookupAll(places, entries); err != nil {
		t.Fatal(err)
	}
	for i, place := range places {
		if entries[i] != want[place] {
			t.Errorf("LookupAll says %v of %v, want %v", entries[i], place, want[place])
		}
	}
	places[len(places)/2].Index = 1 << 60
	if err := table.LookupAll(places, entries); !errors.Is(err, tablebase.ErrInput) {
		t.Errorf("LookupAll with a state that is not there: %v", err)
	}
}

// checkFound finds states of all classes at once, of which it is believed, rightly or
// not, in which block they are.
func checkFound(t testing.TB, table *reader.Table, classes []tabletest.Sealed) {
	t.Helper()
	r := rand.New(rand.NewPCG(9, 8))
	var keys []reader.Key
	var want []reader.Place
	for _, c := range classes {
		sampled(c, r, 100, func(block int, index uint64) {
			for _, near := range []int{-1, block, r.IntN(len(c.Class.Masks)), len(c.Class.Masks)} {
				keys = append(keys, reader.Key{Class: c.Class.Class, Mask: c.Class.Masks[block], Index: index, Hint: near})
				want = append(want, reader.Place{Class: c.Class.Class, Block: block, Index: index})
			}
		})
	}
	places := make([]reader.Place, len(keys))
	if found, err := table.FindAll(keys, places); found != len(keys) || err != nil || !slices.Equal(places, want) {
		t.Errorf("%d of %d are found, %v: %v, want %v", found, len(keys), err, places, want)
	}
	middle := len(keys) / 2
	keys[middle].Mask = 1 << 63
	if found, err := table.FindAll(keys, places); found != middle || err != nil {
		t.Errorf("%d are found, %v, want %d", found, err, middle)
	}
}

// goldenTable returns the classes of testdata/v1.tb. Its bits follow from a
// formula and not from a generator of random numbers, so that they stay what
// they are.
func goldenTable() []tabletest.Sealed {
	next := uint64(0)
	word := func() uint64 {
		next += 0x9e3779b97f4a7c15
		return bits.RotateLeft64(next*next, 32) ^ next
	}
	var classes []tabletest.Sealed
	for _, c := range []tablebase.Class{{Class: 9, IndexBits: 9, Masks: []uint64{0x1ff}}, {Class: 8, IndexBits: 8, Masks: []uint64{0xff, 0x17f, 0x1ef}}, {Class: 0, IndexBits: 0, Masks: []uint64{0}}} {
		s := tabletest.Sealed{Class: c, Counts: tablebase.Counts{ByWeight: make([]tablebase.OutcomeCounts, c.IndexBits+1), BySteps: make([]tablebase.StepCounts, 3)}}
		n := len(c.Masks) * bitslice.Words(c.IndexBits)
		s.Planes = tablebase.Planes{Win: make([]uint64, n), Lose: make([]uint64, n), Steps: [][]uint64{make([]uint64, n), make([]uint64, n)}}
		valid := bitslice.Valid(c.IndexBits)
		for w := range n {
			s.Planes.Win[w] = word() & valid
			s.Planes.Lose[w] = word() & valid &^ s.Planes.Win[w]
			for d := range s.Planes.Steps {
				s.Planes.Steps[d][w] = word() & (s.Planes.Win[w] | s.Planes.Lose[w])
			}
		}
		for i := range s.Counts.ByWeight {
			s.Counts.ByWeight[i] = tablebase.OutcomeCounts{Wins: word(), Losses: word(), Draws: word(), TerminalWins: word(), TerminalLosses: word()}
		}
		for i := range s.Counts.BySteps {
			s.Counts.BySteps[i] = tablebase.StepCounts{Wins: word(), Losses: word()}
		}
		classes = append(classes, s)
	}
	return classes
}
