package writer

import (
	"io"

	"backsolve/tablebase/format"
)

// A Writer of a packed table has the packed table as its partial file, without footer and seek
// table, and with the header's frame empty.

// partialOf writes to the Writer's current partial file.
type partialOf struct{ w *Writer }

func (p partialOf) WriteAt(b []byte, offset int64) (int, error) {
	return p.w.partial.WriteAt(b, offset)
}

// entries are those of the frames written, nil where the table is not packed.
func (w *Writer) entries() []byte {
	if w.packer == nil {
		return nil
	}
	return w.packer.Entries()
}

// dropUnsealed forgets the frames of a class that was not sealed, or of a footer.
func (w *Writer) dropUnsealed() {
	if w.packer == nil {
		return
	}
	frames := 1 // the header's
	for _, r := range w.records {
		frames += r.Frames()
	}
	w.packer.Truncate(frames)
}

// resumeFrames adds the entries of a class's frames, and reports whether they fit the class.
func (w *Writer) resumeFrames(r *format.Record, entries []byte) bool {
	if w.packer == nil {
		return len(entries) == 0
	}
	return w.packer.Resume(r.Frames(), entries)
}

// written reads what has been written of the table, unpacked.
func (w *Writer) written() io.ReaderAt {
	if w.packer == nil {
		return w.partial
	}
	return w.packer.Written(w.partial, w.end(), w.records)
}
