package radix

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Keys are sorted without duplicates, and entries stably, whichever bits their keys share and whatever is in
// the spare slices.
func TestSort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		or, and := r.Uint64()>>r.IntN(64), r.Uint64()<<r.IntN(64)
		var keys []uint64
		var entries []Entry
		for i := range r.IntN(300) {
			k := r.Uint64()&and | or
			if i%7 == 0 && i > 0 {
				k = keys[r.IntN(i)]
			}
			keys, entries = append(keys, k), append(entries, Entry{k, uint32(i)})
		}
		want, wanted := slices.Clone(keys), slices.Clone(entries)
		slices.Sort(want)
		want = slices.Compact(want)
		slices.SortStableFunc(wanted, func(a, b Entry) int { return cmp.Compare(a.Key, b.Key) })
		sorted, spare := Keys(keys, []uint64{7, 7})
		if !slices.Equal(sorted, want) || cap(spare) < len(entries) {
			t.Fatalf("%x, want %x", sorted, want)
		}
		if got, spare := Sort(entries, make([]Entry, r.IntN(5))); !slices.Equal(got, wanted) || cap(spare) < len(entries) {
			t.Fatalf("%x, want %x", got, wanted)
		}
	}
}

// A pass looks at eleven bits from the lowest on in which keys differ, so that no bit that all share
// needs one.
func TestDigits(t *testing.T) {
	for _, c := range []struct {
		varying uint64
		want    []int
	}{
		{0, nil}, {1, []int{0}}, {1 << 63, []int{63}}, {1<<11 - 1, []int{0}}, {1<<12 - 1, []int{0, 11}}, {1 | 1<<11, []int{0, 11}},
		{1<<3 | 1<<13 | 1<<40, []int{3, 40}}, {1 << 53, []int{53}}, {1<<52 | 1<<63, []int{52, 63}}, {math.MaxUint64, []int{0, 11, 22, 33, 44, 55}},
	} {
		if got := digits(c.varying|1<<20, 1<<20&^c.varying); c.varying>>20&1 == 0 && !slices.Equal(got, c.want) {
			t.Errorf("%x: %v, want %v", c.varying, got, c.want)
		}
		if got := digits(c.varying, 0); !slices.Equal(got, c.want) {
			t.Errorf("%x: %v, want %v", c.varying, got, c.want)
		}
	}
}
