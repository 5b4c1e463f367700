package format

import (
	"strings"
	"testing"

	"backsolve/tablebase"
)

// Outcomes that are read in runs are checked as those in memory are.
func TestOutcomeColumns(t *testing.T) {
	part := Part{Words: 3000, Columns: 2}
	for want, at := range map[string][2]uint64{"": {1, 2}, "both won and lost": {1, 3}, "beyond the 32 states": {1 << 32, 0}} {
		columns := OutcomeColumns(&tablebase.Planes{Outcomes: &tablebase.RunReader{Run: 1 << 10, Read: func(dst [][]uint64, first int) error {
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
