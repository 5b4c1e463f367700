package reader

import (
	"errors"
	"math"
	"os"
	"syscall"

	"backsolve/internal/stamp"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
)

// OpenFlags open a file for Local.
const OpenFlags = openFlags

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

// MapLocal maps the first bytes of what Local returned, and returns what tells whether the
// file was written to. Without a mapping, as for a packed table, the file is to be read.
func MapLocal(path string, from format.Source, length int64) (mapped []byte, watched stamp.Open, err error) {
	file, plain := from.(plainFile)
	if !plain || length > math.MaxInt {
		return nil, watched, nil
	}
	mapped, err = mapTable(file.File, length)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOMEM) {
		return nil, watched, nil
	}
	if err != nil {
		return nil, watched, tablebase.Failed(path, "map the table", err, "")
	}
	adviseRandom(mapped)
	return mapped, stamp.Watch(file.File), nil
}

// Unmap unmaps what MapLocal mapped.
func Unmap(mapped []byte) error { return unmapFile(mapped) }
