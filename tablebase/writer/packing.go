package writer

import (
	"io"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
)

// A Writer of a packed table has that as its partial file, without header, footer and seek table.

// partialOf writes to the Writer's current partial file.
type partialOf struct{ w *Writer }

func (p partialOf) WriteAt(b []byte, offset int64) (int, error) {
	return p.w.partial.WriteAt(b, offset)
}

// packWritten packs a class that other processes have written, and checks it meanwhile.
func (w *Writer) packWritten(r *format.Record, masks []uint64) error {
	if err := w.class.Truncate(r.Parts[format.Masks].Offset); err != nil { // what follows the last words is zeros
		return w.writeError(w.classPath(), err)
	}
	err := w.addParts(r, func(i int, p format.Part) (err error) {
		if i == format.Masks {
			w.packer.Begin(p, 0, nil)
			r.Sums[i], err = w.packer.AddPart(p, format.Held([][]uint64{masks}))
			return err
		}
		outcomes := r.Parts[format.Outcomes].Offset
		w.packer.Begin(p, w.shape.Planes, func(buf []byte, at int64) error { return format.ReadFull(w.class, buf, outcomes+at) })
		return w.packer.AddAll(p.Padded(), func(buf []byte, at int64) error {
			err := format.ReadFull(w.class, buf, p.Offset+at)
			if err == nil && len(p.BadChunks(nil, r.Sums[i], buf, at, true)) > 0 {
				err = &tablebase.Error{Path: w.classPath(), Err: tablebase.ErrDamaged, Remedy: otherWriter}
			}
			return err
		})
	})
	if err == nil {
		err = w.class.Truncate(0)
	}
	return err
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

// checkPart checks what was written of a part. Steps that an archive leaves out are not derived.
func (w *Writer) checkPart(r *format.Record, part, workers int) error {
	p := r.Parts[part]
	if w.packer == nil {
		err := p.Read(w.contents(), r.Sums[part], 0, p.Words, nil, workers)
		if w.elsewhere != nil && part < format.Masks {
			w.known[p.Offset] = err == nil
		}
		return err
	}
	frames := w.packer.Written(w.partial, w.end(), w.records)
	if part != format.Steps || !frames.Archived(r) {
		return p.Read(frames, r.Sums[part], 0, p.Words, nil, workers)
	}
	return format.EachRange(p.Padded(), workers, func(buf []byte, at int64) error {
		return format.ReadFull(frames, buf, p.Offset+at)
	})
}

// allSteps reads what has been written, unpacked and with all steps. It may be called concurrently.
func (w *Writer) allSteps() (io.ReaderAt, error) {
	if w.packer == nil {
		return w.contents(), nil
	}
	w.reading.Lock()
	defer w.reading.Unlock()
	if w.unpacked == nil {
		frames := w.packer.Written(w.partial, w.end(), w.records)
		w.unpacked = frames
		if w.shape.Archive {
			a, err := reader.NewDeriver(frames, w.shape, w.records)
			if err != nil {
				return nil, err
			}
			w.unpacked = a
		}
	}
	return w.unpacked, nil
}
