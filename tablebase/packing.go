package tablebase

import (
	"io"
	"runtime"
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
		return packingMagic
	}
	return manifestMagic
}

// writePart writes a part of a class, which has these planes, and returns the checksums.
func (w *Writer) writePart(p part, from columns, planes *Planes) ([]uint32, error) {
	if w.packer == nil {
		return p.write(w.partial, from)
	}
	w.packer.begin(p, w.shape.Planes, func(buf []byte, at int64) error {
		planes.outcomesAt(buf, at)
		return nil
	})
	return p.pack(w.packer, from)
}

// pack packs the columns of the part that was begun and returns the checksums.
func (p part) pack(to *packer, from columns) ([]uint32, error) {
	sums := make([]uint32, p.chunks())
	from.failed = to.fail
	err := p.eachRun(from, runtime.GOMAXPROCS(0), func(buf []byte, at int64) error {
		p.sum(sums, buf, at)
		return to.add(buf, at)
	})
	return sums, err
}

// entries are those of the frames written, nil where the table is not packed.
func (w *Writer) entries() []byte {
	if w.packer == nil {
		return nil
	}
	return w.packer.entries
}

// forgetUnsealed forgets frames of a class that was not sealed, or of a footer.
func (w *Writer) forgetUnsealed() {
	if w.packer == nil {
		return
	}
	frames := 1 // the header's
	for _, r := range w.records {
		frames += r.frames()
	}
	kept := w.packer.entries[seekEntrySize : frames*seekEntrySize]
	w.packer.reset()
	w.packer.append(kept)
}

// frames is the number of frames of a class.
func (r *record) frames() (n int) {
	for _, p := range r.parts {
		n += p.frames()
	}
	return n
}

// takeEntries takes up the entries of a class's frames, and reports whether they are as
// many as it has.
func (w *Writer) takeEntries(r *record, entries []byte) bool {
	if w.packer == nil {
		return len(entries) == 0
	}
	if len(entries) != r.frames()*seekEntrySize {
		return false
	}
	piece := seekPiece{entries: entries}
	if _, _, err := piece.check(); err != nil {
		return false
	}
	w.packer.append(entries)
	return true
}

// written reads what has been written of the table, as it is unpacked.
func (w *Writer) written() io.ReaderAt {
	if w.packer == nil {
		return w.partial
	}
	f := &frames{file: w.partial, table: w.packer, numbers: true}
	f.regions = regionsOf(&header{footerOffset: w.end(), length: w.end()}, w.records)
	return f
}

// packedManifest bounds what the manifest of a packed table has besides that of another one:
// a frame takes more bytes in the partial file than its entry, and its part of the
// checksums, in the manifest.
func packedManifest(partial int64) int64 { return 2 * partial }
