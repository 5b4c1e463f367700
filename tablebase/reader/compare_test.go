package reader_test

import (
	"errors"
	"math/bits"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// TestCompareOutcomes compares tables with themselves, packed and not, and with ones
// that have other outcomes.
func TestCompareOutcomes(t *testing.T) {
	for _, shape := range tabletest.Shapes {
		classes := tabletest.LargeTable(shape)
		a, b := tabletest.Open(t, tabletest.Write(t, shape, classes)), tabletest.Open(t, tabletest.Finished(t, shape, classes, tablebase.PackedSuffix))
		if n, err := reader.CompareOutcomes(t.Context(), a, b, nil); err != nil || n != 0 {
			t.Errorf("%v: %d states differ, %v", shape, n, err)
		}
		other := tabletest.LargeTable(shape)
		var want uint64
		for _, at := range [][2]int{{0, 3}, {0, 9000}, {1, 1}} {
			p := &other[at[0]].Planes
			want += uint64(bits.OnesCount64(p.Win[at[1]]))
			p.Win[at[1]] = 0
			for _, digit := range p.Steps {
				if p.Lose != nil {
					digit[at[1]] &= p.Lose[at[1]]
				}
			}
		}
		var done, total uint64
		n, err := reader.CompareOutcomes(t.Context(), b, tabletest.Open(t, tabletest.Write(t, shape, other)), func(e tablebase.Event) { done, total = max(done, e.Done), e.Total })
		if err != nil || n != want || done != total {
			t.Errorf("%v: %d states differ, want %d; %d of %d done: %v", shape, n, want, done, total, err)
		}
		if _, err := reader.CompareOutcomes(t.Context(), a, tabletest.Open(t, tabletest.Write(t, shape, classes[:1])), nil); !errors.Is(err, tablebase.ErrInput) {
			t.Errorf("%v: a table with fewer classes: %v", shape, err)
		}
	}
}
