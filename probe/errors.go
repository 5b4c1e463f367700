package probe

import (
	"errors"

	"backsolve/tablebase"
)

// What can be wrong beside what tablebase finds, for errors.Is.
var (
	// ErrOtherBoard: the file is a table, but of another board. It is a
	// tablebase.ErrForeign, too.
	ErrOtherBoard error = foreign("the table of another board")
	// ErrPosition: the caller gave something that is no position.
	ErrPosition = errors.New("not a position")
)

type foreign string

func (e foreign) Error() string        { return string(e) }
func (e foreign) Is(target error) bool { return target == tablebase.ErrForeign }
