package writer

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
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
	manifest, size, err := w.inspect(overwrite)
	if err != nil {
		if _, none := os.Lstat(w.partialPath()); errors.Is(err, tablebase.ErrExists) && errors.Is(none, fs.ErrNotExist) {
			os.Remove(w.manifestPath()) // left by a solve that was killed after its last step but one
		}
		return err
	}
	// The manifest comes first: a partial file without one has lost it.
	if w.manifest, err = openForWriting(w.manifestPath()); err != nil {
		return err
	}
	if w.partial, err = openForWriting(w.partialPath()); err != nil {
		return err
	}
	if w.packer != nil {
		if w.packer, err = pack.NewPacker(partialOf{w}); err != nil {
			return tablebase.Failed(w.partialPath(), "write the table", err, "")
		}
	}
	if len(manifest) > 0 {
		if broken := w.readRecords(manifest, size, runtime.GOMAXPROCS(0)); broken != nil {
			w.dropped = fmt.Sprintf("%s: what the interrupted solve left is whole only for its first %d classes (%v); the others are solved again",
				w.partialPath(), len(w.records), broken)
		}
	}
	return w.discardRest()
}

// inspect returns the manifest of an interrupted solve that can be resumed, and the length of
// its partial file. It changes nothing.
func (w *Writer) inspect(overwrite bool) (manifest []byte, size int64, err error) {
	if err := w.checkPlace(overwrite); err != nil {
		return nil, 0, err
	}
	if size, err = w.partialSize(); err != nil {
		return nil, 0, err
	}
	most := format.MaxManifest(size)
	if w.packer != nil {
		most += packedManifest(size)
	}
	manifest, err = readUpTo(w.manifestPath(), most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, tablebase.Failed(w.manifestPath(), "read what an interrupted solve left", err, "")
	}
	manifest, err = w.checkManifest(manifest, size, overwrite)
	return manifest, size, err
}

// Check returns the error with which Create would fail, nil if it would succeed. It changes
// nothing, but takes the lock of the table for a moment.
func Check(path string, shape tablebase.Shape, overwrite bool) error {
	if err := shape.Check(); err != nil {
		return tablebase.Inputf(path, "%v", err)
	}
	l, err := lock(path)
	if err != nil {
		return err
	}
	defer l.Unlock()
	w := newWriter(path)
	w.shape = shape
	if _, _, err = w.inspect(overwrite); err != nil {
		return err
	}
	for _, path := range []string{w.manifestPath(), w.partialPath()} {
		f, err := durable.Open(path, os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return tablebase.Failed(path, "write the table", err, otherDir)
		}
		f.Close()
	}
	return nil
}

// checkPlace refuses a path where no table may be written.
func (w *Writer) checkPlace(overwrite bool) error {
	info, err := os.Stat(w.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return tablebase.Failed(w.path, "write the table", err, "")
	case info.IsDir():
		return &tablebase.Error{Path: w.path, Err: tablebase.ErrExists, Detail: "it is a directory", Remedy: "choose another place"}
	case overwrite:
		return nil
	}
	return &tablebase.Error{Path: w.path, Err: tablebase.ErrExists}
}

// partialSize returns the length of the partial file, −1 where there is none.
func (w *Writer) partialSize() (int64, error) {
	info, err := os.Lstat(w.partialPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return -1, nil
	case err != nil:
		return 0, tablebase.Failed(w.partialPath(), "read what an interrupted solve left", err, "")
	}
	return info.Size(), nil
}

// readUpTo reads at most so many bytes of a file.
func readUpTo(path string, most int64) ([]byte, error) {
	f, err := durable.Open(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// checkManifest returns the manifest if the solve can be resumed from it with a partial file of
// that size, nil if it must start over.
func (w *Writer) checkManifest(manifest []byte, size int64, overwrite bool) ([]byte, error) {
	switch {
	case size < 0:
		return nil, nil
	case len(manifest) == 0:
		if size > 0 {
			w.dropped = w.partialPath() + ": the manifest of the interrupted solve is gone; all is solved again"
		}
		return nil, nil
	}
	shape, err := format.ManifestShape(manifest, w.magic())
	switch {
	case err == nil && shape == w.shape:
		return manifest, nil
	case err == nil || errors.Is(err, tablebase.ErrNewer):
		if overwrite {
			return nil, nil
		}
		detail := fmt.Sprint(shape)
		if err != nil {
			detail = err.Error()
		}
		return nil, &tablebase.Error{Path: w.partialPath(), Err: tablebase.ErrOtherSolve, Detail: detail}
	}
	w.dropped = fmt.Sprintf("%s: the manifest of the interrupted solve is unusable (%v); all is solved again", w.manifestPath(), err)
	return nil, nil
}

// discardRest cuts both files off after the resumed classes, or starts a new manifest.
func (w *Writer) discardRest() error {
	end := w.end()
	if w.packer != nil {
		end = w.packer.Length()
	}
	if len(w.records) == 0 {
		start := format.ManifestStart(w.shape, w.magic())
		if err := w.manifest.Truncate(0); err != nil {
			return w.writeError(w.manifestPath(), err)
		}
		if _, err := w.manifest.WriteAt(start, 0); err != nil {
			return w.writeError(w.manifestPath(), err)
		}
		w.listed, end = int64(len(start)), 0
	}
	if err := w.manifest.Truncate(w.listed); err != nil {
		return w.writeError(w.manifestPath(), err)
	}
	if err := w.partial.Truncate(end); err != nil {
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

// readRecords resumes the classes of a manifest whose data in the partial file, of so many
// bytes, are whole. It returns why they end early, if they do.
func (w *Writer) readRecords(b []byte, size int64, workers int) (broken error) {
	w.listed = format.PreambleSize
	limit := size
	if w.packer != nil {
		limit = math.MaxInt64 // what it unpacks to is compared with its frames
	}
	manifest := format.NewManifestReader(b, w.shape, limit)
	for {
		r, entries, length, err := manifest.Next()
		if r == nil || err != nil {
			return err
		}
		if !w.resumeFrames(r, entries) {
			return fmt.Errorf("class %d is recorded wrongly", r.Class)
		}
		w.records = append(w.records, r)
		for i, p := range r.Parts {
			if err := p.Read(w.written(), &r.Sums[i], 0, p.Words, nil, workers); err != nil {
				w.records = w.records[:len(w.records)-1]
				w.dropUnsealed()
				return fmt.Errorf("the %s of class %d: %w", r.Names[i], r.Class, err)
			}
		}
		w.listed += int64(length)
	}
}
