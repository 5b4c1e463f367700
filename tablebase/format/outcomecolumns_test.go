package format

import (
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backsolve/tablebase"
)

// Outcomes that are read in runs are checked as those in memory are.
func TestOutcomeColumns(t *testing.T) {
	part := Part{Words: 3000, Columns: 2}
	for want, at := range map[string][2]uint64{"": {1, 2}, "both won and lost": {1, 3}, "beyond the 32 states": {1 << 32, 0}} {
		columns, _ := PlaneColumns(&tablebase.Planes{Outcomes: &tablebase.RunReader{Run: 1 << 10, Read: func(dst [][]uint64, first int) error {
			for i, plane := range dst {
				clear(plane)
				if first == 2<<10 {
					plane[5] = at[i]
				}
			}
			return nil
		}}}, 5)
		read := int64(0)
		err := part.EachRun(columns, 1, func(buf []byte, at int64) error {
			read += int64(len(buf))
			return nil
		})
		if want == "" && (err != nil || read < 2*8*part.Words) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v: %d bytes, %v", at, read, err)
		}
	}
}

// Columns that are to be read in order are read by one worker, and others by as many as there are.
func TestInOrder(t *testing.T) {
	p := Part{Columns: 2, Words: 9 * IOSize / 8}
	next, reading := 0, atomic.Int32{}
	c := InOrder(func(dst [][]uint64, first int) error {
		if reading.Add(1) != 1 || first != next {
			t.Errorf("the run from %d on is read where that from %d on is next", first, next)
		}
		runtime.Gosched()
		time.Sleep(time.Millisecond)
		next += len(dst[0])
		reading.Add(-1)
		return nil
	})
	var bytes atomic.Int64
	if err := p.EachRun(c, 4, func(buf []byte, _ int64) error { bytes.Add(int64(len(buf))); return nil }); err != nil || next != int(p.Words) || bytes.Load() != p.Padded() {
		t.Errorf("%d words and %d bytes: %v", next, bytes.Load(), err)
	}
}
