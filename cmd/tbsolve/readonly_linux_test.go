package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"backsolve/cmd/cli"
)

// A solve ends with status 5 where nothing can be written, and still reports what is there.
// Root may write everywhere, so a thread of the test opens files as another user.
func TestReadOnlyDirectory(t *testing.T) {
	dir, err := os.MkdirTemp("", "backsolve") // which is not below a directory of root's
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	output(t, "quixo", "2", "--quiet", "--dir", dir)
	output(t, "notakto", "3", "--keep", "result", "--quiet", "--dir", dir)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			const nobody = 65534
			unix.Setfsuid(nobody)
		}
		for args, want := range map[string]int{
			"quixo 2": 0, "quixo 3": cli.StatusRefused, "quixo 3 --plan": cli.StatusRefused,
			"notakto 3 --keep result": 0, "notakto 4 --keep result": cli.StatusRefused,
		} {
			got, says := runHere(t, append(strings.Fields(args), "--quiet", "--dir", dir)...)
			if got != want || want != 0 && !strings.Contains(says, ": permission denied; make the directory writable, or choose another ") {
				t.Errorf("%s: status %d, not %d: %s", args, got, want, says)
			}
		}
	}()
	<-done
}

// A table that unpacks to more than is free is refused before anything is written, as a solve is.
func TestUnpackOnSmallDisk(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skip("a small file system cannot be mounted: ", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	large := t.TempDir()
	output(t, "quixo", "4", "--packed", "--quiet", "--dir", large)
	packed, err := os.ReadFile(filepath.Join(large, "quixo-4x4.tb.zst"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "quixo-4x4.tb.zst"), packed, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if status, says := runHere(t, "unpack", "quixo", "4", "--quiet", "--dir", dir); status != cli.StatusRefused || !strings.Contains(says, "are free in "+dir) {
		t.Errorf("status %d: %s", status, says)
	}
}
