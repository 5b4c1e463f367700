// Package container has the common parts of both kinds of table files: how they are opened,
// mapped, unpacked or read from a server; how one notices that they are closed, cut short or
// overwritten; and the sentences about that. It knows bytes and chunks, and no states.
package container

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"runtime/debug"
	"sync/atomic"
	"syscall"

	"backsolve/internal/stamp"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/pack"
)

const putAgain = "put the table on the server again"

// File is an open file of a table. Its methods are safe for concurrent use.
type File struct {
	Data    format.Source  // the table, unpacked
	Storage format.Storage // nil where the table is on this machine
	Frames  *pack.Frames   // nil where the table is not packed

	path    string
	remedy  string // against damage, "" where it depends on the program
	length  int64  // unpacked
	mapped  atomic.Pointer[[]byte]
	end     uint64 // of the mapping
	endAt   int
	always  atomic.Bool // every lookup checks the bytes that it reads
	watched stamp.Open  // the file, where there is one
	opened  stamp.Stamp // of the file, before anything was read
	shut    atomic.Bool // by Close
}

// New opens a table in a source, which it closes if that fails. A packed one keeps cacheBytes unpacked.
func New(path string, raw format.Source, cacheBytes int) (*File, error) {
	f := &File{path: path}
	if file, plain := raw.(plainFile); plain {
		f.watched = stamp.Watch(file.File)
		f.opened = f.watched.Stamp()
	}
	if f.Storage, _ = raw.(format.Storage); f.Storage != nil {
		f.remedy = putAgain
	}
	data, err := pack.Unpacked(path, raw, cacheBytes)
	if err != nil {
		raw.Close()
		return nil, err
	}
	f.Data = data
	f.Frames, _ = data.(*pack.Frames)
	if f.length, err = data.Size(); err != nil {
		data.Close()
		return nil, f.Failed(err)
	}
	return f, nil
}

// Path returns the path or address by which the table was opened.
func (f *File) Path() string { return f.path }

// Remedy returns what can be done against damage, "" where that depends on the program.
func (f *File) Remedy() string { return f.remedy }

// Bytes returns the length of the table, unpacked.
func (f *File) Bytes() int64 { return f.length }

// Packed returns the length of the file of a packed table, else 0.
func (f *File) Packed() int64 {
	if f.Frames == nil {
		return 0
	}
	return f.Frames.FileSize
}

// Map maps a file that is not packed, where the system can, and returns its bytes. It notices that
// the file was cut short by its last eight bytes from endAt on, which share no page with data.
func (f *File) Map(endAt int64, end uint64) ([]byte, error) {
	file, plain := f.Data.(plainFile)
	if !plain || f.length > math.MaxInt {
		return nil, nil
	}
	mapped, err := MapFile(file.File, f.length)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) {
		return nil, nil // it is read instead
	}
	if err != nil {
		return nil, tablebase.Failed(f.path, "map the table", err, "")
	}
	adviseRandom(mapped)
	f.endAt, f.end = int(endAt), end
	f.mapped.Store(&mapped)
	return mapped, nil
}

// Mapped returns the bytes of a mapped file that lookups may use, nil for none.
func (f *File) Mapped() []byte {
	if m := f.mapped.Load(); m != nil && !f.always.Load() {
		return *m
	}
	return nil
}

// Whole reports whether a mapped file still has its end. Call it after the data were read: bytes
// that are cut off read as zeros up to the end of their page and fault behind it, and in both
// cases the end goes first. It must not be inlined, or the compiler could read the end before the
// data.
//
//go:noinline
func (f *File) Whole(mapped []byte) bool {
	return binary.LittleEndian.Uint64(mapped[f.endAt:]) == f.end
}

// RecoverFault, deferred, makes a fault of the mapping an error, and restores debug.SetPanicOnFault.
func (f *File) RecoverFault(before bool, err *error) {
	debug.SetPanicOnFault(before)
	cause := recover()
	if cause == nil {
		return
	}
	if _, fault := cause.(interface{ Addr() uintptr }); !fault {
		panic(cause)
	}
	if *err = f.Shrunk(); !f.IsClosed() {
		if size, failure := f.Data.Size(); failure == nil && size == f.length {
			*err = tablebase.Failed(f.path, "read the table", fmt.Errorf("%v", cause), "check the disk")
		}
	}
}

// CheckAlways makes every lookup read and check some chunks of 64 KiB, so that the table never answers from what another
// process writes there. A packed table always does. Call it before the first lookup.
func (f *File) CheckAlways() { f.always.Store(true) }

// Trusting reports whether what was checked once is not checked again: neither was
// CheckAlways called, nor has WithRevalidation found that the file was written to.
func (f *File) Trusting() bool { return !f.always.Load() }

// WithRevalidation calls lookUp, and sees whether someone has written to the file of a mapped table since it was
// opened, even if size and modification time are the same; a new name or new permissions count, too. Then it calls
// lookUp again, unless the file was cut short, and every lookup is checked as after CheckAlways. It costs one system
// call and belongs around all lookups of an answer.
func (f *File) WithRevalidation(lookUp func() error) error {
	mapped := f.Mapped() != nil
	err := lookUp()
	if !mapped || f.IsClosed() || errors.Is(err, tablebase.ErrTruncated) || f.watched.Stamp() == f.opened {
		return err
	}
	f.always.Store(true)
	return lookUp()
}

// ShareDeadline begins an answer from the table. All reads until done is called share one
// deadline of the table's Storage. For a table on this machine it does nothing.
func (f *File) ShareDeadline() (done func()) {
	if f.Storage == nil {
		return func() {}
	}
	return f.Storage.ShareDeadline()
}

// ReadAt reads unchecked bytes of the unpacked table. Errors are those of lookups, and io.EOF.
func (f *File) ReadAt(buf []byte, offset int64) (int, error) {
	n, err := f.Data.ReadAt(buf, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		err = f.Failed(err)
	}
	return n, err
}

// Close unmaps and closes the file. A second Close does nothing.
func (f *File) Close() error {
	if f.shut.Swap(true) {
		return nil
	}
	var err error
	if m := f.mapped.Swap(nil); m != nil {
		err = unmapFile(*m)
	}
	if err = errors.Join(err, f.Data.Close()); err != nil && !errors.Is(err, fs.ErrClosed) {
		return tablebase.Failed(f.path, "close the table", err, "")
	}
	return nil
}

// IsClosed reports whether Close was called.
func (f *File) IsClosed() bool { return f.shut.Load() }

// Closed is the error of a closed table.
func (f *File) Closed() error { return &tablebase.Error{Path: f.path, Err: tablebase.ErrClosed} }

// Damaged says that the contents of the table contradict each other.
func (f *File) Damaged(text string, args ...any) error {
	return &tablebase.Error{Path: f.path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf(text, args...), Remedy: f.remedy}
}

// Truncated says that the table ends too early.
func (f *File) Truncated(text string, args ...any) error {
	return &tablebase.Error{Path: f.path, Err: tablebase.ErrTruncated, Detail: fmt.Sprintf(text, args...), Remedy: f.remedy}
}

// Shrunk says why the end of the table is gone: the file was shortened, or the table closed.
func (f *File) Shrunk() error {
	if f.IsClosed() {
		return f.Closed()
	}
	return f.Truncated("it was shortened or overwritten while it was in use")
}

// Failed makes an error of reading a sentence about the table. One that is a sentence already gets
// the path if it has none, and is shared by others then.
func (f *File) Failed(err error) error {
	if err == nil {
		return nil
	}
	var about *tablebase.Error
	var bad *format.BadFrame
	switch {
	case f.IsClosed(), errors.Is(err, fs.ErrClosed):
		return f.Closed()
	case errors.As(err, &about):
		if about.Path == "" {
			named := *about
			named.Path, named.Remedy = f.path, cmp.Or(about.Remedy, f.remedy)
			return &named
		}
		return about
	case errors.Is(err, tablebase.ErrForeign), errors.Is(err, tablebase.ErrNewer):
		return &tablebase.Error{Path: f.path, Err: err}
	case errors.Is(err, tablebase.ErrTruncated):
		return &tablebase.Error{Path: f.path, Err: err, Remedy: f.remedy}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return f.Shrunk()
	case errors.Is(err, format.ErrHeader), errors.Is(err, format.ErrDirectory), errors.Is(err, format.ErrSeekTable), errors.As(err, &bad):
		return f.Damaged("%v", err)
	}
	return tablebase.Failed(f.path, "read the table", err, "")
}

// Checked has a bit for each chunk whose checksum held once.
type Checked []atomic.Uint64

// NewChecked returns the bits of a number of chunks, all clear.
func NewChecked(chunks int64) Checked { return make(Checked, (chunks+63)/64) }

// Has reports whether the bit of a chunk is set.
func (c Checked) Has(chunk uint) bool { return c[chunk/64].Load()>>(chunk%64)&1 != 0 }

// Set sets the bit of a chunk, and reports whether it was not set before.
func (c Checked) Set(chunk uint) bool {
	bit := uint64(1) << (chunk % 64)
	return c[chunk/64].Or(bit)&bit == 0
}
