// Package files writes what the programs under tools leave behind.
package files

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
		return cmp.Or(write(buffer), buffer.Flush())
	})
	if on := (*durable.Error)(nil); err != nil && !errors.As(err, &on) {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return err
}
