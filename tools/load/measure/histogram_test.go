package measure

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Each bucket begins where the one before it ends, and is narrow.
func TestBuckets(t *testing.T) {
	last := bucket(math.MaxInt64)
	for i := range last + 1 {
		high := upper(i)
		if bucket(high) != i || high < math.MaxInt64 && bucket(high+1) != i+1 {
			t.Fatalf("bucket %d ends with %d, which is in bucket %d, the next in %d", i, high, bucket(high), bucket(high+1))
		}
		if i > 0 {
			low := upper(i-1) + 1
			if width := high - low; float64(width) > 0.01*float64(low) {
				t.Fatalf("bucket %d is from %d to %d", i, low, high)
			}
		}
	}
	if last >= buckets {
		t.Errorf("the longest duration is in bucket %d of %d", last, buckets)
	}
}

// The slow twin of Quantile sorts.
func TestQuantile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		durations := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64), 1, 300).Draw(t, "durations")
		split := rapid.IntRange(0, len(durations)).Draw(t, "split")
		q := float64(rapid.IntRange(0, 1000).Draw(t, "q")) / 1000
		var h, other Histogram
		for i, d := range durations {
			if i < split {
				h.Add(time.Duration(d))
			} else {
				other.Add(time.Duration(d))
			}
		}
		h.Merge(&other)
		slices.Sort(durations)
		rank := max(int(math.Ceil(q*float64(len(durations))-1e-6)), 1)
		want := float64(durations[rank-1])
		got := float64(h.Quantile(q))
		if got < want || got > want*1.01 || h.Total() != uint64(len(durations)) {
			t.Fatalf("quantile %g of %v is %g, want %g or a hundredth more", q, durations, got, want)
		}
	})
}

func TestQuantileOfNothing(t *testing.T) {
	if got := new(Histogram).Quantile(0.5); got != 0 {
		t.Errorf("%v", got)
	}
}

func TestNegativeDuration(t *testing.T) {
	var h Histogram
	h.Add(-time.Second)
	if h.Total() != 1 || h.Quantile(1) != 0 {
		t.Errorf("%d counted, the longest %v", h.Total(), h.Quantile(1))
	}
}
