package writer

import (
	"io"

	"backsolve/tablebase/format"
)

// What a Writer does otherwise where the table is written packed. Its partial file is
// the packed table, but for the room of the header's frame, and without footer and seek
// table.

// partialOf writes to the partial file that a Writer has.
type partialOf struct{ w *Writer }

func (p partialOf) WriteAt(b []byte, offset int64) (int, error) {
	return p.w.partial.WriteAt(b, offset)
}

// magic is what the manifest begins with.
func (w *Writer) magic() string {
	if w.packer != nil {
		return format.PackingMagic
	}
	return format.ManifestMagic
}

// entries are those of the frames written, nil where the table is not packed.
func (w *Writer) entries() []byte {
	if w.packer == nil {
		return nil
	}
	return w.packer.Entries()
}

// forgetUnsealed forgets frames of a class that was not sealed, or of a footer.
func (w *Writer) forgetUnsealed() {
	if w.packer == nil {
		return
	}
	frames := 1 // the header's
	for _, r := range w.records {
		frames += r.Frames()
	}
	w.packer.Truncate(frames)
}

// takeEntries takes up the entries of a class's frames, and reports whether they are as
// many as it has.
func (w *Writer) takeEntries(r *format.Record, entries []byte) bool {
	if w.packer == nil {
		return len(entries) == 0
	}
	return w.packer.Resume(r.Frames(), entries)
}

// written reads what has been written of the table, as it is unpacked.
func (w *Writer) written() io.ReaderAt {
	if w.packer == nil {
		return w.partial
	}
	return w.packer.Written(w.partial, w.end(), w.records)
}

// packedManifest bounds what the manifest of a packed table has besides that of another one:
// a frame takes more bytes in the partial file than its entry, and its part of the
// checksums, in the manifest.
func packedManifest(partial int64) int64 { return 2 * partial }
