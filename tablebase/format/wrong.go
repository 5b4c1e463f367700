package format

import (
	"errors"
	"fmt"
	"io"

	"backsolve/tablebase"
)

// What can be wrong with the bytes of a table. The message says what contradicts itself.
var (
	// errHeader: a header that is complete and not from a newer version is refused.
	ErrHeader = errors.New("damaged header")
	// errDirectory: a directory is refused that could be read.
	ErrDirectory = errors.New("damaged directory")
	// errSeekTable: a seek table is refused that could be read.
	ErrSeekTable = errors.New("its seek table is wrong")
	// errPadding: a part has more than zeros behind its planes.
	ErrPadding = errors.New("what fills it up to a page is not zero")
)

// badChunk says which chunk of a part has another checksum than it should.
type badChunk struct{ chunk int }

func (b *badChunk) Error() string {
	return fmt.Sprintf("the checksum of chunk %d does not hold", b.chunk)
}

// BadFrame says which frame is not what the seek table says.
type BadFrame struct {
	Offset, Length int64 // in the file
	Cause          error
}

func (b *BadFrame) Error() string {
	return fmt.Sprintf("the frame in bytes %d to %d of the file does not unpack (%v)", b.Offset, b.Offset+b.Length-1, b.Cause)
}

// PartError says in which part of a class reading failed.
type PartError struct {
	Part  int
	Cause error
}

func (e *PartError) Error() string { return e.Cause.Error() }

func (e *PartError) Unwrap() error { return e.Cause }

// ReadError turns what went wrong while reading a class into a sentence.
func ReadError(path string, r *Record, err error, remedy string) error {
	var at *PartError
	var bad *badChunk
	var frame *BadFrame
	switch {
	case errors.As(err, &at) && errors.As(err, &bad):
		return &tablebase.Error{Path: path, Err: tablebase.ErrDamaged, Damaged: []tablebase.Stretch{r.Stretch(at.Part, bad.chunk)}, Remedy: remedy}
	case errors.As(err, &at) && errors.Is(err, ErrPadding):
		return &tablebase.Error{Path: path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf("class %d, %s: %v", r.Class, r.Names[at.Part], ErrPadding), Remedy: remedy}
	case errors.As(err, &frame):
		return &tablebase.Error{Path: path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, frame), Remedy: remedy}
	case errors.Is(err, ErrSeekTable):
		return &tablebase.Error{Path: path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, err), Remedy: remedy}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &tablebase.Error{Path: path, Err: tablebase.ErrTruncated, Detail: fmt.Sprintf("it ends within class %d", r.Class), Remedy: remedy}
	case at != nil:
		return tablebase.Failed(path, "read the table", err, remedy)
	}
	return &tablebase.Error{Path: path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, err), Remedy: remedy}
}
