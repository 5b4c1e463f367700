package bitslice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// labelNaive is LabelReversed state by state.
func labelNaive(k int, planes [][]uint64) (count int) {
	touched, candidates, undecided, fresh, won := planes[0], planes[1], planes[2], planes[3], planes[4]
	last := 1<<k - 1
	has := func(plane []uint64, i int) bool { return plane[i>>6]>>(i&63)&1 == 1 }
	for i := range 1 << k {
		if !has(touched, i) {
			continue
		}
		candidates[i>>6] &^= 1 << (i & 63)
		if at := last - i; has(undecided, at) {
			undecided[at>>6] &^= 1 << (at & 63)
			fresh[at>>6] |= 1 << (at & 63)
			won[at>>6] |= 1 << (at & 63)
			count++
		}
	}
	return count
}

func TestLabelReversed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 13).Draw(t, "k")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var got, want [][]uint64
		for range 5 {
			plane := randomSlice(r.Uint64(), k, rapid.IntRange(0, empty).Draw(t, "density"))
			got, want = append(got, slices.Clone(plane)), append(want, slices.Clone(plane))
		}
		if rapid.Bool().Draw(t, "won is fresh") {
			got[4], want[4] = got[3], want[3]
		}
		count, wanted := LabelReversed(k, got[0], got[1], got[2], got[3], got[4]), labelNaive(k, want)
		if count != wanted {
			t.Fatalf("%d states are labelled, want %d", count, wanted)
		}
		for i := range got {
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("plane %d differs from what the definition gives", i)
			}
		}
	})
}
