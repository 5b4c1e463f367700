package bitslice

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// nimberSlice makes a slice as Solve leaves it: a random share of its states is terminal, and
// states without a nimber hold −1.
func nimberSlice(r *rand.Rand, k, digits int) (win []uint64, n Numbers, each []int) {
	win, n, each = make([]uint64, Words(k)), make(Numbers, digits), make([]int, 1<<uint(k))
	for d := range n {
		n[d] = make([]uint64, Words(k))
	}
	for i := range each {
		if each[i] = r.IntN(1<<uint(digits)+1) - 1; each[i] != 0 {
			win[i/64] |= 1 << uint(i%64)
		}
		for d := range n {
			n[d][i/64] |= uint64(max(each[i], 0)>>uint(d)&1) << uint(i%64)
		}
	}
	return win, n, each
}

// The nimbers of a slice are the least that no child has, state by state.
func TestMexIsStateByState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(0, 9).Draw(t, "k")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		const digits = 5 // of up to 9 moves inside and up to 8 reached outside
		s := MexSlice{Over: randomSlice(r.Uint64(), k, rapid.SampledFrom([]int{0, 2, empty}).Draw(t, "terminal states")), Stride: 1 << digits}
		s.Rows = make([]uint64, Words(k)<<digits)
		reached := make([]uint64, 1<<uint(k)) // by state, the set of the nimbers
		for range rapid.IntRange(0, 4).Draw(t, "children") {
			win, n, each := nimberSlice(r, k, r.IntN(4))
			s.Reach(win, n)
			for i, v := range each {
				if v >= 0 {
					reached[i] |= 1 << uint(v)
				}
			}
		}
		want := make([]int, 1<<uint(k))
		for i := len(want) - 1; i >= 0; i-- {
			for b := 1; b < len(want); b <<= 1 {
				if child := i | b; child != i && want[child] >= 0 {
					reached[i] |= 1 << uint(want[child])
				}
			}
			for reached[i]>>uint(want[i])&1 == 1 {
				want[i]++
			}
			if has(s.Over, i) {
				want[i] = -1
			}
		}
		win, got := make([]uint64, Words(k)), make(Numbers, digits)
		for d := range got {
			got[d] = randomSlice(r.Uint64(), k, 0) // every word is written
		}
		s.Solve(win, got, k)
		for i, v := range want {
			if won := has(win, i); won != (v != 0) || got.At(i/64, i%64) != max(v, 0) {
				t.Fatalf("state %d: won %v, digits %d; want the nimber %d", i, won, got.At(i/64, i%64), v)
			}
		}
		for i := 1 << uint(k); i < 64; i++ {
			if has(win, i) || got.At(0, i) != 0 {
				t.Fatalf("%d is no state", i)
			}
		}
	})
}
