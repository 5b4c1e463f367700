// Package reader opens tables, looks states up in them and verifies them. A table is mapped
// into memory, unpacked frame by frame, or read chunk by chunk.
package reader

import (
	"errors"
	"io/fs"
	"sync/atomic"

	"backsolve/internal/stamp"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Table is an open table. Its methods are safe for concurrent use. Close should be called
// when the others have returned; one that still runs returns ErrClosed.
type Table struct {
	*contents
	mapped  atomic.Pointer[mapping] // nil where the table is not mapped, or closed
	always  atomic.Bool             // every lookup checks what it reads
	watched stamp.Open              // the file, where there is one
	opened  stamp.Stamp             // of the file, before anything was read
}

// Shape returns what the table holds.
func (t *Table) Shape() tablebase.Shape { return t.header.Shape }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [32]byte { return t.header.Identity }

// Bytes returns the length of the table, unpacked.
func (t *Table) Bytes() int64 { return t.header.Length }

// Packed returns the length of the file of a packed table, else 0.
func (t *Table) Packed() int64 {
	if t.frames == nil {
		return 0
	}
	return t.frames.FileSize
}

// Path returns the path by which the table was opened.
func (t *Table) Path() string { return t.path }

// Classes returns the classes in the order they were solved, the fullest first.
func (t *Table) Classes() []tablebase.ClassInfo {
	infos := make([]tablebase.ClassInfo, len(t.records))
	for i, r := range t.records {
		infos[i] = r.ClassInfo
	}
	return infos
}

// Layout returns the header and where the classes lie. They are shared: do not change them.
func (t *Table) Layout() (*format.Header, []*format.Record) { return &t.header, t.records }

// ShareDeadline begins an answer from the table. All reads until done is called share one
// deadline of the table's Storage. For a table on this machine it does nothing, and does
// not allocate.
func (t *Table) ShareDeadline() (done func()) {
	if t.storage == nil {
		return func() {}
	}
	return t.storage.ShareDeadline()
}

// CheckAlways makes every lookup read what it needs from the file and check it, even if it
// was checked before. So the table notices what another process writes to the file and
// never answers from it. A lookup then takes as long as reading and checking some chunks of
// 64 KiB. A packed table always works like this. Call it before the first lookup.
func (t *Table) CheckAlways() { t.always.Store(true) }

// Trusting reports whether what was checked once is not checked again: neither was
// CheckAlways called, nor has WithRevalidation found that the file was written to.
func (t *Table) Trusting() bool { return !t.always.Load() }

// WithRevalidation calls lookUp and makes sure that no one has written to the file of a
// mapped table since it was opened. If someone has, even without a change of size and
// modification time, every lookup from now on is checked as after CheckAlways, and lookUp is
// called again unless it has failed. A new name or new permissions count as a change, too.
// Opening the table anew makes lookups fast again. WithRevalidation costs one system call
// and belongs around all lookups of an answer. It returns the error of lookUp.
func (t *Table) WithRevalidation(lookUp func() error) error {
	if t.mapping() == nil {
		return lookUp()
	}
	err := lookUp()
	if err != nil || t.isClosed() || t.watched.Stamp() == t.opened {
		return err
	}
	t.always.Store(true)
	return lookUp()
}

// mapping returns the mapping that lookups may use, nil for none.
func (t *Table) mapping() *mapping {
	if t.always.Load() {
		return nil
	}
	return t.mapped.Load()
}

// Close unmaps and closes the file. A second Close does nothing.
func (t *Table) Close() error {
	if t.shut.Swap(true) {
		return nil
	}
	var err error
	if m := t.mapped.Swap(nil); m != nil {
		err = unmapFile(m.bytes)
	}
	if err = errors.Join(err, t.data.Close()); err != nil && !errors.Is(err, fs.ErrClosed) {
		return tablebase.Failed(t.path, "close the table", err, "")
	}
	return nil
}
