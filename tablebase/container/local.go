package container

import (
	"cmp"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// Open opens a table by its path, with a function that opens it in a source and closes that if it
// fails.
func Open[T any](path string, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	file, err := os.OpenFile(path, openFlags, 0)
	return openFile(path, file, err, open)
}

// OpenIn is Open for a name beneath a directory. It does not follow a link that leads out of it.
func OpenIn[T any](root *os.Root, name string, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	file, err := root.OpenFile(name, openFlags, 0)
	return openFile(filepath.Join(root.Name(), name), file, err, open)
}

func openFile[T any](path string, file *os.File, err error, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	source, err := Local(path, file, err)
	if err != nil {
		return nil, err
	}
	return open(path, source)
}

// How much of a Storage is fetched when it is opened: the header with the frame that it is packed
// in; and the end, where footer and seek table are in all but large tables.
const (
	fetchedHead = 8 << 10
	fetchedTail = 64 << 10
)

// OpenStorage is Open for a table in a storage, which it closes if that fails. Messages call the
// table by the name.
func OpenStorage[T any](name string, s format.Storage, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	size, err := s.Size()
	if err == nil {
		tail := max(0, size-fetchedTail)
		err = s.Fetch([]format.Extent{{Offset: 0, Length: min(size, fetchedHead)}, {Offset: tail, Length: size - tail}})
	}
	if err != nil {
		s.Close()
		return nil, tablebase.Failed(name, "open the table", err, "")
	}
	return open(name, s)
}

// Local returns an open file on this machine as a source, or says why it could not be opened.
// It closes what is not a regular file.
func Local(path string, file *os.File, err error) (format.Source, error) {
	if err != nil {
		return nil, tablebase.Failed(path, "open the table", err, "")
	}
	if err := checkRegular(path, file); err != nil {
		file.Close()
		return nil, err
	}
	return plainFile{file}, nil
}

// OpenLocal is Local for a path.
func OpenLocal(path string) (format.Source, error) {
	file, err := os.OpenFile(path, openFlags, 0)
	return Local(path, file, err)
}

// MapFile maps the first bytes of a file; tests replace it.
var MapFile = mapFile

// mapLocal maps the first bytes of what Local returned, nil for other sources, as a packed table,
// and where the system cannot: the file is to be read then.
func mapLocal(path string, from format.Source, length int64) ([]byte, error) {
	file, plain := from.(plainFile)
	if !plain || length > math.MaxInt {
		return nil, nil
	}
	mapped, err := MapFile(file.File, length)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) {
		return nil, nil
	}
	if err != nil {
		return nil, tablebase.Failed(path, "map the table", err, "")
	}
	adviseRandom(mapped)
	return mapped, nil
}

// plainFile is a local file as a source.
type plainFile struct{ *os.File }

func (f plainFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Fetch advises the system, which may still be reading when Fetch returns.
func (f plainFile) Fetch(wanted []format.Extent) error {
	slices.SortFunc(wanted, func(a, b format.Extent) int { return cmp.Compare(a.Offset, b.Offset) })
	for len(wanted) > 0 {
		w, n := wanted[0], 1
		for ; n < len(wanted) && wanted[n].Offset <= w.Offset+w.Length; n++ {
			w.Length = max(w.Length, wanted[n].Offset+wanted[n].Length-w.Offset)
		}
		adviseSoon(f.File, w)
		wanted = wanted[n:]
	}
	return nil
}

// checkRegular refuses what is not a regular file.
func checkRegular(path string, file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return tablebase.Failed(path, "read the table", err, "")
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &tablebase.Error{Path: path, Err: tablebase.ErrForeign, Detail: "it is a directory"}
	case !mode.IsRegular():
		return &tablebase.Error{Path: path, Err: tablebase.ErrForeign, Detail: "it is no regular file"}
	}
	return nil
}
