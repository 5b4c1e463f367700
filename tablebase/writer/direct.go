package writer

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"backsolve/internal/durable"
	"backsolve/internal/stamp"
	"backsolve/tablebase/format"
)

// directBytes is the length from which on a part is written around the system's file cache. The
// cache would take a page of new memory for each page of the table, which the solve needs.
var directBytes int64 = 16 << 20

// directFile reads and writes whole pages around the system's file cache. A system that does not
// take them so gets them by the file.
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

// openDirect opens the partial file a second time, for pages that go around the cache. Where
// that is not possible, direct stays nil.
func (w *Writer) openDirect() {
	if directFlag == 0 || w.packed() {
		return
	}
	f, err := durable.Open(w.partialPath(), os.O_RDWR|directFlag)
	if err != nil {
		return
	}
	w.direct = f
}

// writePart writes a part and returns its checksums. It reads a part that went around the cache
// back at once, while the solve computes.
func (w *Writer) writePart(p format.Part, from format.Columns) ([]uint32, error) {
	if w.direct == nil || p.Padded() < directBytes {
		return p.Write(w.partial, from)
	}
	f := directFile{w.direct, w.partial}
	delete(w.known, p.Offset)
	held, err := p.Write(f, from)
	if err == nil {
		err = p.Read(f, &format.Sums{Held: held}, 0, p.Words, nil, runtime.GOMAXPROCS(0))
	}
	if err == nil {
		w.known[p.Offset] = true
	}
	return held, err
}

// forgetIfChanged forgets which parts were read back if something else wrote to the partial file
// since the last class was sealed.
func (w *Writer) forgetIfChanged() {
	if info, err := os.Lstat(w.partialPath()); err != nil || !stamp.Same(w.left, info) {
		clear(w.known)
	}
}

// remember keeps how the partial file was left.
func (w *Writer) remember() {
	w.left, _ = w.partial.Stat() // without, all is read back
}
