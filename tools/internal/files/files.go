// Package files writes what the programs under tools leave behind.
package files

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Write has write fill a file and gives it its name when it is whole. Where that
// fails, what was at path before is still there, and nothing else is left. The
// directory is made if need be.
func Write(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s cannot be written: %w; see to the disk or choose another directory", path, err)
		}
	}()
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*.new")
	if err != nil {
		return err
	}
	buffer := bufio.NewWriter(f)
	if err = write(buffer); err == nil {
		err = buffer.Flush()
	}
	if err == nil {
		err = readable(f)
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
