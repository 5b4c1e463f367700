package catalog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
)

// newDir returns a directory with the tables of Notakto 2×2 and 3×3, the latter
// whole and after b2, and of Quixo 2×2, all with steps.
func newDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	solve(t, dir, "notakto", 2, 0)
	solve(t, dir, "notakto", 3, 0)
	solve(t, dir, "notakto", 3, 1<<4)
	solve(t, dir, "quixo", 2, 0)
	return dir
}

func solve(t testing.TB, dir, name string, n int, taken uint64) {
	t.Helper()
	probetest.Solve(t, dir, probetest.Rules(t, name, n), taken, true)
}

// log is what a catalogue logs, a line for each message.
type log struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(line []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.text.Write(line)
}

// take returns the lines since the last call.
func (l *log) take() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// open opens a catalogue for the length of the test.
func open(t testing.TB, dir string) (*Catalog, *log) {
	t.Helper()
	said := new(log)
	c, err := Open([]string{dir}, Options{Log: slog.New(slog.NewTextHandler(said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, said
}

// find returns a handle of a table that must be there.
func find(t testing.TB, c *Catalog, name string, n int, after string) Handle {
	t.Helper()
	h, err := c.Find(name, n, after)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// isClosed says whether the table of a handle is closed, released or not.
func isClosed(t testing.TB, h Handle) bool {
	t.Helper()
	_, err := h.Table().Value(h.Table().Start())
	if err != nil && !errors.Is(err, tablebase.ErrClosed) {
		t.Fatal(err)
	}
	return err != nil
}

// files returns the names of a list, with a mark behind those that are broken.
func files(l *List) string {
	var names []string
	for _, i := range l.Tables {
		name := i.File
		if i.Err != nil {
			name += "!"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// wantFiles scans and wants these tables.
func wantFiles(t testing.TB, c *Catalog, want string) {
	t.Helper()
	c.Scan()
	if got := files(c.List()); got != want {
		t.Fatalf("there are %q, want %q", got, want)
	}
}

// move gives a file another name, in place of what has it.
func move(t testing.TB, dir, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		t.Fatal(err)
	}
}

// damage flips the first bytes of a table's data, or all for 0, in place. The
// fullest class comes first.
func damage(t testing.TB, dir, name string, first int) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	b, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	data := b[4096:binary.LittleEndian.Uint64(b[72:])] // from the header to the footer
	if first > 0 {
		data = data[:first]
	}
	for i := range data {
		data[i] ^= 0xff
	}
	if _, err := file.WriteAt(data, 4096); err != nil {
		t.Fatal(err)
	}
}

// truncate cuts bytes off the end of a file, in place.
func truncate(t testing.TB, dir, name string, bytes int64) {
	t.Helper()
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, info.Size()-bytes)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// duplicate copies a file within a directory.
func duplicate(t testing.TB, dir, from, to string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, from))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, to), b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bytesOf returns the bytes of the files in a directory.
func bytesOf(t testing.TB, dir string) (n int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		n += info.Size()
	}
	return n
}

// remove removes files; those that are not there, too.
func remove(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}
