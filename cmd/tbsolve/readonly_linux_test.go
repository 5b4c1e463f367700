package main

import (
	"os"
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
