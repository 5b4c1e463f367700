package writer

import (
	"encoding/binary"
	"fmt"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// SealSlices is Seal for a class of a table with one plane and without numbers whose
// slices need not be in memory together: slice returns that of each block in turn,
// good until the next call, and may fail.
func (w *Writer) SealSlices(c tablebase.Class, n tablebase.Counts, slice func(block int) ([]uint64, error)) error {
	if w.lock == nil {
		return w.closed()
	}
	if w.packer != nil {
		return tablebase.Inputf(w.path, "it is not written packed slice by slice")
	}
	if w.shape.Planes != 1 || w.shape.Numbered() {
		return tablebase.Inputf(w.path, "slices alone are not all of a table %v", w.shape)
	}
	if err := n.Check(w.shape, c.IndexBits, len(c.Masks)); err != nil {
		return tablebase.Inputf(w.path, "class %d: %v", c.Class, err)
	}
	r, err := w.layOut(c, 0, n)
	if err != nil {
		return tablebase.Inputf(w.path, "%v", err)
	}
	if err := w.writeSlices(r, slice); err != nil {
		return err
	}
	if r.Sums[format.Masks].Held, err = r.Parts[format.Masks].Write(w.partial, format.Held([][]uint64{c.Masks})); err != nil {
		return w.writeError(w.partialPath(), err)
	}
	return w.list(r, nil)
}

// writeSlices writes the outcomes of a class slice by slice, with their checksums.
func (w *Writer) writeSlices(r *format.Record, slice func(block int) ([]uint64, error)) error {
	p := r.Parts[format.Outcomes]
	buf := make([]byte, 0, format.StretchSize)
	at := p.Offset
	flush := func() error {
		for i := 0; i < len(buf); i += format.ChunkSize {
			r.Sums[format.Outcomes].Held = append(r.Sums[format.Outcomes].Held, format.Checksum(buf[i:min(i+format.ChunkSize, len(buf))]))
		}
		if _, err := w.partial.WriteAt(buf, at); err != nil {
			return w.writeError(w.partialPath(), err)
		}
		at += int64(len(buf))
		buf = buf[:0]
		return nil
	}
	for block := range r.Blocks {
		words, err := slice(block)
		if err != nil {
			return err
		}
		if err := checkSlice(words, r.ClassInfo); err != nil {
			return tablebase.Inputf(w.path, "class %d, block %d: %v", r.Class, block, err)
		}
		for _, x := range words {
			if buf = binary.LittleEndian.AppendUint64(buf, x); len(buf) == cap(buf) {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	for at+int64(len(buf)) < p.Offset+p.Padded() {
		buf = append(buf, 0)
	}
	return flush()
}

// checkSlice says what is wrong with a slice.
func checkSlice(words []uint64, c tablebase.ClassInfo) error {
	if len(words) != c.Words() {
		return fmt.Errorf("%d words, not %d", len(words), c.Words())
	}
	if c.IndexBits < 6 && words[0]>>(1<<c.IndexBits) != 0 {
		return fmt.Errorf("states beyond the %d of the slice", 1<<c.IndexBits)
	}
	return nil
}

// Flush waits until what is sealed is on the disk: from there on a power cut costs
// none of it.
func (w *Writer) Flush() error {
	if w.lock == nil {
		return w.closed()
	}
	return w.sync()
}
