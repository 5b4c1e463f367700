// Package files writes what the programs of research leave behind, and sees before long
// work whether it will be able to.
package files

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"backsolve/internal/durable"
)

// Write has write fill a file and gives it its name when it is whole. Where that
// fails, what was at path before is still there, and nothing else is left. The
// directory is made if need be.
func Write(path string, write func(io.Writer) error) error {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := durable.Write(path, func(f *os.File) error {
		buffer := bufio.NewWriter(f)
		if err := write(buffer); err != nil {
			return err
		}
		return buffer.Flush()
	})
	if on := (*durable.Error)(nil); err != nil && !errors.As(err, &on) {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return err
}

// WriteTable writes a table as CSV, without the marks of Markdown. The first row names the
// columns.
func WriteTable(path string, rows [][]string) error {
	plain := strings.NewReplacer("`", "", "**", "")
	return Write(path, func(w io.Writer) error {
		c := csv.NewWriter(w)
		for _, row := range rows {
			cells := slices.Clone(row)
			for i := range cells {
				cells[i] = plain.Replace(cells[i])
			}
			if err := c.Write(cells); err != nil {
				return err
			}
		}
		c.Flush()
		return c.Error()
	})
}

// Writable says why no file could be written into a directory, nil where nothing is in the
// way. The directory need not be there if it can be made, which it is not. The error
// is a *durable.Error.
func Writable(dir string) error {
	above := filepath.Clean(dir)
	for ; ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) || above == filepath.Dir(above) {
			break
		}
	}
	// Only trying tells: permissions say nothing of a disk that is full or cannot be written.
	f, err := os.CreateTemp(above, ".backsolve-*")
	if err == nil {
		err = f.Close()
		if removed := os.Remove(f.Name()); err == nil {
			err = removed
		}
	}
	return unwritable(dir, err)
}

// Create makes a file that must not be there yet, and its directory if need be. The
// error is a *durable.Error, which is fs.ErrExist where the file is there.
func Create(path string) (*os.File, error) {
	if err := durable.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, &durable.Error{Path: path, Doing: "make", Err: fs.ErrExist, Remedy: "name a file that is not there yet"}
	}
	return f, unwritable(path, err)
}

// unwritable returns the error for a path that cannot be written, nil where the cause is.
func unwritable(path string, cause error) error {
	if cause == nil {
		return nil
	}
	if at := (*fs.PathError)(nil); errors.As(cause, &at) {
		cause = at.Err
	}
	return &durable.Error{Path: path, Doing: "write to", Err: cause, Remedy: "make it writable, or choose another directory"}
}
