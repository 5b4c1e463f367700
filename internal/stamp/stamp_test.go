package stamp

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A file that is rewritten in place is noticed, even if its size and its modification time are
// set back; an unchanged file's is not.
func TestRewrittenInPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	write := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	stat := func() fs.FileInfo {
		t.Helper()
		file, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("before")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	watched, before := Watch(file), stat()
	opened := watched.Stamp()
	if opened == (Stamp{}) || watched.Stamp() != opened || !Same(before, stat()) {
		t.Error("a file that nobody has written to seems changed")
	}
	time.Sleep(10 * time.Millisecond) // the clock of a filesystem goes in ticks
	write("behind")
	if err := os.Chtimes(path, time.Time{}, before.ModTime()); err != nil {
		t.Fatal(err)
	}
	if watched.Stamp() == opened {
		t.Error("the open file seems unchanged")
	}
	if Same(before, stat()) && runtime.GOOS != "windows" {
		t.Error("the file seems unchanged")
	}
	if Same(before, nil) || Same(nil, before) || !Same(nil, nil) {
		t.Error("no file is the same as one")
	}
}
