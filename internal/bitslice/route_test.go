package bitslice

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestRouteIsTheMap compares the routes of a plan with the map, state by state, both
// ways.
func TestRouteIsTheMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawMap(t, 13)
		plan := NewPlan(&m)
		var up, down Route
		states := rapid.SampledFrom([]int{1, manyStates}).Draw(t, "states")
		plan.Up(&up, states)
		plan.Down(&down, states)
		reads := slices.Repeat([]uint32{Absent}, 1<<uint(m.Dst))
		readBy := slices.Repeat([]uint32{Absent}, 1<<uint(m.Src))
		for dst := range uint32(1) << uint(m.Dst) {
			if src, ok := m.Index(dst); ok {
				reads[dst], readBy[src] = src, dst
			}
		}
		checkRoute(t, "down", &down, reads, len(readBy))
		checkRoute(t, "up", &up, readBy, len(reads))
	})
}

// checkRoute compares a route with the other side of all states, Absent if there is none. The
// other side has others states.
func checkRoute(t *rapid.T, way string, r *Route, want []uint32, others int) {
	states, all := make([]uint32, len(want)), make([]uint32, len(want))
	for i := range states {
		states[i] = uint32(i)
	}
	r.MapAll(all, states)
	for state, other := range want {
		if all[state] != other && (other != Absent || all[state]&Absent == 0 || all[state]&^Absent >= uint32(others)) {
			t.Fatalf("%s: All(%b) = %#x, want %#x", way, state, all[state], other)
		}
	}
	// A few of them, which are not whole groups.
	from := rapid.IntRange(0, len(states)).Draw(t, "from")
	states = states[from:rapid.IntRange(from, len(states)).Draw(t, "to")]
	want = want[from:][:len(states)]
	through := slices.DeleteFunc(slices.Clone(want), func(other uint32) bool { return other == Absent })
	if got := r.AppendThrough([]uint32{7}, states); got[0] != 7 || !slices.Equal(got[1:], through) {
		t.Fatalf("%s: AppendThrough gives %v, want %v", way, got, through)
	}
}

// BenchmarkRoute takes states of a slice of 2^17 along a map, several numbers of them at once.
func BenchmarkRoute(b *testing.B) {
	m := Identity(17)
	for _, s := range [][2]int{{6, 7}, {7, 8}, {8, 12}, {2, 9}} {
		m.From[s[0]], m.From[s[1]] = m.From[s[1]], m.From[s[0]]
	}
	m.One = 1 << 8
	plan := NewPlan(&m)
	for _, n := range []int{8, 32, 64, 256, 4096} {
		states := make([]uint32, n)
		for i := range states {
			states[i] = uint32(i) * 0x9e3779b1 >> 15
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var r Route
			var to []uint32
			for b.Loop() {
				plan.Up(&r, n)
				to = r.AppendThrough(to[:0], states)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/state")
		})
	}
}
