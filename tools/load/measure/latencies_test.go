package measure

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The slow twin of a quantile sorts. What takes longer than the longest time that is
// told apart counts as that.
func TestLatencies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(1, int64(2*longestTime)), 1, 300).Draw(t, "times")
		split := rapid.IntRange(0, len(times)).Draw(t, "split")
		q := float64(rapid.IntRange(1, 1000).Draw(t, "q")) / 1000
		l, other := newLatencies(), newLatencies()
		for i, d := range times {
			if i < split {
				l.add(time.Duration(d))
			} else {
				other.add(time.Duration(d))
			}
		}
		l.merge(other)
		slices.Sort(times)
		// A rank that falls between two may be rounded to either.
		rank := q * float64(len(times))
		low := times[max(int(math.Floor(rank)), 1)-1]
		high := times[min(max(int(math.Ceil(rank)), 1), len(times))-1]
		got := l.seconds(q)
		bound := func(d int64) float64 { return time.Duration(min(d, int64(longestTime))).Seconds() }
		if got < bound(low)*0.999 || got > bound(high)*1.001 {
			t.Fatalf("quantile %g of %v is %g, want %g to %g or a thousandth more", q, times, got, bound(low), bound(high))
		}
	})
}
