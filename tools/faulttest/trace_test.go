package faulttest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is the argument with which this test binary is the traced program.
const program = "write-files"

// writeAll makes one call of each kind to its files, the writes in another thread.
func writeAll() error {
	if err := os.Mkdir("d", 0o777); err != nil {
		return err
	}
	f, err := os.Create("d/a")
	if err != nil {
		return err
	}
	written := make(chan error)
	go func() {
		_, err := f.WriteAt([]byte("456"), 3)
		_, err2 := f.Write([]byte("12"))
		_, err3 := f.Write([]byte("3"))
		written <- errors.Join(err, err2, err3)
	}()
	if err := <-written; err != nil {
		return err
	}
	if err := errors.Join(f.Truncate(5), f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename("d/a", "d/b"); err != nil {
		return err
	}
	d, err := os.Open("d")
	if err != nil {
		return err
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return err
	}
	return os.Remove("d/b")
}

// wantedCalls are the calls of writeAll.
var wantedCalls = []string{
	"mkdir d", "open d/a", "write d/a 3 456", "write d/a 0 12", "write d/a 2 3", "truncate d/a 5", "chmod d/a",
	"sync d/a", "close d/a", "rename d/a d/b", "sync d", "remove d/b",
}

func callText(c Call) string {
	parts := []string{string(c.Op), c.Path}
	switch c.Op {
	case Write:
		parts = append(parts, fmt.Sprint(c.Offset), string(c.Data))
	case Truncate:
		parts = append(parts, fmt.Sprint(c.Size))
	case Rename:
		parts = append(parts, c.To)
	}
	return strings.Join(parts, " ")
}

// traced runs writeAll with a fault.
func traced(t *testing.T, f Fault) (r *Result, dir string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	r, err = Run(Command{Dir: dir, Args: []string{self, program}, Env: os.Environ()}, f)
	if errors.Is(err, ErrUnavailable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, dir
}

func TestCallsAreWrittenDown(t *testing.T) {
	r, _ := traced(t, Fault{})
	var got []string
	place := 0
	for _, c := range r.Calls {
		got = append(got, callText(c))
		if c.Begin != place+1 || c.End != place+2 || c.Err != 0 {
			t.Errorf("%s: from %d to %d, %v", callText(c), c.Begin, c.End, c.Err)
		}
		place = c.End
	}
	if !slices.Equal(got, wantedCalls) {
		t.Errorf("got  %q\nwant %q", got, wantedCalls)
	}
	if r.Status != 0 || r.Stdout != "done\n" || r.Stderr != "" || r.Fired {
		t.Errorf("%+v", r)
	}
}

// A program dies before, after or within the chosen call, and makes no other.
func TestKill(t *testing.T) {
	for at := 1; at <= len(wantedCalls); at++ {
		for _, action := range []Action{KillBefore, KillAfter, KillWithin} {
			r, dir := traced(t, Fault{At: at, Action: action})
			if !r.Fired || r.Status != -1 || len(r.Calls) != at {
				t.Errorf("%s %s: %+v", action, wantedCalls[at-1], r)
			}
			content, err := os.ReadFile(filepath.Join(dir, "d/a"))
			if at == 3 {
				want := map[Action]string{KillBefore: "", KillAfter: "\x00\x00\x00456", KillWithin: "\x00\x00\x004"}[action]
				if err != nil || string(content) != want {
					t.Errorf("%s a write: %q, %v", action, content, err)
				}
			}
			if there := err == nil; at == 10 && there != (action != KillAfter) {
				t.Errorf("%s a rename: %v", action, err)
			}
		}
	}
}

// The chosen call fails and has not happened; a close has.
func TestFail(t *testing.T) {
	for at := 1; at <= len(wantedCalls); at++ {
		r, _ := traced(t, Fault{At: at, Action: Fail, Errno: syscall.ENOSPC})
		if !r.Fired || r.Status != 3 || !strings.Contains(r.Stderr, "no space left on device") || r.Calls[at-1].Err != syscall.ENOSPC {
			t.Errorf("%s: %+v", wantedCalls[at-1], r)
		}
		for i, c := range r.Calls {
			if i != at-1 && c.Err == syscall.ENOSPC {
				t.Errorf("%s fails, too", callText(c))
			}
		}
	}
}

func TestFailOnward(t *testing.T) {
	r, _ := traced(t, Fault{At: 4, Action: FailOnward, Errno: syscall.EIO})
	for i, c := range r.Calls {
		if want := i >= 3 && c.Op == Write; want != (c.Err == syscall.EIO) {
			t.Errorf("call %d, %s: %v", i+1, callText(c), c.Err)
		}
	}
}

// On a disk that is full, a write is cut short, and what takes room fails from
// then on.
func TestFill(t *testing.T) {
	r, dir := traced(t, Fault{At: 3, Action: Fill, Errno: syscall.ENOSPC})
	if c := r.Calls[2]; c.Err != 0 || !c.Short || string(c.Data) != "4" {
		t.Errorf("%+v", c)
	}
	for i, c := range r.Calls[3:] {
		if want := c.Op != Close && c.Op != Chmod; want != (c.Err == syscall.ENOSPC) {
			t.Errorf("call %d, %s: %v", i+4, callText(c), c.Err)
		}
	}
	if content, err := os.ReadFile(filepath.Join(dir, "d/a")); err != nil || string(content) != "\x00\x00\x004" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestHold(t *testing.T) {
	began := time.Now()
	if r, _ := traced(t, Fault{At: 2, Action: Hold, Hold: 200 * time.Millisecond}); !r.Fired || r.Status != 0 {
		t.Errorf("%+v", r)
	}
	if took := time.Since(began); took < 200*time.Millisecond {
		t.Errorf("it took %v", took)
	}
}
