package tablebase

import (
	"context"
	"io"

	"backsolve/internal/progress"
)

// Event is the progress of long work on a table.
type Event = progress.Event

// Tell calls progress with an event, unless it is nil.
func Tell(progress func(Event), e Event) {
	if progress != nil {
		progress(e)
	}
}

// Stages of an Event; others are named where they are told.
const (
	// Checksums are compared, in bytes.
	Checksums = "checksums"
	// Solving finds the values of a class or tier.
	Solving = "solve"
	// Propagating finds those that follow from others of the class, pass by pass.
	Propagating = "propagate"
	// Sealed: the class is in the file and survives a crash. The next one may be in work already.
	Sealed = "sealed"
	// Stopping: the solve was asked to end, and will once the solved class is in the file.
	Stopping = "stopping"
)

// File is an open table of either kind: a reader.Table, which has the blocks of a board, or a
// sparse.Table, which has single positions.
type File interface {
	// ReaderAt reads bytes of the unpacked table, without their checksums being checked.
	io.ReaderAt
	io.Closer
	// Path returns the path or address by which the table was opened.
	Path() string
	// Identity returns the SHA-256 that tells this table from every other.
	Identity() [32]byte
	// Bytes returns the unpacked length; Packed that of the file of a packed table, else 0.
	Bytes() int64
	Packed() int64
	// Damaged returns an error that says that the contents of the table contradict each other.
	Damaged(text string, args ...any) error
	// Verify checks every checksum. It calls progress, unless nil, now and then, never twice at once.
	Verify(ctx context.Context, workers int, progress func(Event)) error
	// CheckAlways makes every lookup check what it reads. Call it before the first lookup.
	CheckAlways()
	// Trusting reports whether what was checked once is not checked again: neither was
	// CheckAlways called, nor has a lookup found that the file was written to.
	Trusting() bool
}
