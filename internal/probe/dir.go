package probe

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
	"backsolve/tablebase/writer"
)

// DirVariable is the environment variable with the default directory of the tables.
const DirVariable = "BACKSOLVE_TABLES"

const standardDir = "tables"

// DefaultDir returns $BACKSOLVE_TABLES, or tables in the working directory.
func DefaultDir() string { return cmp.Or(os.Getenv(DirVariable), standardDir) }

// CheckDir returns a *DirError if dir is no directory. The standard one need not exist.
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
	return nil // opening a table gives a better error
}

// DirOf returns the directory of a table by its path or address, which is not cleaned.
func DirOf(path string) string {
	if remote.IsURL(path) {
		return path[:strings.LastIndexByte(path, '/')]
	}
	return filepath.Dir(path)
}

func tablesAfter(dir string, board game.Info) (after []string) {
	if remote.IsURL(dir) {
		return nil // web servers do not list their files
	}
	entries, _ := os.ReadDir(dir) // no entries on failure
	for _, e := range entries {
		if b, ok := ParseFileName(e.Name()); ok && b.taken != 0 && b.Info() == board {
			after = append(after, strings.Join(CellNames(board, b.taken), ","))
		}
	}
	slices.Sort(after)
	return slices.Compact(after) // a table may be there packed and unpacked
}

// SizesIn returns the sizes of a game's boards with whole tables in a local directory, in
// ascending order. The suffix of partial files also includes unfinished tables.
func SizesIn(dir, name, suffix string) (sizes []int) {
	entries, _ := os.ReadDir(dir) // no entries on failure
	for _, e := range entries {
		file, _ := strings.CutSuffix(e.Name(), suffix)
		if b, ok := ParseFileName(file); ok && b.Info().Name == name && strings.TrimSuffix(file, tablebase.PackedSuffix) == FileName(b.Info()) {
			sizes = append(sizes, b.Info().Size)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// RulesIn returns the games whose files of rules lie beside tables in a local directory, unless others have their
// names. Other files are left out.
func RulesIn(dir string, others []game.Game) (found []game.Game) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name, beside := strings.CutSuffix(e.Name(), RulesOf(FileSuffix))
		if !beside || slices.ContainsFunc(others, func(g game.Game) bool { return g.Name == name }) {
			continue
		}
		if _, _, _, err := games.Local(filepath.Join(dir, e.Name())); err != nil {
			continue
		}
		if g, err := games.Lookup(name); err == nil {
			found = append(found, g)
		}
	}
	return found
}

// missing turns an fs.ErrNotExist into a *MissingError, or a *DirError without a directory.
func missing(dir string, board game.Info, taken uint64, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := CheckDir(dir); err != nil {
		return err
	}
	return Missing(dir, board, taken, tablesAfter(dir, board))
}

// Missing returns the error of a board after taken cells without a table; after is MissingError.After.
func Missing(dir string, board game.Info, taken uint64, after []string) *MissingError {
	e := &MissingError{Board: board, Taken: taken, Dir: dir, After: after}
	if remote.IsURL(dir) {
		e.Dir = remote.Name(dir)
	} else {
		e.Unfinished = unfinished(filepath.Join(dir, FileNameAfter(board, taken)))
	}
	return e
}

func unfinished(path string) bool {
	_, plain := writer.FindUnfinished(path)
	_, packed := writer.FindUnfinished(path + tablebase.PackedSuffix)
	return plain == nil || packed == nil
}
