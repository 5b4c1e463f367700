//go:build unix

package catalog

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"backsolve/tablebase"
)

// A pipe that nobody writes to is refused at once, also behind a link, and a
// device.
func TestPipe(t *testing.T) {
	dir := newDir(t)
	if err := unix.Mkfifo(filepath.Join(dir, "quixo-3x3.tb"), 0o644); err != nil {
		t.Skip(err)
	}
	link(t, dir, "quixo-3x3.tb", "quixo-4x4.tb")
	c, _ := open(t, dir)
	wantFiles(t, c, whole+" quixo-3x3.tb! quixo-4x4.tb!")
	for n := 3; n <= 4; n++ {
		if err := second(c.Find("quixo", n, "")); !errors.Is(err, tablebase.ErrForeign) || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%v, want %v", err, tablebase.ErrForeign)
		}
	}
}

// What the system refuses for a time is tried again at each scan.
func TestNotAllowed(t *testing.T) {
	if unix.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	dir := newDir(t)
	path := filepath.Join(dir, "quixo-2x2.tb")
	if err := unix.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	c, said := open(t, dir)
	wantFiles(t, c, whole+"!")
	said.take()
	wantFiles(t, c, whole+"!")
	if got := said.take(); got != "" {
		t.Errorf("logged:\n%s", got)
	}
	if err := unix.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, c, whole)
}

// That no more files can be opened is no reason to drop the tables that are open.
func TestTooManyFiles(t *testing.T) {
	dir := newDir(t)
	c, said := open(t, dir)
	list := c.List()
	said.take()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	none := limit
	none.Cur = 1
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	c.Scan()
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if got := said.take(); c.List() != list || c.Err() != nil || !strings.Contains(got, `msg="tables not scanned"`) {
		t.Errorf("there are %q, %v; logged:\n%s", files(c.List()), c.Err(), got)
	}
}
