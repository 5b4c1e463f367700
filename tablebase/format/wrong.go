package format

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"backsolve/tablebase"
)

// What can be wrong with the bytes of a table. Messages say what contradicts itself.
var (
	// ErrHeader: a header is complete and not from a newer version, but wrong.
	ErrHeader = errors.New("damaged header")
	// ErrDirectory: a directory is wrong.
	ErrDirectory = errors.New("damaged directory")
	// ErrSeekTable: a seek table is wrong.
	ErrSeekTable = errors.New("its seek table is wrong")
	// ErrUnderivable: the steps of won states do not follow from those of the lost states.
	ErrUnderivable = errors.New("the steps of its won states cannot be derived")
	// ErrPadding: a part has more than zeros after its planes.
	ErrPadding = errors.New("what fills it up to a page is not zero")
)

// BadChunk says which chunk of a part fails its checksum.
type BadChunk struct{ Chunk int } // counted in the part

func (b *BadChunk) Error() string {
	return fmt.Sprintf("the checksum of chunk %d does not hold", b.Chunk)
}

// BadFrame says which frame of a packed table does not unpack.
type BadFrame struct {
	Offset, Length int64 // in the file
	Cause          error
}

func (b *BadFrame) Error() string {
	return fmt.Sprintf("the frame in bytes %d to %d of the file does not unpack (%v)", b.Offset, b.Offset+b.Length-1, b.Cause)
}

// PartError says in which part of a class reading failed.
type PartError struct {
	Part  int // Outcomes, Steps or Masks
	Cause error
}

func (e *PartError) Error() string { return e.Cause.Error() }

func (e *PartError) Unwrap() error { return e.Cause }

// ReadError makes an *tablebase.Error of an error of Part.Read or ReadPlanes.
func ReadError(path string, r *Record, err error, remedy string) error {
	var at *PartError
	var bad *BadChunk
	e := &tablebase.Error{Path: path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf("class %d: %v", r.Class, err), Remedy: remedy}
	switch {
	case errors.As(err, new(syscall.Errno)):
		return tablebase.Failed(path, "read the table", err, "")
	case errors.As(err, &at) && errors.As(err, &bad):
		e.Detail, e.Damaged = "", []tablebase.Range{r.Range(at.Part, bad.Chunk)}
	case at != nil && errors.Is(err, ErrPadding):
		e.Detail = fmt.Sprintf("class %d, %s: %v", r.Class, r.Names[at.Part], ErrPadding)
	case errors.As(err, new(*BadFrame)), errors.Is(err, ErrSeekTable), errors.Is(err, ErrUnderivable):
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Err, e.Detail = tablebase.ErrTruncated, fmt.Sprintf("it ends within class %d", r.Class)
	case at != nil:
		return tablebase.Failed(path, "read the table", err, remedy)
	}
	return e
}
