// Package reader opens the tables of boards, looks states up in them and verifies them. A table is
// mapped into memory, unpacked frame by frame, or read chunk by chunk.
package reader

import (
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Table is an open table. Its methods are safe for concurrent use. Close should be called
// when the others have returned; one that still runs returns ErrClosed.
type Table struct {
	*contents
	inMemory *mapping // nil where the table is not mapped
}

// Shape returns what the table holds.
func (t *Table) Shape() tablebase.Shape { return t.header.Shape }

// Identity returns the SHA-256 that tells this table from every other.
func (t *Table) Identity() [32]byte { return t.header.Identity }

// Classes returns the classes in the order they were solved, the fullest first.
func (t *Table) Classes() []tablebase.ClassInfo { return format.Infos(t.records) }

// Layout returns the header and where the classes lie. They are shared: do not change them.
func (t *Table) Layout() (*format.Header, []*format.Record) { return &t.header, t.records }

// Unpacks reports whether lookups unpack frames of a local file: they are fastest in a Batch.
func (t *Table) Unpacks() bool { return t.Frames != nil && t.Storage == nil }

// mapping returns the mapping that lookups may use, nil for none.
func (t *Table) mapping() *mapping {
	if t.Mapped() == nil {
		return nil
	}
	return t.inMemory
}
