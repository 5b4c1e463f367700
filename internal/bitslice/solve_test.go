package bitslice

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSolveSliceFrom enters known outcomes state by state, and solves the rest.
func TestSolveSliceFrom(t *testing.T) {
	for k := range 16 {
		for seed := range uint64(8) {
			r := rand.New(rand.NewPCG(seed, uint64(k)))
			got := randomSlice(seed, k, int(seed%4))
			known := Known{Fresh: seed%3 == 0}
			for range seed % 5 {
				known.Children = append(known.Children, randomSlice(r.Uint64(), k, int(seed%2)))
			}
			for range seed % 4 {
				care := r.Uint32() & r.Uint32() & (1<<uint(k) - 1)
				known.Won = append(known.Won, Cube{care, r.Uint32() & care})
			}
			want := slices.Clone(got)
			if known.Fresh {
				clear(want)
			}
			for i := range uint32(1) << uint(k) {
				won := slices.ContainsFunc(known.Won, func(c Cube) bool { return i&c.Care == c.Value }) ||
					slices.ContainsFunc(known.Children, func(c []uint64) bool { return c[i>>6]>>(i&63)&1 == 0 })
				if won {
					want[i>>6] |= 1 << (i & 63)
				}
			}
			solveWords(want, k)
			SolveSliceFrom(got, known, k)
			if !slices.Equal(got, want) {
				t.Fatalf("k = %d, seed %d: the slice differs from what is known state by state", k, seed)
			}
		}
	}
}

// TestCovers compares cubes with the parts that they cover.
func TestCovers(t *testing.T) {
	const k = 10
	r := rand.New(rand.NewPCG(1, 1))
	covered := 0
	for range 2000 {
		segment := Segment{Bits: r.IntN(k - WordBits + 1)}
		segment.Value = r.Uint32N(1 << uint(k-WordBits-segment.Bits))
		care := r.Uint32() & r.Uint32() & r.Uint32() & (1<<k - 1)
		c := Cube{care, r.Uint32() & care}
		words := make([]uint64, 1<<uint(segment.Bits))
		c.Fill(words, segment, k)
		want := !slices.ContainsFunc(words, func(w uint64) bool { return w != ^uint64(0) })
		if got := c.covers(segment); got != want {
			t.Fatalf("%+v covers %+v: %t", c, segment, got)
		}
		if want {
			covered++
		}
	}
	if covered < 20 {
		t.Errorf("%d segments were covered only", covered)
	}
}

// TestStraight checks which index maps leave all states in place.
func TestStraight(t *testing.T) {
	for k := range 16 {
		identity := Identity(k)
		if p := NewPlan(&identity); !p.Straight() {
			t.Errorf("the identity of %d index bits is not straight", k)
		}
		for i := range k {
			for j := range i {
				m := Identity(k)
				m.From[i], m.From[j] = uint8(j), uint8(i)
				if p := NewPlan(&m); p.Straight() {
					t.Errorf("the exchange of bits %d and %d of %d is straight", i, j, k)
				}
			}
		}
		if k > 0 {
			m := Identity(k)
			m.One = 1
			if p := NewPlan(&m); p.Straight() {
				t.Errorf("a map of half of %d index bits is straight", k)
			}
		}
	}
}
