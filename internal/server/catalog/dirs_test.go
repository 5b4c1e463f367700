package catalog

import (
	"errors"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase/writer"
)

// openAll opens a catalogue of several directories for the length of the test.
func openAll(t testing.TB, o Options, dirs ...string) (*Catalog, *log) {
	t.Helper()
	said := new(log)
	o.Log = slog.New(slog.NewTextHandler(said, nil))
	c, err := Open(dirs, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c, said
}

// dirOf returns the directory that a listed file is in.
func dirOf(t testing.TB, c *Catalog, file string) string {
	t.Helper()
	for _, i := range c.List().Tables {
		if i.File == file {
			return i.Dir
		}
	}
	t.Fatalf("%s is not listed", file)
	return ""
}

// The tables of all directories are found. Of a board that two have, the first one's
// is taken, packed or not, as long as it can be read.
func TestDirectories(t *testing.T) {
	first, second := t.TempDir(), newDir(t)
	solve(t, first, "quixo", 3, 0)
	solve(t, first, "quixo", 2, 0)
	if _, err := writer.Pack(t.Context(), filepath.Join(first, "quixo-2x2.tb"), false, nil); err != nil {
		t.Fatal(err)
	}
	remove(t, first, "quixo-2x2.tb")
	c, said := openAll(t, Options{}, first, second)
	const all = "notakto-2x2.tb notakto-3x3.tb notakto-3x3-after-b2.tb quixo-2x2.tb.zst quixo-3x3.tb"
	wantFiles(t, c, all)
	if got := dirOf(t, c, "quixo-2x2.tb.zst"); got != first {
		t.Errorf("it is taken from %s", got)
	}
	got := said.take()
	if !strings.Contains(got, `msg="table opened" file=quixo-3x3.tb`) || !strings.Contains(got, "dir="+first) ||
		strings.Count(got, `msg="table ignored" file=quixo-2x2.tb dir=`+second) != 1 {
		t.Errorf("logged:\n%s", got)
	}
	h := find(t, c, "quixo", 2, "")
	if h.Table().Stored().Packed() == 0 {
		t.Error("the table of the second directory answers")
	}
	h.Release()
	// The first one's cannot be read any more: it is listed, and the second one's answers.
	if runtime.GOOS != "windows" {
		truncate(t, first, "quixo-2x2.tb.zst", 20)
		wantFiles(t, c, strings.Replace(all, "quixo-2x2.tb.zst", "quixo-2x2.tb.zst! quixo-2x2.tb", 1))
		h := find(t, c, "quixo", 2, "")
		if h.Table().Stored().Packed() != 0 {
			t.Error("the broken table answers")
		}
		h.Release()
	}
	remove(t, first, "quixo-2x2.tb.zst")
	wantFiles(t, c, strings.Replace(all, ".zst", "", 1))
	err := errorOf(c.Find("quixo", 4, ""))
	if missing, ok := errors.AsType[*probe.MissingError](err); !ok || missing.Dir != first+" or "+second {
		t.Errorf("%v", err)
	}
}

func errorOf(_ Handle, err error) error { return err }

// A directory that cannot be read takes its own tables away, and what is not found may
// be in it.
func TestDirectoryAway(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a directory be moved in which a file is open")
	}
	first, second := t.TempDir(), newDir(t)
	solve(t, first, "quixo", 3, 0)
	if _, err := Open([]string{first, filepath.Join(second, "none")}, Options{}); err == nil {
		t.Error("a directory is opened that is not there")
	}
	c, said := openAll(t, Options{}, first, second)
	said.take()
	parent, name := filepath.Split(second)
	move(t, parent, name, "elsewhere")
	wantFiles(t, c, "quixo-3x3.tb")
	if err := errorOf(c.Find("quixo", 2, "")); !errors.As(err, new(*DirError)) || c.Err() != nil || c.Totals().Unreadable != 1 {
		t.Errorf("%v, %v, %+v", err, c.Err(), c.Totals())
	}
	find(t, c, "quixo", 3, "").Release()
	if got := said.take(); strings.Count(got, `msg="no tables of a directory"`) != 1 {
		t.Errorf("logged:\n%s", got)
	}
	parent, name = filepath.Split(first)
	move(t, parent, name, "nowhere")
	wantFiles(t, c, "")
	if err := c.Err(); !errors.As(err, new(*DirError)) || !strings.Contains(err.Error(), first) || !strings.Contains(err.Error(), second) {
		t.Errorf("%v", err)
	}
	move(t, parent, "nowhere", name)
	move(t, filepath.Dir(second), "elsewhere", filepath.Base(second))
	wantFiles(t, c, whole+" quixo-3x3.tb")
}

// A link out of the directory is not followed: its error is an ErrLink.
func TestLinksOut(t *testing.T) {
	store, dir := newDir(t), t.TempDir()
	link(t, dir, filepath.Join(store, "quixo-2x2.tb"), "quixo-2x2.tb")
	link(t, dir, filepath.Join(store, "notakto-2x2.tb"), "quixo-3x3.tb")
	strict, _ := open(t, dir)
	wantFiles(t, strict, "quixo-2x2.tb! quixo-3x3.tb!")
	if err := errorOf(strict.Find("quixo", 2, "")); !errors.Is(err, ErrLink) {
		t.Errorf("%v", err)
	}
}
