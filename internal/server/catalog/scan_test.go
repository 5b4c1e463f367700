package catalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
	"backsolve/tablebase/writer"
)

const whole = "notakto-2x2.tb notakto-3x3.tb notakto-3x3-after-b2.tb quixo-2x2.tb"

// Tables appear, vanish and are replaced; the others stay as they are.
func TestScan(t *testing.T) {
	dir := newDir(t)
	c, said := open(t, dir)
	wantFiles(t, c, whole)
	if got := said.take(); strings.Count(got, `msg="table opened"`) != 4 {
		t.Errorf("logged:\n%s", got)
	}
	kept, dropped := find(t, c, "notakto", 3, ""), find(t, c, "quixo", 2, "")
	version := c.List().Version

	move(t, dir, "quixo-2x2.tb", "aside")
	wantFiles(t, c, "notakto-2x2.tb notakto-3x3.tb notakto-3x3-after-b2.tb")
	if got := said.take(); !strings.Contains(got, `msg="table dropped" file=quixo-2x2.tb`) || strings.Count(got, "\n") != 1 {
		t.Errorf("logged:\n%s", got)
	}
	if c.List().Version == version {
		t.Error("another list has the same version")
	}
	if _, err := dropped.Answerer().Ask("../.. x", probe.NoLine); err != nil {
		t.Errorf("a dropped table in use: %v", err)
	}
	dropped.Release()
	if !isClosed(t, dropped) {
		t.Error("a dropped table that nobody uses is open")
	}
	if _, ok := errors.AsType[*probe.MissingError](second(c.Find("quixo", 2, ""))); !ok {
		t.Error("a dropped table is not missing")
	}

	move(t, dir, "aside", "quixo-2x2.tb")
	wantFiles(t, c, whole)
	if got := c.List().Version; got != version {
		t.Errorf("the same list has version %s, not %s", got, version)
	}
	again := find(t, c, "notakto", 3, "")
	if again.Table() != kept.Table() {
		t.Error("what has not changed was opened again")
	}
	again.Release()
	kept.Release()
	if got := c.Totals(); got.OK != 4 || got.Broken != 0 || got.Reloads != 6 || got.Bytes != bytesOf(t, dir) {
		t.Errorf("totals %+v", got)
	}
}

// A file that gives way to another one is opened again; who uses the old one
// goes on with it.
func TestScanReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a file be replaced that is open")
	}
	dir := newDir(t)
	c, said := open(t, dir)
	said.take()
	old := find(t, c, "notakto", 3, "")
	move(t, dir, "notakto-3x3.tb", "aside")
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, false)
	wantFiles(t, c, whole)
	if got := said.take(); !strings.Contains(got, `msg="table reopened" file=notakto-3x3.tb`) {
		t.Errorf("logged:\n%s", got)
	}
	now := find(t, c, "notakto", 3, "")
	defer now.Release()
	if now.Table().HasSteps() || now.Identity() == old.Identity() || !old.Table().HasSteps() || isClosed(t, old) {
		t.Error("the table is not another one, or the old one cannot be used any more")
	}
	old.Release()
	if !isClosed(t, old) || isClosed(t, now) {
		t.Error("the old table is not closed, or the new one is")
	}
}

// A table of which a lookup has found that somebody writes to its file is opened again, even if
// the description of the file does not tell.
func TestScanWrittenTo(t *testing.T) {
	dir := newDir(t)
	c, _ := open(t, dir)
	old := find(t, c, "quixo", 2, "")
	path := filepath.Join(dir, "quixo-2x2.tb")
	time.Sleep(10 * time.Millisecond) // the clock of a filesystem goes in ticks
	if err := os.Chtimes(path, time.Time{}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Table().Value(old.Table().Start()); err != nil {
		t.Fatal(err)
	}
	if old.Table().Stored().Trusting() {
		t.Skip("tables are not mapped here")
	}
	file, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	old.entry.file = file
	c.Scan()
	now := find(t, c, "quixo", 2, "")
	defer now.Release()
	if now.Table() == old.Table() || !now.Table().Stored().Trusting() {
		t.Error("the table was not opened again")
	}
	old.Release()
}

// The packed table is taken where there is no other.
func TestScanPacked(t *testing.T) {
	dir := newDir(t)
	if _, err := writer.Pack(t.Context(), filepath.Join(dir, "quixo-2x2.tb"), false, nil); err != nil {
		t.Fatal(err)
	}
	c, _ := open(t, dir)
	wantFiles(t, c, whole)
	version := c.List().Version
	plain := find(t, c, "quixo", 2, "")
	plain.Release()
	remove(t, dir, "quixo-2x2.tb")
	wantFiles(t, c, strings.Replace(whole, "quixo-2x2.tb", "quixo-2x2.tb.zst", 1))
	packed := find(t, c, "quixo", 2, "")
	defer packed.Release()
	if packed.Table().Stored().Packed() == 0 || packed.Identity() != plain.Identity() || c.List().Version == version {
		t.Error("the packed table is not another way to have the same one")
	}
	if got := c.Totals().Bytes; got != bytesOf(t, dir) {
		t.Errorf("%d bytes, want %d", got, bytesOf(t, dir))
	}
}

// A link that stays in the directory is as good as the file.
func TestScanLinkInside(t *testing.T) {
	dir := newDir(t)
	if err := os.Mkdir(filepath.Join(dir, "store"), 0o755); err != nil {
		t.Fatal(err)
	}
	move(t, dir, "quixo-2x2.tb", "store/some file")
	link(t, dir, "store/some file", "quixo-2x2.tb")
	c, _ := open(t, dir)
	wantFiles(t, c, whole)
	h := find(t, c, "quixo", 2, "")
	defer h.Release()
	if _, err := h.Answerer().Ask("../.. x", probe.NoLine); err != nil {
		t.Error(err)
	}
	move(t, dir, "store/some file", "store/another file")
	wantFiles(t, c, whole+"!")
}

// link makes a symbolic link.
func link(t testing.TB, dir, to, name string) {
	t.Helper()
	if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
		t.Skip(err) // Windows wants a privilege for it
	}
}

// What a solve has left or is about to leave is no table.
func TestScanLeavesWorkAlone(t *testing.T) {
	dir := newDir(t)
	for _, end := range []string{".tb.partial", ".tb.manifest", ".tb.lock", ".tb.zst.partial", ".json", ".zst", "tb"} {
		duplicate(t, dir, "quixo-2x2.tb", "quixo-3x3"+end)
	}
	c, _ := open(t, dir)
	wantFiles(t, c, whole)
}

// Without its directory a catalogue cannot be opened; where that goes away later,
// so do all tables, until it is back.
func TestScanDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not let a directory be moved in which a file is open")
	}
	dir := newDir(t)
	parent, name := filepath.Split(dir)
	for _, none := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "quixo-2x2.tb")} {
		_, err := Open([]string{none}, Options{})
		away, ok := errors.AsType[*DirError](err)
		if !ok || away.Dir != none || !strings.Contains(err.Error(), none) {
			t.Errorf("%v", err)
		}
	}
	c, said := open(t, dir)
	h := find(t, c, "quixo", 2, "")
	defer h.Release()
	said.take()
	move(t, parent, name, "elsewhere")
	for range 2 {
		wantFiles(t, c, "")
		if _, ok := errors.AsType[*DirError](c.Err()); !ok || second(c.Find("quixo", 2, "")) != c.Err() {
			t.Errorf("the error is %v, that of a table %v", c.Err(), second(c.Find("quixo", 2, "")))
		}
	}
	if got := said.take(); strings.Count(got, "no tables") != 1 || strings.Count(got, "dropped") != 4 {
		t.Errorf("logged:\n%s", got)
	}
	if _, err := h.Answerer().Ask("../.. x", probe.NoLine); err != nil {
		t.Errorf("a table in use: %v", err)
	}
	move(t, parent, "elsewhere", name)
	wantFiles(t, c, whole)
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

// Run picks up after two seconds what has come meanwhile, and ends with its
// context.
func TestRun(t *testing.T) {
	dir := newDir(t)
	synctest.Test(t, func(t *testing.T) {
		c, err := Open([]string{dir}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			c.Run(ctx)
			close(done)
		}()
		for _, want := range []bool{true, false, true} {
			if want {
				duplicate(t, dir, "quixo-2x2.tb", "quixo-3x3.tb")
			} else {
				remove(t, dir, "quixo-3x3.tb")
			}
			time.Sleep(1900 * time.Millisecond)
			synctest.Wait()
			if strings.Contains(files(c.List()), "quixo-3x3.tb") == want {
				t.Error("the directory is looked at too soon")
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			if strings.Contains(files(c.List()), "quixo-3x3.tb") != want {
				t.Error("the directory is looked at too late")
			}
		}
		cancel()
		<-done
	})
}
