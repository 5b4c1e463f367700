package store

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestOpenDirectory(t *testing.T) {
	dir := t.TempDir()
	first := &testStore{store: open(t, filepath.Join(dir, "a store"))}
	first.put(t, "x/y", []byte("data"))
	second := &testStore{store: open(t, filepath.Join(dir, "a store"))}
	second.wantObject(t, "x/y", []byte("data"))

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for address, says := range map[string]string{
		"":                              "no address",
		file:                            "cannot be opened",
		"file:///directory":             `"file://"`,
		"http://example.org/x":          `"http://"`,
		"nats://user:secret@host:4222/": `"nats://"`,
	} {
		if _, err := Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// Put reports a full disk, and leaves nothing on it.
func TestFullDisk(t *testing.T) {
	p := inDirectory(t)
	p.put(t, "a", []byte("old"))
	before := fileWriter
	t.Cleanup(func() { fileWriter = before })
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		fileWriter = func(f *os.File) io.Writer { return &fullDisk{f, 1000, cause} }
		err := p.store.Put(t.Context(), "a", random(5000))
		if !errors.Is(err, ErrFull) || !errors.Is(err, cause) || !strings.Contains(err.Error(), "make room in "+p.store.String()) {
			t.Errorf("%v", err)
		}
	}
	p.wantObject(t, "a", []byte("old"))
	if len(p.files()) != 1 {
		t.Error("something was left")
	}
}

// fullDisk accepts a number of bytes and no more.
type fullDisk struct {
	file  *os.File
	left  int
	cause error
}

func (d *fullDisk) Write(p []byte) (int, error) {
	n, err := d.file.Write(p[:min(len(p), d.left)])
	if d.left -= n; err == nil && n < len(p) {
		err = &fs.PathError{Op: "write", Path: d.file.Name(), Err: d.cause}
	}
	return n, err
}

// Opening a store removes temporary files of killed processes after a day, and no newer ones.
func TestRemoveTemps(t *testing.T) {
	p := inDirectory(t)
	p.writeFile(tempDir+"/OLD", random(10))
	p.writeFile(tempDir+"/NEW", random(10))
	dir := p.store.String()
	past := time.Now().Add(-tempAge - time.Hour)
	if err := os.Chtimes(filepath.Join(dir, tempDir, "OLD"), past, past); err != nil {
		t.Fatal(err)
	}
	if len(p.list(t, "")) != 0 {
		t.Error("incomplete files are listed")
	}
	open(t, dir)
	if left := p.files(); len(left) != 1 || left[tempDir+"/NEW"] == nil {
		t.Errorf("%d files are left", len(left))
	}
}

// No symbolic link leads out of the store.
func TestLinksDoNotLeave(t *testing.T) {
	p := inDirectory(t)
	outside := t.TempDir()
	secret := filepath.Join(outside, "a"+suffix)
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(p.store.String(), "out")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if got, err := p.get(t.Context(), "out/a"); err == nil {
		t.Errorf("%q is read", got)
	}
	if err := p.store.Put(t.Context(), "out/b", []byte("x")); err == nil {
		t.Error("an object is put outside")
	}
	if err := p.store.Delete(t.Context(), "out/a"); err == nil {
		t.Error("an object outside is deleted")
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("%v are outside, %v", entries, err)
	}
}

// A store without read permission reports that, not missing objects.
func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	p := inDirectory(t)
	p.put(t, "a/b", []byte("x"))
	dir := filepath.Join(p.store.String(), "a")
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	if _, err := p.get(t.Context(), "a/b"); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "readable") {
		t.Errorf("%v", err)
	}
}
