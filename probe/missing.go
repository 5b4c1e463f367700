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

// dirVariable names the directory of the tables where nothing else does, and standardDir
// where it is not set either.
const (
	dirVariable = "BACKSOLVE_TABLES"
	standardDir = "tables"
)

// DefaultDir returns the directory where tables are sought unless another one
// is named: $BACKSOLVE_TABLES, or tables in the working directory.
func DefaultDir() string {
	if dir := os.Getenv(dirVariable); dir != "" {
		return dir
	}
	return standardDir
}

// DirError says that tables were sought in what is no directory.
type DirError struct {
	// Dir is the directory.
	Dir string
	// Cause is why it is none.
	Cause string
}

// Error returns the sentence, with the variable where that named the directory.
func (e *DirError) Error() string {
	if e.Dir == os.Getenv(dirVariable) {
		return fmt.Sprintf("$%s names %s, %s; correct it, or name the directory of the tables with --dir", dirVariable, e.Dir, e.Cause)
	}
	return fmt.Sprintf("--dir names %s, %s; name the directory of the tables", e.Dir, e.Cause)
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

// MissingError says that a board has no table, and how to make it. It is an
// fs.ErrNotExist.
type MissingError struct {
	// Board names the board: quixo 4×4.
	Board string
	// Dir is where the table was sought.
	Dir string
	// Command is the command line that makes it.
	Command string
	// After has, for each table in Dir of the same board after given moves, the
	// cells that are marked from the start: a1,c3.
	After []string
	// Nimbers says that it is the table with the board's nimbers.
	Nimbers bool
	// Unfinished says that a solve of it was interrupted, which the command goes on with.
	Unfinished bool
}

// Error returns the sentence with the command.
func (e *MissingError) Error() string {
	board, besides := e.Board, " (add --steps to have the steps to the end, too)"
	if e.Nimbers {
		board, besides = board+" with nimbers", ""
	}
	text := fmt.Sprintf("there is no table of %s in %s; make it with: %s%s", board, e.Dir, e.Command, besides)
	if e.Unfinished {
		text = fmt.Sprintf("the table of %s in %s is not finished; go on solving with: %s, and the flags that it was begun with", board, e.Dir, e.Command)
	}
	if e.After != nil {
		text += "; there are tables of it after given moves, to be asked with --after " + strings.Join(e.After, " or --after ")
	}
	return text
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
		return &MissingError{Board: boardText(board, taken), Dir: remote.Name(dir), Command: solveCommand(board, taken, dir), After: after}
	}
	return &MissingError{
		Board: boardText(board, taken), Dir: dir, Command: solveCommand(board, taken, dir), After: after,
		Unfinished: unfinished(filepath.Join(dir, FileNameAfter(board, taken))),
	}
}

// unfinished reports whether a table, packed or not, was begun and not finished.
func unfinished(path string) bool {
	_, plain := tablebase.FindUnfinished(path)
	_, packed := tablebase.FindUnfinished(path + tablebase.PackedSuffix)
	return plain == nil || packed == nil
}

// solveCommand returns the command line that makes a board's table, of the game
// after the taken cells are marked.
func solveCommand(board game.Info, taken uint64, dir string) string {
	command := fmt.Sprintf("tbsolve %s %d", board.Name, board.Size)
	if taken != 0 {
		command += " --keep table --after " + strings.Join(CellNames(board, taken), ",")
	}
	switch {
	case remote.IsURL(dir):
		command += " --packed" // as it is put on a server
	case filepath.Clean(dir) != filepath.Clean(DefaultDir()):
		command += " --dir " + shellWord(dir)
	}
	return command
}

// shellWord quotes a word for a shell where it has to be.
func shellWord(word string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == filepath.Separator || strings.ContainsRune("/.:_-+", r))
	}
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
