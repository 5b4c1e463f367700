package measure

import (
	"math/bits"
	"time"
)

// Histogram counts durations in buckets whose width is less than a hundredth of
// what they hold. The zero value is empty.
type Histogram struct {
	counts [buckets]uint64
	total  uint64
}

const (
	exactBits = 7 // durations below 2^exactBits ns have a bucket each
	steps     = 1 << exactBits
	buckets   = (64 - exactBits + 1) * steps
)

// bucket returns the number of the bucket of a duration in nanoseconds: the
// exponent, and the exactBits bits that follow the leading one.
func bucket(ns uint64) int {
	shift := max(bits.Len64(ns)-exactBits-1, 0)
	return shift*steps + int(ns>>shift)
}

// upper returns the greatest duration of a bucket in nanoseconds.
func upper(bucket int) uint64 {
	if bucket < 2*steps {
		return uint64(bucket)
	}
	shift := bucket/steps - 1
	return uint64(bucket-shift*steps+1)<<shift - 1
}

// Add counts a duration; a negative one counts as 0.
func (h *Histogram) Add(d time.Duration) {
	h.counts[bucket(uint64(max(d, 0)))]++
	h.total++
}

// Merge adds what another histogram has counted.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.counts {
		h.counts[i] += n
	}
	h.total += other.total
}

// Total is the number of durations.
func (h *Histogram) Total() uint64 { return h.total }

// Quantile returns the duration that a share q of all, 0 ≤ q ≤ 1, do not
// exceed, at most a hundredth too long; 0 of an empty histogram.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := max(uint64(q*float64(h.total)+0.999999), 1)
	seen := uint64(0)
	for i, n := range h.counts {
		if seen += n; seen >= rank {
			return time.Duration(upper(i))
		}
	}
	return 0
}
