package reader_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// TestForeignFooter has a whole frame with another table's checksums as a footer, which
// the identity shows.
func TestForeignFooter(t *testing.T) {
	classes := tabletest.LargeTable(tabletest.QuixoShape)
	path := tabletest.Write(t, tabletest.QuixoShape, classes)
	pieces := cutUp(t, path)
	footer := pieces[len(pieces)-1]
	sums := records(tabletest.Open(t, path))[0].Sums[format.Outcomes]
	at := len(footer)
	for ; binary.LittleEndian.Uint32(footer[at-4:]) != sums[1]; at -= 4 {
	}
	footer[at-1] ^= 1
	path = tabletest.Save(t, frame(t, pieces...))
	if _, err := reader.Open(path); !errors.Is(err, tablebase.ErrDamaged) {
		t.Errorf("it is opened: %v", err)
	}
}
