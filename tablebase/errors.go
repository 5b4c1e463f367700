package tablebase

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize/english"

	"backsolve/internal/durable"
)

// What can be wrong with a table, for errors.Is. The packages of tables return an *Error around
// one of these or around the system's own cause.
var (
	// ErrForeign: the file is not a table.
	ErrForeign = errors.New("not a backsolve table")
	// ErrUnfinished, also an ErrForeign: the file belongs to a solve that is not finished.
	ErrUnfinished = OfKind(errors.New("it belongs to a solve that is not finished"), ErrForeign)
	// ErrSparse, also an ErrForeign: a table of package sparse where one of a board is wanted.
	ErrSparse = OfKind(errors.New("it is the table of a game without a board of its own"), ErrForeign)
	// ErrTruncated: the file is shorter than it says, or became so while it was open.
	ErrTruncated = errors.New("the table is cut short")
	// ErrDamaged: a checksum does not hold or the contents contradict each other.
	ErrDamaged = errors.New("the table is damaged")
	// ErrNewer: the file has a format version that this program does not know.
	ErrNewer = errors.New("the table has a newer format")
	// ErrBusy: another process is writing this table.
	ErrBusy = errors.New("another process is writing this table")
	// ErrExists: the table exists and was not to be overwritten.
	ErrExists = errors.New("the table exists already")
	// ErrOtherSolve: an interrupted solve of something else lies in the way.
	ErrOtherSolve = errors.New("an interrupted solve of another kind lies here")
	// ErrClosed: the table or writer is closed.
	ErrClosed = errors.New("the table is closed")
	// ErrInput: a call asks for, or passes, something that the table cannot contain.
	ErrInput = errors.New("not possible in this table")
)

type kindError struct {
	error
	kind error
}

func (e kindError) Unwrap() []error { return []error{e.error, e.kind} }

// OfKind returns an error of a kind that errors.Is finds and the text does not repeat.
func OfKind(err, kind error) error { return kindError{err, kind} }

// Unusable reports whether an error says that the contents of a file are not a table to use.
func Unusable(err error) bool {
	kinds := []error{ErrForeign, ErrTruncated, ErrDamaged, ErrNewer}
	return slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
}

// Error says which file is refused, and why.
type Error struct {
	// Path is the file.
	Path string
	// Err is one of the Err… values of this package or the system's cause.
	Err error
	// Detail describes the finding, or is "".
	Detail string
	// Remedy is what the user can do, or "" where that depends on the program.
	Remedy string
	// Damaged are the ranges whose checksums do not hold, in file order.
	Damaged []Range
}

// Range is a run of bytes of the unpacked table.
type Range struct {
	// Class is the class that the bytes belong to.
	Class int
	// Part is what they hold: "outcomes", "steps", "nimbers" or "masks".
	Part string
	// Offset and Length say where they lie.
	Offset, Length int64
}

// String names the range for messages.
func (s Range) String() string {
	return fmt.Sprintf("bytes %d to %d (class %d, %s)", s.Offset, s.Offset+s.Length-1, s.Class, s.Part)
}

// listed is how many damaged ranges a message names before it counts the rest.
const listed = 8

// Error returns the sentence: path, cause, detail, remedy.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", e.Path, e.Err)
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	separator := ": wrong checksum of "
	for _, s := range e.Damaged[:min(len(e.Damaged), listed)] {
		b.WriteString(separator + s.String())
		separator = ", "
	}
	if more := len(e.Damaged) - listed; more > 0 {
		b.WriteString(" and " + english.Plural(more, "more range", ""))
	}
	if e.Remedy != "" {
		b.WriteString("; " + e.Remedy)
	}
	return b.String()
}

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Err }

// Inputf returns an ErrInput.
func Inputf(path, format string, args ...any) error {
	return &Error{Path: path, Err: ErrInput, Detail: fmt.Sprintf(format, args...)}
}

// Failed returns an *Error around an error of the system, without the file's name, which Path has.
// An *Error is returned as it is. If too many files are open, the remedy is to allow more.
func Failed(path, doing string, cause error, remedy string) error {
	if said := (*Error)(nil); errors.As(cause, &said) {
		return said
	}
	if on := (*durable.Error)(nil); errors.As(cause, &on) {
		cause = on.Err
		if errors.Is(cause, durable.ErrNotOurs) {
			path, remedy = on.Path, on.Remedy
		}
	}
	if at := (*fs.PathError)(nil); errors.As(cause, &at) && (at.Path == path || at.Path == filepath.Base(path)) {
		cause = at.Err
	}
	switch {
	case durable.TooManyFiles(cause):
		remedy = durable.MoreFiles
	case remedy == "" && errors.Is(cause, syscall.EIO):
		remedy = "check the disk, and try again"
	}
	return &Error{Path: path, Err: fmt.Errorf("cannot %s: %w", doing, cause), Remedy: remedy}
}
