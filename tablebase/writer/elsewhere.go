package writer

import (
	"io"
	"math"
	"time"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Elsewhere has the parts that other processes write (see Writer.Layout) if they are in no file here.
type Elsewhere struct {
	// Name names the table in messages.
	Name string
	// ReaderAt reads what was written.
	io.ReaderAt
	// Truncate drops what was written from a byte of the table on.
	Truncate func(size int64) error
	// Complete makes the table, length bytes that all reads; the given runs of it were written there.
	Complete func(all io.ReaderAt, runs []format.Extent, length int64) error
	// Open opens the completed table. The error wraps fs.ErrNotExist if there is none.
	Open func() (format.Storage, error)
}

// CreateElsewhere is Create for a table whose outcomes and steps other processes write elsewhere.
// Finish completes it there, and leaves nothing at the path. With nil it is Create.
func CreateElsewhere(path string, shape tablebase.Shape, overwrite bool, e *Elsewhere) (*Writer, error) {
	t := target{path, shape}
	l, err := t.lock()
	if err != nil {
		return nil, err
	}
	w := &Writer{target: t, lock: l, elsewhere: e, known: map[int64]bool{}, synced: time.Now()}
	if err := w.begin(overwrite); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) runsElsewhere() (runs []format.Extent) {
	for _, r := range w.records {
		for _, p := range r.Parts[:format.Masks] {
			if bytes := 8 * int64(p.Columns) * p.Words; bytes > 0 {
				runs = append(runs, format.Extent{Offset: p.Offset, Length: bytes})
			}
		}
	}
	return runs
}

// contents reads what has been written of the table so far, unless it is packed.
func (w *Writer) contents() io.ReaderAt {
	if w.elsewhere == nil {
		return w.partial
	}
	return both{w.partial, w.elsewhere, w.runsElsewhere()}
}

// both reads runs of a table elsewhere, and all else in a file.
type both struct {
	here, elsewhere io.ReaderAt
	runs            []format.Extent // ascending
}

func (b both) ReadAt(buf []byte, at int64) (n int, err error) {
	for _, run := range append(b.runs[:len(b.runs):len(b.runs)], format.Extent{Offset: math.MaxInt64}) {
		for _, next := range []struct {
			from io.ReaderAt
			end  int64
		}{{b.here, run.Offset}, {b.elsewhere, run.Offset + run.Length}} {
			if length := min(int64(len(buf)-n), next.end-at); length > 0 && err == nil {
				var read int
				read, err = next.from.ReadAt(buf[n:][:length], at)
				n, at = n+read, at+int64(read)
				if int64(read) == length {
					err = nil
				}
			}
		}
	}
	return n, err
}
