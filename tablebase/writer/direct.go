package writer

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"syscall"

	"backsolve/internal/stamp"
	"backsolve/tablebase/format"
)

// directBytes is the length from which on a part is written around the system's file cache. The
// cache would take a page of new memory for each page of the table, which the solve needs.
var directBytes int64 = 16 << 20

// directFlag opens a file around the system's file cache; 0 where the system cannot.
var directFlag int

// directFile reads and writes whole pages around the system's file cache, or by the file if it must.
type directFile struct {
	direct *os.File
	file
}

func (d directFile) WriteAt(b []byte, at int64) (int, error) {
	n, err := d.direct.WriteAt(b, at)
	if errors.Is(err, syscall.EINVAL) {
		return d.file.WriteAt(b, at)
	}
	return n, err
}

func (d directFile) ReadAt(b []byte, at int64) (int, error) {
	n, err := d.direct.ReadAt(b, at)
	if errors.Is(err, syscall.EINVAL) {
		return d.file.ReadAt(b, at)
	}
	return n, err
}

// writePart writes a part. What goes around the cache is read back once the class is sealed.
func (w *Writer) writePart(p format.Part, from format.Columns) ([]uint32, error) {
	if w.direct == nil || p.Padded() < directBytes {
		return p.Write(w.partial, from)
	}
	delete(w.known, p.Offset)
	held, err := p.Write(directFile{w.direct, w.partial}, from)
	if err == nil {
		w.unread = append(w.unread, p)
	}
	return held, err
}

// startReadBack reads the parts of the sealed class back while the solve goes on.
func (w *Writer) startReadBack() {
	if len(w.unread) == 0 {
		return
	}
	w.reads = make(chan error, 1)
	last, unread := w.records[len(w.records)-1], w.unread
	go func() {
		f, err := directFile{w.direct, w.partial}, error(nil)
		for i, p := range last.Parts {
			if err != nil || !slices.Contains(unread, p) {
				continue
			}
			if err = p.Read(f, last.Sums[i], 0, p.Words, nil, runtime.GOMAXPROCS(0)); err != nil {
				err = format.ReadError(w.partialPath(), last, &format.PartError{Part: i, Cause: err}, otherWriter)
			}
		}
		w.reads <- err
	}()
}

// endReadBack waits until that is done, and returns the error once.
func (w *Writer) endReadBack() error {
	if w.reads == nil {
		return nil
	}
	err := <-w.reads
	w.reads = nil
	if err == nil {
		for _, p := range w.unread {
			w.known[p.Offset] = true
		}
	}
	return err
}

// forgetIfChanged forgets which parts were read back if something else wrote to the partial file.
func (w *Writer) forgetIfChanged() {
	if w.elsewhere != nil {
		return // they are not in the file
	}
	if info, err := os.Lstat(w.partialPath()); err != nil || !stamp.Same(w.left, info) {
		clear(w.known)
	}
}

func (w *Writer) remember() {
	w.left, _ = w.partial.Stat() // without, all is read back
}
