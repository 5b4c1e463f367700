//go:build unix

package reader_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"backsolve/tablebase"
	"backsolve/tablebase/reader"
)

// TestOpenRefusesPipe opens a pipe that nobody writes to, and a device: both are
// refused at once.
func TestOpenRefusesPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe.tb")
	if err := unix.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	for _, path := range []string{pipe, "/dev/null"} {
		if _, err := reader.Open(path); !errors.Is(err, tablebase.ErrForeign) || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v, want %v", path, err, tablebase.ErrForeign)
		}
	}
}
