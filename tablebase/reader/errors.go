package reader

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// putAgain is the remedy where a table on a server is damaged.
const putAgain = "put the table on the server again"

// reporter turns what goes wrong with a table into sentences.
type reporter struct {
	path   string
	remedy string      // against damage, "" where it depends on the program
	shut   atomic.Bool // by Close
}

func (r *reporter) isClosed() bool { return r.shut.Load() }

func (r *reporter) closed() error { return &tablebase.Error{Path: r.path, Err: tablebase.ErrClosed} }

// damaged says that the contents of the table contradict each other.
func (r *reporter) damaged(text string, args ...any) error {
	return &tablebase.Error{Path: r.path, Err: tablebase.ErrDamaged, Detail: fmt.Sprintf(text, args...), Remedy: r.remedy}
}

// bothWonAndLost is the error for a state whose planes contradict each other.
func (r *reporter) bothWonAndLost(p Place) error {
	return r.damaged("class %d, block %d, state %d is both won and lost", p.Class, p.Block, p.Index)
}

// truncated says that the table ends too early.
func (r *reporter) truncated(text string, args ...any) error {
	return &tablebase.Error{Path: r.path, Err: tablebase.ErrTruncated, Detail: fmt.Sprintf(text, args...), Remedy: r.remedy}
}

// shrunk says why the end of the table is gone: the file was shortened, or the table closed.
func (r *reporter) shrunk() error {
	if r.isClosed() {
		return r.closed()
	}
	return r.truncated("it was shortened or overwritten while it was in use")
}

// sourceError is for an error of a source that is no sentence yet, outside of any class.
func (r *reporter) sourceError(err error) error {
	var bad *format.BadFrame
	switch {
	case errors.Is(err, fs.ErrClosed):
		return r.closed()
	case errors.Is(err, tablebase.ErrForeign), errors.Is(err, tablebase.ErrNewer):
		return &tablebase.Error{Path: r.path, Err: err}
	case errors.Is(err, tablebase.ErrTruncated):
		return &tablebase.Error{Path: r.path, Err: err, Remedy: r.remedy}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.truncated("it became shorter while it was in use")
	case errors.Is(err, format.ErrHeader), errors.Is(err, format.ErrDirectory), errors.Is(err, format.ErrSeekTable), errors.As(err, &bad):
		return r.damaged("%v", err)
	}
	return tablebase.Failed(r.path, "read the table", err, "")
}

// classError is for an error that occurred while a class was read.
func (r *reporter) classError(class *format.Record, err error) error {
	switch {
	case errors.Is(err, fs.ErrClosed):
		return r.closed()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return r.shrunk()
	}
	return format.ReadError(r.path, class, err, r.remedy)
}
