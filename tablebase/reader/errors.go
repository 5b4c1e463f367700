package reader

import (
	"errors"
	"io"
	"io/fs"

	"backsolve/tablebase/format"
)

// bothWonAndLost is the error for a state whose planes contradict each other.
func (c *contents) bothWonAndLost(p Place) error {
	return c.Damaged("class %d, block %d, state %d is both won and lost", p.Class, p.Block, p.Index)
}

// classError is for an error that occurred while a class was read.
func (c *contents) classError(class *format.Record, err error) error {
	if errors.Is(err, fs.ErrClosed) || errors.Is(err, io.ErrUnexpectedEOF) {
		return c.Failed(err)
	}
	return format.ReadError(c.Path(), class, err, c.Remedy())
}
