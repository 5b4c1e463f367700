package probe

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"backsolve/game"
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
}

// Error returns the sentence with the command.
func (e *MissingError) Error() string {
	text := fmt.Sprintf("there is no table of %s in %s; make it with: %s (add --steps to have the steps to the end, too)",
		e.Board, e.Dir, e.Command)
	if e.After != nil {
		text += "; there are tables of it after given moves, to be asked with --after " + strings.Join(e.After, " or --after ")
	}
	return text
}

// Is makes the error an fs.ErrNotExist.
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

// missing turns an error for a file that is not there into a *MissingError.
func missing(dir string, rules game.Grid, taken uint64, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return Missing(dir, rules.Info(), taken, tablesAfter(dir, rules))
}

// Missing says that a board, of the game after the taken cells are marked, has no
// table in a directory, where after names the tables after given moves as in
// MissingError.
func Missing(dir string, board game.Info, taken uint64, after []string) *MissingError {
	return &MissingError{Board: boardText(board, taken), Dir: dir, Command: solveCommand(board, taken, dir), After: after}
}

// solveCommand returns the command line that makes a board's table, of the game
// after the taken cells are marked.
func solveCommand(board game.Info, taken uint64, dir string) string {
	command := fmt.Sprintf("tbsolve %s %d", board.Name, board.Size)
	if taken != 0 {
		command += " --keep table --after " + strings.Join(CellNames(board, taken), ",")
	}
	if filepath.Clean(dir) != filepath.Clean(DefaultDir()) {
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

// otherBoard says that a file has the name of another board than it holds.
func (t *Table) otherBoard(detail, remedy string) error {
	return &tablebase.Error{Path: t.stored.Path(), Err: ErrOtherBoard, Detail: detail, Remedy: remedy}
}

// damaged says that a table contradicts itself or the rules.
func (t *Table) damaged(format string, args ...any) error {
	return &tablebase.Error{
		Path: t.stored.Path(), Err: tablebase.ErrDamaged, Detail: fmt.Sprintf(format, args...),
		Remedy: "solve it again with: " + t.solveCommand() + " --force",
	}
}
