package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"backsolve/game"
	_ "backsolve/internal/probe/archive" // the rules that archives need
	"backsolve/partition"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/remote"
)

// Open opens the table of a board in a directory, plain or else packed, and one of its nimbers beside it. At an address,
// https://…, it prefers the packed table and looks for no nimbers. Errors are a *MissingError, those of reader.Open and
// remote.Open, ErrOtherBoard for another board's table, and partition.ErrTooLarge if the board can have none.
func Open(dir string, rules game.Grid) (*Table, error) { return OpenAfter(dir, rules, 0) }

// OpenAfter is Open for the game after the taken cells are marked, if any.
func OpenAfter(dir string, rules game.Grid, taken uint64) (*Table, error) {
	return openAfter(context.Background(), dir, rules, taken)
}

// openAfter is OpenAfter; a table on a web server is read until ctx ends.
func openAfter(ctx context.Context, dir string, rules game.Grid, taken uint64) (*Table, error) {
	space, err := partition.NewAfter(rules, taken)
	if err != nil {
		return nil, err
	}
	open := func(name string) (*reader.Table, error) {
		return openPlaced(dir, name, reader.Open, func(address string) (*reader.Table, error) { return remote.Open(ctx, address) })
	}
	stored, err := open(FileNameAfter(rules.Info(), taken))
	if err == nil {
		s, err := newStates(rules, space, stored)
		if err != nil {
			return nil, err
		}
		if remote.IsURL(dir) { // a request for one more file takes time
			return newTable(s, nil)
		}
		return withNimbers(s, open)
	}
	if errors.Is(err, fs.ErrNotExist) && taken == 0 && space.HasNimbers() {
		// A table with nimbers has the outcomes, too.
		if stored, err := open(NimbersFileName(rules.Info())); !errors.Is(err, fs.ErrNotExist) {
			return newTable(openNimbers(rules, stored, err))
		}
	}
	return nil, missing(dir, rules.Info(), taken, err)
}

// openPlaced takes the unpacked name in a directory, on this machine or on a web server.
func openPlaced[T any](dir, name string, local, far func(path string) (T, error)) (T, error) {
	if !remote.IsURL(dir) {
		return orPacked(filepath.Join(dir, name), local)
	}
	t, err := far(remote.Join(dir, name+tablebase.PackedSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		t, err = far(remote.Join(dir, name))
	}
	return t, err
}

func orPacked[T any](name string, open func(name string) (T, error)) (T, error) {
	t, err := open(name)
	if errors.Is(err, fs.ErrNotExist) {
		t, err = open(name + tablebase.PackedSuffix)
	}
	return t, err
}

// OpenFile opens a table by its path, without nimbers beside it, and finds its board.
func OpenFile(path string) (*Table, error) {
	if remote.IsURL(path) {
		return nil, &tablebase.Error{Path: remote.Name(path), Err: errors.New("this is the address of a web server, and a local file is needed"), Remedy: "get the file, and give the path where it is then"}
	}
	return newTable(openStates(reader.Open(path)))
}

// OpenURL is OpenFile for an address, https://…, until ctx ends.
func OpenURL(ctx context.Context, address string) (*Table, error) {
	return newTable(openStates(remote.Open(ctx, address)))
}

// OpenStorage opens a table in a storage like OpenFile. Messages call it by the name.
func OpenStorage(name string, s format.Storage) (*Table, error) {
	return newTable(openStates(reader.OpenStorage(name, s)))
}

// OpenIn opens a table by its name below a directory, from which no link leads out, and one of its nimbers
// beside it. The error is ErrOtherBoard unless the name is that of its board, packed or not.
func OpenIn(root *os.Root, name string) (*Table, error) {
	return openByName(name, func(name string) (*reader.Table, error) { return reader.OpenIn(root, name) })
}

// OpenNamed opens a table by its path like OpenIn, but follows all links.
func OpenNamed(path string) (*Table, error) {
	return openByName(filepath.Base(path), func(name string) (*reader.Table, error) {
		return reader.Open(filepath.Join(filepath.Dir(path), name))
	})
}

func openByName(name string, open func(name string) (*reader.Table, error)) (*Table, error) {
	s, err := openStates(open(name))
	if err != nil {
		return nil, err
	}
	if want := s.FileName(); strings.TrimSuffix(name, tablebase.PackedSuffix) != want {
		s.stored.Close()
		return nil, s.otherBoard("it holds "+s.Board(), "give it back its name, "+want)
	}
	return withNimbers(s, func(name string) (*reader.Table, error) { return orPacked(name, open) })
}

func openStates(stored *reader.Table, err error) (*States, error) {
	if err != nil {
		return nil, err
	}
	rules, taken, err := parseShape(stored.Shape())
	if err == nil {
		var space *partition.Space
		if space, err = partition.NewAfter(rules, taken); err == nil {
			return newStates(rules, space, stored)
		}
	}
	stored.Close()
	return nil, &tablebase.Error{Path: stored.Path(), Err: ErrOtherBoard, Detail: err.Error(), Remedy: "use the version of backsolve that made it"}
}

func newTable(s *States, err error) (*Table, error) {
	if err != nil {
		return nil, err
	}
	t := &Table{States: s}
	if s.stored.Shape().Nimbers {
		t.nimbers = s
	}
	return t, nil
}

// withNimbers adds the file of nimbers, if any. One that cannot be opened is an error: it was made to be used.
func withNimbers(s *States, open func(name string) (*reader.Table, error)) (*Table, error) {
	t, _ := newTable(s, nil)
	if t.nimbers != nil || s.space.Taken != 0 || !s.space.HasNimbers() {
		return t, nil
	}
	stored, err := open(NimbersFileName(s.rules.Info()))
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if t.nimbers, err = openNimbers(s.rules, stored, err); err != nil {
		s.stored.Close()
		return nil, err
	}
	return t, nil
}

func openNimbers(rules game.Grid, stored *reader.Table, err error) (*States, error) {
	s, err := openStates(stored, err)
	if err != nil {
		return nil, err
	}
	if !stored.Shape().Nimbers || s.Board() != boardText(rules.Info(), 0) {
		stored.Close()
		return nil, s.otherBoard(fmt.Sprintf("it holds %v", stored.Shape()), "give it back its name, "+s.FileName())
	}
	return s, nil
}
