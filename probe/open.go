package probe

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"backsolve/game"
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/remote"
)

// Open opens the table of a board in a directory, the packed one where there is
// no other. The directory may be one on a web server, https://…, where the packed one
// is preferred. A *MissingError says that there is none; other errors are those of
// tablebase.Open and remote.Open, ErrOtherBoard where the file holds another board's
// table, and partition.ErrTooLarge where there can be none.
func Open(dir string, rules game.Grid) (*Table, error) { return OpenAfter(dir, rules, 0) }

// OpenAfter opens the table of a game that goes on after the given cells are
// marked, like Open: that of the whole game where there are none.
func OpenAfter(dir string, rules game.Grid, taken uint64) (*Table, error) {
	return openAfter(context.Background(), dir, rules, taken)
}

// openAfter is OpenAfter; a table on a web server is read until ctx ends.
func openAfter(ctx context.Context, dir string, rules game.Grid, taken uint64) (*Table, error) {
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		return nil, err
	}
	stored, err := openNamed(ctx, dir, FileNameAfter(rules.Info(), taken))
	if err == nil {
		t, err := newTable(rules, space, stored)
		if err != nil || remote.IsURL(dir) { // to ask for one more file that may not be there takes time
			return t, err
		}
		return t.withNimbers(func(name string) (*tablebase.Table, error) { return openNamed(ctx, dir, name) })
	}
	if errors.Is(err, fs.ErrNotExist) && taken == 0 && space.HasNimbers() {
		// That of the nimbers has the outcomes, too.
		if alone, err := openNamed(ctx, dir, NimbersFileName(rules.Info())); !errors.Is(err, fs.ErrNotExist) {
			return newNimbers(rules, alone, err)
		}
	}
	return nil, missing(dir, rules, taken, err)
}

// openNamed opens a table in a directory by the name that it has unpacked.
func openNamed(ctx context.Context, dir, name string) (*tablebase.Table, error) {
	if remote.IsURL(dir) {
		stored, err := remote.Open(ctx, remote.Join(dir, name+tablebase.PackedSuffix))
		if errors.Is(err, fs.ErrNotExist) {
			stored, err = remote.Open(ctx, remote.Join(dir, name))
		}
		return stored, err
	}
	path := filepath.Join(dir, name)
	stored, err := tablebase.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		stored, err = tablebase.Open(path + tablebase.PackedSuffix)
	}
	return stored, err
}

// OpenFile opens a table by its path and finds the rules that belong to it.
func OpenFile(path string) (*Table, error) {
	if remote.IsURL(path) {
		return nil, &tablebase.Error{Path: remote.Name(path), Err: errAway, Remedy: "get the file, and give the path where it is then"}
	}
	return openStored(tablebase.Open(path))
}

// OpenURL opens a table on a web server by its address, https://…, and finds the rules
// that belong to it. It is read until ctx ends.
func OpenURL(ctx context.Context, address string) (*Table, error) {
	return openStored(remote.Open(ctx, address))
}

// OpenIn opens a table by its name beneath a directory, from which no link leads
// out, and finds the rules that belong to it. The name must be the one of its
// board, packed or not, else the error is ErrOtherBoard.
func OpenIn(root *os.Root, name string) (*Table, error) {
	t, err := openStored(tablebase.OpenIn(root, name))
	return named(t, name, err, func(name string) (*tablebase.Table, error) { return tablebase.OpenIn(root, name) })
}

// OpenNamed opens a table by its path like OpenIn, but follows links wherever they
// lead.
func OpenNamed(path string) (*Table, error) {
	t, err := openStored(tablebase.Open(path))
	return named(t, filepath.Base(path), err, func(name string) (*tablebase.Table, error) {
		return tablebase.Open(filepath.Join(filepath.Dir(path), name))
	})
}

// named refuses a table that was opened, unless that failed, by a name that is not the
// one of its board. Its nimbers may be in a table beside it.
func named(t *Table, name string, err error, open func(name string) (*tablebase.Table, error)) (*Table, error) {
	if err != nil {
		return nil, err
	}
	if right := t.fileName(); strings.TrimSuffix(name, tablebase.PackedSuffix) != right {
		t.Close()
		return nil, t.otherBoard("it holds "+t.Board(), "give it back its name, "+right)
	}
	return t.withNimbers(func(name string) (*tablebase.Table, error) {
		stored, err := open(name)
		if errors.Is(err, fs.ErrNotExist) {
			stored, err = open(name + tablebase.PackedSuffix)
		}
		return stored, err
	})
}

// openStored finds the rules that belong to a table file that was opened.
func openStored(stored *tablebase.Table, err error) (*Table, error) {
	if err != nil {
		return nil, err
	}
	rules, taken, err := parseShape(stored.Shape())
	if err == nil {
		var space *partition.Space
		if space, err = partition.NewAfter(rules, taken); err == nil {
			return newTable(rules, space, stored)
		}
	}
	stored.Close()
	return nil, &tablebase.Error{Path: stored.Path(), Err: ErrOtherBoard, Detail: err.Error(), Remedy: "use the version of backsolve that made it"}
}

func newTable(rules game.Grid, space *partition.Space, stored *tablebase.Table) (*Table, error) {
	t := &Table{rules: rules, space: space, stored: stored, steps: stored.Shape().Steps}
	if err := t.checkShape(); err != nil {
		stored.Close()
		return nil, err
	}
	if stored.Shape().Nimbers {
		t.nimbers = t
	}
	return t, nil
}
