package container

import (
	"cmp"
	"os"
	"slices"

	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

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
