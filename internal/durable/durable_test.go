package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// content writes bytes.
func content(b string) func(*os.File) error {
	return func(f *os.File) error {
		_, err := f.WriteString(b)
		return err
	}
}

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// holds wants a file with that content, alone in its directory.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{filepath.Base(path)}) {
		t.Errorf("%v are there", got)
	}
}

// watch notes what reaches the disk until the test ends, and has the step with
// that number fail as the system does when path is written; −1 for none.
func watch(t *testing.T, path string, fails int, cause error) *[]string {
	before := system
	t.Cleanup(func() { system = before })
	var steps []string
	step := func(do func() error, format string, args ...any) error {
		steps = append(steps, fmt.Sprintf(format, args...))
		if len(steps)-1 == fails {
			return &fs.PathError{Op: "do", Path: path + NewSuffix, Err: cause}
		}
		return do()
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			return -1
		}
		return info.Size()
	}
	system.sync = func(f *os.File) error {
		return step(f.Sync, "sync %s with %d bytes", filepath.Base(f.Name()), size(f.Name()))
	}
	system.rename = func(from, to string) error {
		return step(func() error { return before.rename(from, to) }, "rename %s to %s", filepath.Base(from), filepath.Base(to))
	}
	system.syncDir = func(dir string) error {
		return step(func() error { return before.syncDir(dir) }, "sync %s with %v", filepath.Base(dir), names(t, dir))
	}
	return &steps
}

// TestWriteOrder wants the data on the disk before the name, and then the name.
func TestWriteOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dir")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	steps := watch(t, path, -1, nil)
	for _, text := range []string{"old", "newer"} {
		*steps = nil
		if err := Write(path, content(text)); err != nil {
			t.Fatal(err)
		}
		want := []string{
			fmt.Sprintf("sync file.new with %d bytes", len(text)),
			"rename file.new to file",
			"sync dir with [file file.lock]",
		}
		if !slices.Equal(*steps, want) {
			t.Errorf("Write does %q, want %q", *steps, want)
		}
		holds(t, path, text)
	}
}

// TestWriteFails has each step fail: before the rename the old file stays, and no
// failure leaves anything beside it.
func TestWriteFails(t *testing.T) {
	for fails, want := range []string{"old", "old", "new"} {
		for _, cause := range []error{syscall.EIO, syscall.ENOSPC} {
			path := filepath.Join(t.TempDir(), "file")
			if err := Write(path, content("old")); err != nil {
				t.Fatal(err)
			}
			watch(t, path, fails, cause)
			err := Write(path, content("new"))
			var e *Error
			if !errors.As(err, &e) || !errors.Is(err, cause) || e.Remedy == "" {
				t.Errorf("step %d: %v", fails, err)
			}
			if isFull := errors.Is(cause, syscall.ENOSPC); isFull != strings.Contains(err.Error(), "; make room on the disk") {
				t.Errorf("step %d: %v", fails, err)
			}
			holds(t, path, want)
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Write(path, content("old")); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("no more ink")
	if err := Write(path, func(f *os.File) error { return errors.Join(content("half")(f), failure) }); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	holds(t, path, "old")
	full := &fs.PathError{Op: "write", Path: path + NewSuffix, Err: syscall.ENOSPC}
	if err := Write(path, func(*os.File) error { return full }); err == nil ||
		err.Error() != "cannot write "+path+": no space left on device; make room on the disk, or choose another directory" {
		t.Errorf("a full disk: %v", err)
	}
	holds(t, path, "old")
	var nested error
	if err := Write(path, func(f *os.File) error { nested = Write(path, content("within")); return content("new")(f) }); err != nil {
		t.Error(err)
	}
	if !errors.Is(nested, ErrHeld) {
		t.Errorf("two at once: %v", nested)
	}
	holds(t, path, "new")
	var e *Error
	if err := Write(dir, content("file")); !errors.As(err, &e) || !strings.Contains(err.Error(), "is a directory; remove it") {
		t.Errorf("over a directory: %v", err)
	}
	if err := Write(filepath.Join(path, "below"), content("file")); !errors.As(err, &e) || e.Remedy == "" {
		t.Errorf("below a file: %v", err)
	}
	os.Remove(dir + LockSuffix)
	holds(t, path, "new")
}

// TestWriteOverLeftovers: Write replaces what a killed process left, and a link without
// writing to its target.
func TestWriteOverLeftovers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path+NewSuffix, bytes.Repeat([]byte{'x'}, 1000), 0o400); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+LockSuffix, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, content("short")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "short")
	target := filepath.Join(t.TempDir(), "target")
	if err := Write(target, content("mine")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path+NewSuffix); err != nil {
		t.Skip("there are no links here: ", err)
	}
	if err := Write(path, content("again")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "again")
	holds(t, target, "mine")
}

// TestWritersAtOnce has the file whole all the time.
func TestWritersAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	whole := func(n int) string { return strings.Repeat(string(rune('a'+n)), 100_000*(n+1)) }
	var group sync.WaitGroup
	for n := range 4 {
		group.Go(func() {
			for range 20 {
				if err := Write(path, content(whole(n))); err != nil && !errors.Is(err, ErrHeld) {
					t.Error(err)
				}
				b, err := os.ReadFile(path)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil || len(b) == 0 || string(b) != whole(int(b[0]-'a')) {
					t.Errorf("%d bytes that nobody wrote, %v", len(b), err)
				}
			}
		})
	}
	group.Wait()
}

// TestMkdir makes one directory, and flushes its name in the one above.
func TestMkdir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "top")
	steps := watch(t, "", -1, nil)
	for range 2 {
		if err := Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if len(*steps) != 1 || !strings.HasSuffix((*steps)[0], " with [top]") {
		t.Errorf("Mkdir does %q", *steps)
	}
	path := filepath.Join(dir, "file")
	if err := Write(path, content("")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{path, filepath.Join(dir, "none", "below")} {
		var e *Error
		if err := Mkdir(dir, 0o755); !errors.As(err, &e) || e.Remedy == "" {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if got := names(t, dir); !slices.Equal(got, []string{"file"}) {
		t.Errorf("%v are there", got)
	}
}

// TestMkdirAll wants the name of each directory that is made flushed in the one
// above.
func TestMkdirAll(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "top")
	steps := watch(t, "", -1, nil)
	if err := MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	*steps = nil
	for range 2 {
		if err := MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"sync top with [a]", "sync a with [b]"}; !slices.Equal(*steps, want) {
		t.Errorf("MkdirAll does %q, want %q", *steps, want)
	}
	path := filepath.Join(dir, "file")
	if err := Write(path, content("")); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := MkdirAll(filepath.Join(path, "below"), 0o755); !errors.As(err, &e) || e.Remedy == "" || !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("below a file: %v", err)
	}
}

// TestKilled kills a process that writes a file over and over: the file is whole,
// and the next Write clears away what the killed one left.
func TestKilled(t *testing.T) {
	if path := os.Getenv("DURABLE_WRITE"); path != "" {
		for n := 0; ; n++ {
			if err := Write(path, content(numbered(n))); err != nil {
				t.Fatal(err)
			}
			fmt.Println(n)
		}
	}
	path := filepath.Join(t.TempDir(), "file")
	kills := 20
	if testing.Short() {
		kills = 3
	}
	for kill := range kills {
		said := killWriter(t, path, time.Duration(rand.IntN(5000))*time.Microsecond)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if _, err := fmt.Sscanf(string(b), "%d", &n); err != nil || string(b) != numbered(n) || n < said {
			t.Errorf("kill %d: write %d was over, and the file has %d bytes of write %d (%v)", kill, said, len(b), n, err)
		}
		if err := Write(path, content("after")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "after")
	}
}

// numbered is what write n of TestKilled writes.
func numbered(n int) string { return strings.Repeat(fmt.Sprintln(n), 20_000) }

// killWriter runs TestKilled as the writer, kills it some time after its first
// write, and returns the number of the last one that it said was over.
func killWriter(t *testing.T, path string, after time.Duration) (said int) {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	c.Env = append(os.Environ(), "DURABLE_WRITE="+path)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said = -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if said < 0 {
			time.AfterFunc(after, func() { c.Process.Kill() })
		}
		if _, err := fmt.Sscanf(lines.Text(), "%d", &said); err != nil {
			break // a line cut short, or what a test says at its end
		}
	}
	c.Wait()
	if said < 0 {
		t.Fatal("the writer has written nothing")
	}
	return said
}
