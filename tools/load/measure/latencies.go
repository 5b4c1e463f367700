package measure

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// latencies counts how long requests took, to three digits.
type latencies struct{ h *hdrhistogram.Histogram }

// The shortest and the longest time that are told apart from all others.
const (
	shortestTime = time.Nanosecond
	longestTime  = 2 * askTime
)

func newLatencies() latencies {
	return latencies{hdrhistogram.New(int64(shortestTime), int64(longestTime), 3)}
}

// add counts a time; one beyond the longest counts as that.
func (l latencies) add(d time.Duration) {
	if err := l.h.RecordValue(int64(min(d, longestTime))); err != nil {
		panic(err) // of a time from a clock that runs backwards
	}
}

// merge adds what another one has counted.
func (l latencies) merge(other latencies) { l.h.Merge(other.h) }

// seconds returns the time that a share q of all, 0 < q ≤ 1, do not exceed.
func (l latencies) seconds(q float64) float64 {
	return time.Duration(l.h.ValueAtQuantile(100 * q)).Seconds()
}
