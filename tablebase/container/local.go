package container

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// What only some systems have; their files set it.
var (
	openFlags    = os.O_RDONLY
	adviseRandom = func(mapped []byte) {}
	adviseSoon   = func(file *os.File, run format.Extent) {}
)

// Open opens a table by its path; open closes the source if it fails.
func Open[T any](path string, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	file, err := os.OpenFile(path, openFlags, 0)
	return openRegular(path, file, err, open)
}

// OpenIn is Open for a name beneath a directory. It does not follow a link that leads out of it.
func OpenIn[T any](root *os.Root, name string, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	file, err := root.OpenFile(name, openFlags, 0)
	return openRegular(filepath.Join(root.Name(), name), file, err, open)
}

// How much of a Storage is fetched when it is opened: the header with the frame that it is packed
// in; and the end, where footer and seek table are in all but large tables.
const (
	fetchedHead = 8 << 10
	fetchedTail = 64 << 10
)

// OpenStorage is Open for a table in a storage. Messages call the table by the name.
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

// openRegular opens the table in an open file. It closes and refuses what is not a regular file.
func openRegular[T any](path string, file *os.File, err error, open func(path string, raw format.Source) (*T, error)) (*T, error) {
	if err != nil {
		return nil, tablebase.Failed(path, "open the table", err, "")
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		err = tablebase.Failed(path, "read the table", err, "")
	case info.IsDir():
		err = &tablebase.Error{Path: path, Err: tablebase.ErrForeign, Detail: "it is a directory"}
	case !info.Mode().IsRegular():
		err = &tablebase.Error{Path: path, Err: tablebase.ErrForeign, Detail: "it is not a regular file"}
	default:
		return open(path, plainFile{file})
	}
	file.Close()
	return nil, err
}

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
	for _, run := range joined(wanted) {
		adviseSoon(f.File, run)
	}
	return nil
}

// joined sorts runs of bytes, and makes those that overlap or touch one. It reuses their memory.
func joined(wanted []format.Extent) []format.Extent {
	slices.SortFunc(wanted, func(a, b format.Extent) int { return cmp.Compare(a.Offset, b.Offset) })
	runs := wanted[:0]
	for _, w := range wanted {
		if n := len(runs) - 1; n >= 0 && w.Offset <= runs[n].Offset+runs[n].Length {
			runs[n].Length = max(runs[n].Length, w.Offset+w.Length-runs[n].Offset)
		} else {
			runs = append(runs, w)
		}
	}
	return runs
}
