package bitslice

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRouteIsTheMap compares the route of a plan with the map, state by state, both
// ways.
func TestRouteIsTheMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t, 13)
		plan := NewPlan(&m)
		var up, down Route
		states := rapid.SampledFrom([]int{1, manyStates}).Draw(t, "states")
		plan.Up(&up, states)
		plan.Down(&down, states)
		reached := make(map[uint32]uint32)
		for dst := range uint32(1) << uint(m.Dst) {
			want, reads := m.Index(dst)
			if got, ok := down.Through(dst); ok != reads || ok && got != want {
				t.Fatalf("%+v: Down(%b) = %b %v, want %b %v", m, dst, got, ok, want, reads)
			}
			if reads {
				reached[want] = dst
			}
		}
		for src := range uint32(1) << uint(m.Src) {
			want, reads := reached[src]
			if got, ok := up.Through(src); ok != reads || ok && got != want {
				t.Fatalf("%+v: Up(%b) = %b %v, want %b %v", m, src, got, ok, want, reads)
			}
		}
		checkAll(t, &down, m.Dst)
		checkAll(t, &up, m.Src)
	})
}

// checkAll compares what takes many states at once with what takes one.
func checkAll(t *rapid.T, r *Route, bits int) {
	var states, want []uint32
	for state := range uint32(1) << uint(bits) {
		states = append(states, state)
		if other, ok := r.Through(state); ok {
			want = append(want, other)
		}
	}
	before := []uint32{7}
	if got := r.AppendThrough(before, states); got[0] != 7 || !slices.Equal(got[1:], want) {
		t.Fatalf("AppendThrough gives %v, want %v", got, want)
	}
	all := make([]uint32, len(states))
	r.All(all, states)
	for i, state := range states {
		other, ok := r.Through(state)
		if !ok {
			other = Absent
		}
		if all[i] != other {
			t.Fatalf("All(%b) = %#x, want %#x", state, all[i], other)
		}
	}
}
