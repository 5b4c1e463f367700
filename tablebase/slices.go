package tablebase

import "fmt"

// SealSlices is Seal for a class of a table with one plane and without numbers whose
// slices need not be in memory together: slice returns that of each block in turn,
// good until the next call, and may fail.
func (w *Writer) SealSlices(c Class, n Counts, slice func(block int) ([]uint64, error)) error {
	if w.lock == nil {
		return w.closed()
	}
	if w.packer != nil {
		return input(w.path, "it is not written packed slice by slice")
	}
	if w.shape.Planes != 1 || w.shape.numbered() {
		return input(w.path, "slices alone are not all of a table %v", w.shape)
	}
	if err := n.Check(w.shape, c.IndexBits, len(c.Masks)); err != nil {
		return input(w.path, "class %d: %v", c.Class, err)
	}
	r, err := w.layOut(c, 0, n)
	if err != nil {
		return input(w.path, "%v", err)
	}
	if err := w.writeSlices(r, slice); err != nil {
		return err
	}
	if r.sums[masks].held, err = r.parts[masks].write(w.partial, held([][]uint64{c.Masks})); err != nil {
		return w.writeError(w.partialPath(), err)
	}
	return w.list(r, nil)
}

// writeSlices writes the outcomes of a class slice by slice, with their checksums.
func (w *Writer) writeSlices(r *record, slice func(block int) ([]uint64, error)) error {
	p := r.parts[outcomes]
	buf := make([]byte, 0, stretchSize)
	at := p.offset
	flush := func() error {
		for i := 0; i < len(buf); i += chunkSize {
			r.sums[outcomes].held = append(r.sums[outcomes].held, checksum(buf[i:min(i+chunkSize, len(buf))]))
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
		if err := checkSlice(words, r.IndexBits); err != nil {
			return input(w.path, "class %d, block %d: %v", r.Class, block, err)
		}
		for _, x := range words {
			if buf = le.AppendUint64(buf, x); len(buf) == cap(buf) {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	for at+int64(len(buf)) < p.offset+p.padded() {
		buf = append(buf, 0)
	}
	return flush()
}

// checkSlice says what is wrong with a slice.
func checkSlice(words []uint64, indexBits int) error {
	if len(words) != sliceWords(indexBits) {
		return fmt.Errorf("%d words, not %d", len(words), sliceWords(indexBits))
	}
	if indexBits < 6 && words[0]>>(1<<indexBits) != 0 {
		return fmt.Errorf("states beyond the %d of the slice", 1<<indexBits)
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
