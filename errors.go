package backsolve

import (
	"errors"
	"io/fs"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// Errors, for errors.Is. An error is also [fs.ErrNotExist] if there is no such table, or an
// opening table lacks the position, and [fs.ErrClosed] if the table is closed.
var (
	// ErrBoard: there is no such game, or a board of this size cannot have a table.
	ErrBoard = errors.New("no such board")
	// ErrPosition: the argument is not a position of the table's game.
	ErrPosition = errors.New("not a position")
	// ErrBadTable: the file is not a table, is damaged, truncated or of a newer format, or
	// has the name of another board.
	ErrBadTable = errors.New("the table cannot be used")
)

// Classify marks an error of the packages below with its kind, for errors.Is.
func Classify(err error) error {
	var dir *probe.DirError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &dir):
		return tablebase.OfKind(dir, fs.ErrNotExist)
	case errors.As(err, new(*game.SyntaxError)), errors.As(err, new(*game.IllegalMoveError)), errors.Is(err, probe.ErrPosition):
		return tablebase.OfKind(err, ErrPosition)
	case errors.Is(err, tablebase.ErrClosed):
		return tablebase.OfKind(err, fs.ErrClosed)
	case tablebase.Unusable(err):
		return tablebase.OfKind(err, ErrBadTable)
	}
	return err
}
