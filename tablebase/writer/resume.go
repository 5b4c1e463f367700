package writer

import (
	"fmt"
	"math"
	"os"
	"runtime"

	"backsolve/internal/durable"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

// begin opens the files of a writer that holds the lock, and resumes an interrupted solve.
func (w *Writer) begin(overwrite bool) error {
	left, err := w.inspect(overwrite)
	if err == nil {
		err = w.other().discard()
	}
	if err != nil {
		return err
	}
	// The manifest comes first: a partial file without one has lost it.
	if w.manifest, err = openForWriting(w.manifestPath()); err != nil {
		return err
	}
	if w.partial, err = openForWriting(w.partialPath()); err != nil {
		return err
	}
	if w.packed() {
		if w.packer, err = pack.NewPacker(partialOf{w}, w.shape.Archive); err != nil {
			return tablebase.Failed(w.partialPath(), "write the table", err, "")
		}
	}
	os.Remove(w.classPath()) // left by a solve that was killed
	if directFlag != 0 && !w.packed() {
		w.direct, _ = durable.Open(w.partialPath(), os.O_RDWR|directFlag)
	}
	w.dropped = left.dropped
	if left.manifest != nil {
		if broken := w.readRecords(left.manifest, left.size, runtime.GOMAXPROCS(0)); broken != nil {
			w.dropped = fmt.Sprintf("%s: what the interrupted solve left is whole only for its first %d classes (%v); the others are solved again",
				w.partialPath(), len(w.records), broken)
		}
	}
	return w.discardRest()
}

// discardRest cuts both files off after the resumed classes, or starts a new manifest.
func (w *Writer) discardRest() error {
	end := w.end()
	if w.packer != nil {
		end = w.packer.Length()
	}
	var err error
	if len(w.records) == 0 {
		start := format.ManifestStart(w.shape, w.magic())
		if err = w.manifest.Truncate(0); err == nil {
			_, err = w.manifest.WriteAt(start, 0)
		}
		w.listed, end = int64(len(start)), 0
	}
	if err == nil {
		err = w.manifest.Truncate(w.listed)
	}
	if err != nil {
		return w.writeError(w.manifestPath(), err)
	}
	err = w.partial.Truncate(end)
	if err == nil && w.elsewhere != nil {
		err = w.elsewhere.Truncate(end)
	}
	if err != nil {
		return w.writeError(w.partialPath(), err)
	}
	return nil
}

func openForWriting(path string) (file, error) {
	f, err := durable.Open(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, tablebase.Failed(path, "write the table", err, otherDir)
	}
	return f, nil
}

// readRecords resumes the classes whose data in the partial file, of size bytes, are whole, and
// returns why they end early, if they do.
func (w *Writer) readRecords(b []byte, size int64, workers int) (broken error) {
	w.listed = format.PreambleSize
	limit := size
	if w.packer != nil {
		limit = math.MaxInt64 // what it unpacks to is compared with its frames
	}
	return format.EachRecord(b, w.shape, limit, func(r *format.Record, entries []byte, length int) error {
		fits := len(entries) == 0
		if w.packer != nil {
			fits = w.packer.Resume(r.Frames(), entries)
		}
		if !fits {
			return fmt.Errorf("class %d is recorded wrongly", r.Class)
		}
		w.records = append(w.records, r)
		for i := range r.Parts {
			if err := w.checkPart(r, i, workers); err != nil {
				w.records = w.records[:len(w.records)-1]
				w.dropUnsealed()
				return fmt.Errorf("the %s of class %d: %w", r.Names[i], r.Class, err)
			}
		}
		w.listed += int64(length)
		return nil
	})
}

// LoadRun reads a run of blocks of the i-th sealed class, checked, and reuses the memory of the planes.
func (w *Writer) LoadRun(i, first, blocks int, p *tablebase.Planes) error {
	if w.lock == nil {
		return w.closed()
	}
	if i < 0 || i >= len(w.records) {
		return tablebase.Inputf(w.path, "there is no sealed class %d of %d", i, len(w.records))
	}
	r := w.records[i]
	if first < 0 || blocks < 1 || blocks > r.Blocks-first {
		return tablebase.Inputf(w.path, "class %d has no blocks %d to %d", r.Class, first, first+blocks-1)
	}
	written, err := w.allSteps()
	if err == nil {
		err = r.ReadPlanes(written, w.shape, first, blocks, p, runtime.GOMAXPROCS(0))
	}
	if err != nil {
		return format.ReadError(w.partialPath(), r, err, "solve again: what is damaged is solved anew")
	}
	return nil
}
