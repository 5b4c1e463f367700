//go:build unix

package durable

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nothing but a regular file with one name is opened, locked or written over, whatever
// lies in its place, and none of it makes anybody wait.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		says  string
		plant func(victim, path string) error
	}{
		{"a symbolic link", os.Symlink},
		{"a file with another name, too (a hard link)", os.Link},
		{"a named pipe", func(_, path string) error { return syscall.Mkfifo(path, 0o644) }},
		{"a directory", func(_, path string) error { return os.Mkdir(path, 0o755) }},
	} {
		dir := t.TempDir()
		victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "file")
		if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		wantRefused := func(doing, path string, err error) {
			t.Helper()
			want := "cannot " + doing + " " + path + ": it is " + c.says + "; remove it, or choose another "
			if err == nil || !errors.Is(err, ErrNotOurs) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		for _, name := range []string{path, path + LockSuffix} {
			if err := c.plant(victim, name); err != nil {
				t.Fatal(err)
			}
		}
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR | os.O_CREATE, os.O_RDWR | os.O_CREATE | os.O_TRUNC} {
			_, err := Open(path, flag)
			wantRefused("open", path, err)
		}
		_, err := ReadOwn(path, 100)
		wantRefused("read", path, err)
		if err := MkdirOwn(path, 0o777); c.says != "a directory" && !errors.Is(err, ErrNotOurs) {
			t.Errorf("a directory in the place of %s: %v", c.says, err)
		}
		_, err = Lock(path)
		wantRefused("lock", path+LockSuffix, err)
		if err := os.Remove(path + LockSuffix); err != nil {
			t.Fatal(err)
		}
		// A link gives way to a new file; reading follows one.
		linked := strings.HasSuffix(c.says, "link") || strings.HasSuffix(c.says, "link)")
		if b, err := ReadFile(path); linked && (err != nil || string(b) != "mine") {
			t.Errorf("through %s: %q, %v", c.says, b, err)
		} else if !linked {
			wantRefused("read", path, err)
		}
		if err := Write(path, content("new")); linked != (err == nil) {
			t.Errorf("over %s: %v", c.says, err)
		} else if !linked {
			wantRefused("write", path, err)
		}
		if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
			t.Errorf("%s: the victim is %q, %v", c.says, b, err)
		}
	}
}

// A file of ours is opened as it is, and emptied only where that is asked for.
func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for flag, want := range map[int]string{os.O_RDWR: "text", os.O_RDWR | os.O_TRUNC: ""} {
		if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, flag)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if b, err := ReadOwn(path, 4); err != nil || string(b) != want {
			t.Errorf("%q, %v, want %q", b, err, want)
		}
	}
}

// A file of more bytes than it may have is not read.
func TestReadOwn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadOwn(path, 3); err == nil || !strings.Contains(err.Error(), "more than 3 bytes") {
		t.Errorf("4 bytes where 3 may be: %v", err)
	}
}

// A file in the place of a directory is called one.
func TestMkdirOwnNamesFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	want := "cannot make the directory " + path + ": it is a file; remove it"
	if err := MkdirOwn(path, 0o777); !errors.Is(err, ErrNotOurs) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
