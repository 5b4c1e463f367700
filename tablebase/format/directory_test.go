package format

import (
	"bytes"
	"errors"
	"testing"

	"backsolve/tablebase"
)

// A directory has the records of its classes, and not a byte more or less.
func TestDirectoryEndsWithItsLastClass(t *testing.T) {
	shape := tablebase.Shape{Game: "quixo", Size: 4, Planes: 2, Steps: true}
	h := Header{Shape: shape, FooterOffset: PageSize}
	var records []byte
	for _, class := range []int{9, 5, 0} {
		r, err := NewRecord(shape, class, class, 3, min(class, 4), h.FooterOffset)
		if err != nil {
			t.Fatal(err)
		}
		r.Counts.ByWeight = make([]tablebase.OutcomeCounts, r.IndexBits+1)
		for i, p := range r.Parts {
			r.Sums[i] = make([]uint32, p.Chunks())
		}
		records = r.Append(records)
		h.Classes, h.FooterOffset = h.Classes+1, r.End()
	}
	for _, c := range []struct {
		bytes []byte
		ok    bool
	}{{records, true}, {append(bytes.Clone(records), 1), false}, {records[:len(records)-1], false}} {
		d := newDirectory(c.bytes, shape, h.FooterOffset)
		if _, err := d.all(&h); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrDirectory) {
			t.Errorf("%d bytes of %d: %v", len(c.bytes), len(records), err)
		}
	}
}
