package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// DirVariable is the environment variable that names the directory of the tables where
// nothing else does.
const DirVariable = "BACKSOLVE_TABLES"

// standardDir is the directory of the tables where the variable is not set either.
const standardDir = "tables"

// DefaultDir returns the directory where tables are sought unless another one
// is named: $BACKSOLVE_TABLES, or tables in the working directory.
func DefaultDir() string {
	if dir := os.Getenv(DirVariable); dir != "" {
		return dir
	}
	return standardDir
}

// DirError says that tables were sought in what is no directory.
type DirError struct {
	// Dir is the directory.
	Dir string
	// Cause is why it is none, as a relative clause.
	Cause string
}

// Error returns the sentence.
func (e *DirError) Error() string {
	return fmt.Sprintf("there are no tables in %s, %s", e.Dir, e.Cause)
}

// CheckDir returns a *DirError where tables are sought in what is no directory. The
// standard one need not be there.
func CheckDir(dir string) error {
	if remote.IsURL(dir) {
		return nil
	}
	switch info, err := os.Stat(dir); {
	case err == nil && !info.IsDir():
		return &DirError{dir, "which is not a directory"}
	case errors.Is(err, fs.ErrNotExist) && filepath.Clean(dir) != standardDir:
		return &DirError{dir, "which does not exist"}
	}
	return nil // what cannot be looked at, opening a table says better
}

// tablesAfter returns, for each table in a directory of a board after given
// moves, the cells that are marked from the start: a1,c3.
func tablesAfter(dir string, rules game.Grid) (after []string) {
	if remote.IsURL(dir) {
		return nil // web servers do not say which files they have
	}
	before := strings.TrimSuffix(FileName(rules.Info()), FileSuffix) + "-after-"
	entries, _ := os.ReadDir(dir) // what cannot be listed names no tables
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), tablebase.PackedSuffix)
		name, isTable := strings.CutSuffix(name, FileSuffix)
		name, isAfter := strings.CutPrefix(name, before)
		if cells, ok := parseCells(rules, name); isTable && isAfter && ok {
			after = append(after, strings.Join(CellNames(rules.Info(), cells), ","))
		}
	}
	slices.Sort(after)
	return slices.Compact(after) // a packed table and an unpacked one are alike
}

// MissingError says that a board has no table. It is an fs.ErrNotExist.
type MissingError struct {
	// Board is the board, of the game after the Taken cells are marked.
	Board game.Info
	Taken uint64
	// Dir is where the table was sought, a directory or an address.
	Dir string
	// After has, for each table in Dir of the same board after given moves, the
	// cells that are marked from the start: a1,c3.
	After []string
	// Nimbers says that it is the table with the board's nimbers.
	Nimbers bool
	// Unfinished says that a solve of it was interrupted.
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

// missing turns an error for a file that is not there into a *MissingError, or into a
// *DirError where there is no directory.
func missing(dir string, rules game.Grid, taken uint64, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := CheckDir(dir); err != nil {
		return err
	}
	return Missing(dir, rules.Info(), taken, tablesAfter(dir, rules))
}

// Missing says that a board, of the game after the taken cells are marked, has no
// table in a directory, where after names the tables after given moves as in
// MissingError.
func Missing(dir string, board game.Info, taken uint64, after []string) *MissingError {
	if remote.IsURL(dir) {
		return &MissingError{Board: board, Taken: taken, Dir: remote.Name(dir), After: after}
	}
	return &MissingError{
		Board: board, Taken: taken, Dir: dir, After: after,
		Unfinished: unfinished(filepath.Join(dir, FileNameAfter(board, taken))),
	}
}

// unfinished reports whether a table, packed or not, was begun and not finished.
func unfinished(path string) bool {
	_, plain := tablebase.FindUnfinished(path)
	_, packed := tablebase.FindUnfinished(path + tablebase.PackedSuffix)
	return plain == nil || packed == nil
}
