package sparse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"

	"backsolve/internal/parallel"
	"backsolve/internal/stamp"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
	"backsolve/tablebase/reader"
)

// Table is an open table. Its methods are safe for concurrent use. Close should be called
// when the others have returned; one that still runs returns ErrClosed.
type Table struct {
	path     string
	header   Header
	identity [sha256.Size]byte
	data     format.Source  // the table, unpacked
	storage  format.Storage // nil where the table is on this machine
	packed   int64          // length of the file of a packed table, else 0
	length   int64
	end      uint64 // the last 8 bytes
	sums     []byte
	mapped   atomic.Pointer[[]byte] // nil where chunks are read
	// Chunks are read and checked. The mapping stays until Close, as others may read it.
	always  atomic.Bool
	checked []atomic.Uint64 // a bit for each chunk of the mapping that was checked
	watched stamp.Open
	opened  stamp.Stamp // of the file, before anything was read
	cache   cache
	closed  atomic.Bool
}

// Open opens a table, packed or not. Data are checked when they are first touched. The error is
// a *tablebase.Error around fs.ErrNotExist, ErrForeign, ErrTruncated, ErrNewer or ErrDamaged.
func Open(path string) (*Table, error) {
	file, err := os.OpenFile(path, reader.OpenFlags, 0)
	return openFile(path, file, err)
}

// LacksSteps reports whether a table has outcomes alone. ok is false where its directory cannot
// be read; all else may be damaged.
func LacksSteps(path string) (lacks, ok bool) {
	t, err := Open(path)
	if err != nil {
		return false, false
	}
	defer t.Close()
	return t.header.Outcomes, true
}

// OpenIn opens a table like Open, by its name below a directory, from which no link leads out.
func OpenIn(root *os.Root, name string) (*Table, error) {
	file, err := root.OpenFile(name, reader.OpenFlags, 0)
	return openFile(filepath.Join(root.Name(), name), file, err)
}

func openFile(path string, file *os.File, err error) (*Table, error) {
	source, err := reader.Local(path, file, err)
	if err != nil {
		return nil, err
	}
	return open(path, source)
}

// tailBytes is how much of a Storage is fetched when it is opened.
const tailBytes = 64 << 10

// OpenStorage opens a table like Open, and closes the storage if that fails. Messages call the
// table by the name.
func OpenStorage(name string, s format.Storage) (*Table, error) {
	size, err := s.Size()
	if err == nil {
		tail := max(0, size-tailBytes)
		err = s.Fetch([]format.Extent{{Offset: 0, Length: min(size, format.PageSize)}, {Offset: tail, Length: size - tail}})
	}
	if err != nil {
		s.Close()
		return nil, tablebase.Failed(name, "open the table", err, "")
	}
	return open(name, s)
}

// open opens the table in a source, and closes it if that fails.
func open(path string, raw format.Source) (*Table, error) {
	t := &Table{path: path}
	t.storage, _ = raw.(format.Storage)
	const unpacked = 8 * format.FrameSize // the least; chunks are cached here
	data, err := pack.Unpacked(path, raw, unpacked)
	if err != nil {
		raw.Close()
		return nil, err
	}
	t.data = data
	if err := t.load(); err != nil {
		data.Close()
		return nil, t.failed(err)
	}
	return t, nil
}

// load reads all but the states, and maps a plain file.
func (t *Table) load() (err error) {
	if t.length, err = t.data.Size(); err != nil {
		return err
	}
	begin := make([]byte, len(magic))
	if err := format.ReadFull(t.data, begin, 0); string(begin) != magic {
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			err = tablebase.ErrForeign
		}
		return err
	}
	if frames, is := t.data.(*pack.Frames); is {
		t.packed = frames.FileSize
		if err := frames.SetUniform(); err != nil {
			return err
		}
	}
	mapped, watched, err := reader.MapLocal(t.path, t.data, t.length)
	if err != nil {
		return err
	}
	if mapped != nil {
		t.watched, t.opened = watched, watched.Stamp()
	}
	if err := t.readFooter(); err != nil {
		if mapped != nil {
			err = errors.Join(err, reader.Unmap(mapped))
		}
		return err
	}
	if mapped != nil {
		t.mapped.Store(&mapped)
	}
	return nil
}

// readFooter reads trailer, footer and directory.
func (t *Table) readFooter() error {
	end := make([]byte, trailer)
	if t.length > maxLength {
		return damaged("it has %d bytes", t.length)
	}
	if t.length < int64(len(magic)+trailer) {
		return &tablebase.Error{Err: tablebase.ErrTruncated, Detail: fmt.Sprintf("%d bytes are less than a table has", t.length)}
	}
	at := t.length - trailer
	if err := format.ReadFull(t.data, end, at); err != nil {
		return err
	}
	length := le.Uint64(end)
	if string(end[12:]) != endMagic || length > maxFooter || int64(length) > at-int64(len(magic)) {
		return &tablebase.Error{Err: tablebase.ErrTruncated, Detail: "it does not end as a table does"}
	}
	t.end = le.Uint64(end[8:])
	footer := make([]byte, length)
	at -= int64(length)
	if err := format.ReadFull(t.data, footer, at); err != nil {
		return err
	}
	if format.Checksum(footer) != le.Uint32(end[8:]) {
		return damaged("its footer does not match its checksum")
	}
	if err := json.Unmarshal(footer, &t.header); err != nil {
		return damaged("its footer: %v", err)
	}
	t.identity = sha256.Sum256(footer)
	size, err := t.header.checkLayout(at)
	if err != nil {
		return err
	}
	return t.readDirectory(size)
}

// readDirectory reads the directory, which has size bytes.
func (t *Table) readDirectory(size int64) error {
	body := t.header.body()
	b, err := format.ReadWithoutHoles(t.data, body, size)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != t.header.Directory {
		return damaged("its directory is not the one of its footer")
	}
	t.sums, b = b[:4*chunks(body)], b[4*chunks(body):]
	for i := range t.header.Tiers {
		if b, err = t.header.Tiers[i].readTier(b, t.header.Outcomes); err != nil {
			return err
		}
	}
	t.checked = make([]atomic.Uint64, (chunks(body)+63)/64)
	return nil
}

// failed returns an error as a sentence about the table.
func (t *Table) failed(err error) error {
	if err == nil || errors.Is(err, ErrState) {
		return err
	}
	var about *tablebase.Error
	var bad *format.BadFrame
	switch {
	case t.closed.Load() || errors.Is(err, fs.ErrClosed):
		return &tablebase.Error{Path: t.path, Err: tablebase.ErrClosed}
	case errors.As(err, &about):
		if about.Path == "" { // kept chunks share their errors
			named := *about
			named.Path = t.path
			return &named
		}
		return err
	case errors.Is(err, tablebase.ErrForeign), errors.Is(err, tablebase.ErrNewer):
		return &tablebase.Error{Path: t.path, Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &tablebase.Error{Path: t.path, Err: tablebase.ErrTruncated, Detail: "it was shortened or overwritten while it was in use"}
	case errors.Is(err, format.ErrSeekTable), errors.Is(err, format.ErrDirectory), errors.As(err, &bad):
		return &tablebase.Error{Path: t.path, Err: tablebase.ErrDamaged, Detail: err.Error()}
	}
	return tablebase.Failed(t.path, "read the table", err, "check the disk")
}

// recoverFault, deferred, turns a fault of the mapping into an error, and restores how the
// goroutine handled faults before.
func (t *Table) recoverFault(before bool, err *error) {
	debug.SetPanicOnFault(before)
	if cause := recover(); cause != nil {
		if _, fault := cause.(interface{ Addr() uintptr }); !fault {
			panic(cause)
		}
		*err = t.failed(io.ErrUnexpectedEOF)
	}
}

// Close unmaps and closes the file. A second Close does nothing.
func (t *Table) Close() error {
	if t.closed.Swap(true) {
		return nil
	}
	var err error
	if m := t.mapped.Swap(nil); m != nil {
		err = reader.Unmap(*m)
	}
	if err = errors.Join(err, t.data.Close()); err != nil && !errors.Is(err, fs.ErrClosed) {
		return tablebase.Failed(t.path, "close the table", err, "")
	}
	return nil
}

// CheckAlways makes every lookup read checked copies of chunks, so that the table never answers
// from what another process writes to the file. Call it before the first lookup.
func (t *Table) CheckAlways() { t.always.Store(true) }

// Trusting reports whether what was checked once is not checked again: neither was CheckAlways
// called, nor has LookupAll found that the file was written to.
func (t *Table) Trusting() bool { return !t.always.Load() }

// Header returns the footer. It must not be changed.
func (t *Table) Header() *Header { return &t.header }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [sha256.Size]byte { return t.identity }

// Path returns the path or address of the table.
func (t *Table) Path() string { return t.path }

// Bytes returns the length of the table, unpacked.
func (t *Table) Bytes() int64 { return t.length }

// Packed returns the length of the file of a packed table, else 0.
func (t *Table) Packed() int64 { return t.packed }

// States returns the number of states.
func (t *Table) States() (n int64) {
	for i := range t.header.Tiers {
		n += t.header.Tiers[i].States
	}
	return n
}

// ReadAt reads bytes of the unpacked table, without their checksums being checked.
func (t *Table) ReadAt(b []byte, offset int64) (int, error) {
	n, err := t.data.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = t.failed(err)
	}
	return n, err
}

// Verify compares all checksums, unless ctx ends before. It calls progress, unless nil, with
// bytes, never twice at once.
func (t *Table) Verify(ctx context.Context, workers int, progress func(done, total int64)) error {
	body := t.header.body()
	var done parallel.Counter
	err := format.EachRange(body, workers, func(buf []byte, at int64) error {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
		}
		if err := format.ReadFull(t.data, buf, at); err != nil {
			return err
		}
		for i := 0; i < len(buf); i += format.ChunkSize {
			if err := t.checkChunk((at+int64(i))/format.ChunkSize, buf[i:min(len(buf), i+format.ChunkSize)]); err != nil {
				return err
			}
		}
		done.Add(int64(len(buf)), func(sum int64) {
			if progress != nil {
				progress(sum, body)
			}
		})
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return err
	}
	if err != nil {
		return t.failed(err)
	}
	// What was read when the table was opened must still be there.
	again := &Table{path: t.path, data: t.data, length: t.length}
	if err := again.readFooter(); err != nil {
		return again.failed(err)
	}
	if again.identity != t.identity {
		return t.failed(damaged("it was overwritten while it was in use"))
	}
	return nil
}
