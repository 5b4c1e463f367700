package format

import "io"

// Source has the bytes of a table, unchecked: its file, a Storage, or the frames of a packed table
// in either. It is safe for concurrent use.
type Source interface {
	io.ReaderAt
	io.Closer
	// Size returns the current number of bytes.
	Size() (int64, error)
	// Fetch fetches all at once what will be read next, where each read takes long.
	Fetch(wanted []Extent) error
}

// Storage is a Source on another machine. It is told beforehand what will be read, as reading
// takes long. After Close its errors wrap fs.ErrClosed. A *tablebase.Error stays as it is.
type Storage interface {
	Source
	// ShareDeadline gives all reads until done is called one deadline. A later call extends it.
	ShareDeadline() (done func())
}

// Extent is a run of bytes.
type Extent struct{ Offset, Length int64 }
