package remote_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"backsolve/tablebase/remote"
)

// A full disk, here a limit of the size of files, costs nothing that was fetched.
func TestFetchToAFullDisk(t *testing.T) {
	file := long(t)
	c, _, want := fetchFrom(t, files(filepath.Dir(file)), file)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_FSIZE, &before)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 2 << 20, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	err := remote.FetchQuickly(t.Context(), c)
	if !errors.Is(err, unix.EFBIG) || !strings.Contains(err.Error(), "; free some space") {
		t.Error(err)
	}
	wantNone(t, c.Path)
	wantFile(t, c.Path+remote.PartSuffix, want[:2<<20])
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := remote.FetchQuickly(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	wantFile(t, c.Path, want)
}
