package writer

import (
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// SealSlices is Seal for a class with one plane and no numbers whose slices need not be in
// memory together. slice returns that of each block in turn, which is used until the next call.
func (w *Writer) SealSlices(c tablebase.Class, n tablebase.Counts, slice func(block int) ([]uint64, error)) error {
	if w.shape.Planes != 1 || w.shape.Numbered() {
		return tablebase.Inputf(w.path, "slices alone are not all of a table %v", w.shape)
	}
	r, err := w.layOut(c, 0, n)
	if err != nil {
		return err
	}
	var failure error // of a slice: the caller's, not the disk's
	block, rest := 0, []uint64(nil)
	read := func(dst [][]uint64, _ int) error {
		for to := dst[0]; len(to) > 0; {
			if len(rest) == 0 {
				if rest, failure = slice(block); failure == nil {
					failure = checkSlice(w.path, block, rest, r.ClassInfo)
				}
				if failure != nil {
					return failure
				}
				block++
			}
			n := copy(to, rest)
			to, rest = to[n:], rest[n:]
		}
		return nil
	}
	err = w.writeParts(r, [format.PartCount]format.Columns{format.InOrder(read), {}, format.Held([][]uint64{c.Masks})}, nil)
	if failure != nil {
		return failure
	}
	return err
}

func checkSlice(path string, block int, words []uint64, c tablebase.ClassInfo) error {
	if len(words) != c.Words() {
		return tablebase.Inputf(path, "class %d, block %d: %d words, not %d", c.Class, block, len(words), c.Words())
	}
	if c.IndexBits < 6 && words[0]>>(1<<c.IndexBits) != 0 {
		return tablebase.Inputf(path, "class %d, block %d: states beyond the %d of the slice", c.Class, block, 1<<c.IndexBits)
	}
	return nil
}
