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
	// ErrUnknown: nothing is known of a position.
	ErrUnknown = errors.New("the outcome is not known")
	// ErrNoTableNeeded: the board needs no table, as a strategy knows all its positions.
	ErrNoTableNeeded = errors.New("no table is needed")
	// ErrSearchDisabled: there are no tables of the game, and no search is allowed.
	ErrSearchDisabled = errors.New("nothing is searched for")
	// errAway: what takes a file cannot use an address.
	errAway = errors.New("this is on a web server, and a file of this machine is needed")
	// ErrPosition: the caller gave something that is no position.
	ErrPosition = errors.New("not a position")
)

type foreign string

func (e foreign) Error() string        { return string(e) }
func (e foreign) Is(target error) bool { return target == tablebase.ErrForeign }

// unknown reports whether an error says that nothing is known of a position, and not
// that something is wrong.
func unknown(err error) bool {
	var missing *MissingError
	return errors.Is(err, ErrUnknown) || errors.As(err, &missing)
}
