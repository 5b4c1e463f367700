package probe

import (
	"errors"
	"fmt"
	"io/fs"

	"backsolve/game"
	"backsolve/tablebase"
)

// Errors in addition to tablebase's, for errors.Is.
var (
	// ErrOtherBoard: the file is the table of another board. It is a tablebase.ErrForeign.
	ErrOtherBoard = tablebase.OfKind(errors.New("the table of another board"), tablebase.ErrForeign)
	// ErrPosition: the caller gave something that is no position.
	ErrPosition = errors.New("not a position")
	// ErrUnknown: the outcome of a position is unknown.
	ErrUnknown = errors.New("the outcome is not known")
	// ErrOutOfTable: an opening table lacks the class of the position; an *OutOfTableError.
	ErrOutOfTable = errors.New("not in the table")
	// ErrNoBoard: there is no such game, or none on a board of this size.
	ErrNoBoard = errors.New("no such board")
	// ErrAfter: no game goes on after the given moves.
	ErrAfter = errors.New("no game goes on after these moves")
	// ErrNoTableNeeded: a strategy knows all positions of the board.
	ErrNoTableNeeded = errors.New("no table is needed")
	// ErrSearchDisabled: the game has no tables, and positions are not solved on demand.
	ErrSearchDisabled = errors.New("searches are disabled")
)

func unknown(err error) bool {
	var missing *MissingError
	return errors.Is(err, ErrUnknown) || errors.As(err, &missing)
}

// OutOfTableError: an opening table lacks a class. It is an ErrOutOfTable and a *MissingError.
type OutOfTableError struct {
	// Path is the table, with Classes; Class is the class of the position, or of a move it needs.
	Path           string
	Classes, Class int
	// Missing is the error of the whole table.
	Missing *MissingError
}

// Error returns the sentence.
func (e *OutOfTableError) Error() string {
	return fmt.Sprintf("%s has only the classes %d to 0 of %s, and this takes class %d",
		e.Path, e.Classes-1, boardText(e.Missing.Board, e.Missing.Taken), e.Class)
}

// Is makes the error an ErrOutOfTable.
func (e *OutOfTableError) Is(target error) bool { return target == ErrOutOfTable }

// Unwrap makes it a *MissingError.
func (e *OutOfTableError) Unwrap() error { return e.Missing }

// StepsError reports that a table has no steps, which a question needs.
type StepsError struct {
	// Board is the board of the table, of the game after the Taken cells are marked.
	Board game.Info
	Taken uint64
	// Dir is the directory of the table, or its address.
	Dir string
}

// Error returns the sentence.
func (e *StepsError) Error() string {
	return fmt.Sprintf("the table of %s was solved without steps", boardText(e.Board, e.Taken))
}

// MissingError reports that a board has no table. It is an fs.ErrNotExist.
type MissingError struct {
	// Board is the board, of the game after the Taken cells are marked.
	Board game.Info
	Taken uint64
	// Dir is the directory or address without it.
	Dir string
	// After lists the board's tables in Dir after given moves, by the cells marked: a1,c3.
	After []string
	// Nimbers says that the table with the board's nimbers is missing.
	Nimbers bool
	// Unfinished says that its solve was interrupted.
	Unfinished bool
}

// Error returns the sentence.
func (e *MissingError) Error() string {
	board := boardText(e.Board, e.Taken)
	if e.Nimbers {
		board += " with nimbers"
	}
	if e.Unfinished {
		return fmt.Sprintf("the table of %s in %s is not finished", board, e.Dir)
	}
	return fmt.Sprintf("there is no table of %s in %s", board, e.Dir)
}

// Is makes the error an fs.ErrNotExist.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

// DirError reports that the directory of the tables is not a directory.
type DirError struct {
	// Dir is the directory.
	Dir string
	// Cause says why, as a relative clause.
	Cause string
}

// Error returns the sentence.
func (e *DirError) Error() string {
	return fmt.Sprintf("there are no tables in %s, %s", e.Dir, e.Cause)
}
