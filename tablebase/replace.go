package tablebase

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// newSuffix is behind the name of a file that is being written as a whole. One
// that a killed process left is overwritten by the next.
const newSuffix = ".new"

// replaceFile has a file written beside path, waits until it is on the disk, has
// it checked, and gives it its name. Where anything fails, path is as it was and
// the new file is removed. ErrExists where path exists and is not to be
// overwritten, ErrBusy while another process writes it.
func replaceFile(path string, overwrite bool, write func(io.WriterAt) error, check func(path string) error) error {
	l, err := lock(path, "make the directory writable")
	if err != nil {
		return err
	}
	defer unlock(l)
	if _, err := os.Stat(path); err == nil && !overwrite {
		return &Error{Path: path, Err: ErrExists, Remedy: "use it, or overwrite it with --force"}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return failed(path, "write the table", err, "")
	}
	made := path + newSuffix
	err = writeWhole(made, write)
	if err == nil {
		err = check(made)
	}
	if err == nil {
		err = writeFailed(path, os.Rename(made, path))
	}
	if err != nil {
		os.Remove(made)
		return err
	}
	return writeFailed(path, syncDir(filepath.Dir(path)))
}

// writeWhole creates a file and flushes it.
func writeWhole(path string, write func(io.WriterAt) error) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return writeFailed(path, err)
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return writeFailed(path, cmp.Or(err, f.Close()))
}

// writeFailed says which file could not be written, unless the error is one
// that says all, or the wish to stop.
func writeFailed(path string, err error) error {
	var said *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &said):
		return said
	case errors.Is(err, context.Canceled):
		return err
	}
	return failed(path, "write the table", err, "see to the disk, and run the same command again")
}

// counter adds up what several workers have done.
type counter struct {
	lock sync.Mutex
	sum  int64
}

// add counts and tells the sum, never twice at once.
func (c *counter) add(n int64, tell func(sum int64)) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.sum += n
	tell(c.sum)
}
