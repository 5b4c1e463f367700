package backsolve

import (
	"errors"
	"io/fs"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// What can be wrong, for errors.Is. Beside these, an error is [fs.ErrNotExist] where
// there is no such table, or an opening table ends before the position, and
// [fs.ErrClosed] where the table is closed. The texts say what is wrong.
var (
	// ErrBoard: there is no such game, or it has no table on a board of this size.
	ErrBoard = errors.New("no such board")
	// ErrPosition: what was asked about is no position of the table's game.
	ErrPosition = errors.New("not a position")
	// ErrBadTable: the file is not a table, is damaged, cut short, of a newer format
	// or of another board than its name says.
	ErrBadTable = errors.New("the table cannot be used")
)

// ofKind is an error of a kind that errors.Is finds and its text does not repeat.
type ofKind struct {
	error
	kind error
}

func (e ofKind) Unwrap() []error { return []error{e.error, e.kind} }

// told gives an error of the packages below its kind.
func told(err error) error {
	var syntax *game.SyntaxError
	var dir *probe.DirError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &dir):
		return ofKind{dir, fs.ErrNotExist}
	case errors.As(err, &syntax), errors.Is(err, probe.ErrPosition):
		return ofKind{err, ErrPosition}
	case errors.Is(err, tablebase.ErrClosed):
		return ofKind{err, fs.ErrClosed}
	}
	for _, bad := range []error{tablebase.ErrForeign, tablebase.ErrTruncated, tablebase.ErrDamaged, tablebase.ErrNewer} {
		if errors.Is(err, bad) {
			return ofKind{err, ErrBadTable}
		}
	}
	return err
}
