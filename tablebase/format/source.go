package format

import "io"

// Source is where the bytes of a table come from: its file, a Storage, or the frames
// of a packed one in either. Whether they are the right ones, the table's checksums
// tell. Its methods are safe for concurrent use.
type Source interface {
	io.ReaderAt
	io.Closer
	// Size returns the number of bytes there are now.
	Size() (int64, error)
	// Fetch brings what will be read next all at once, where one reading after the other
	// takes long.
	Fetch(wanted []Extent) error
}

// Storage is a Source that is no file of this machine. Reading from it takes long, so it is
// told beforehand what will be read. After Close its methods return errors that wrap
// fs.ErrClosed. An error that is an *Error is handed on as it is.
type Storage interface {
	Source
	// Question begins an answer: all that is read until done is called has one deadline.
	// Answers that are begun meanwhile move it on.
	Question() (done func())
}

// Extent is a run of bytes: its first byte and its length.
type Extent struct{ Offset, Length int64 }
