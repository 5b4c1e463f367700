package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/tablebase"
	"backsolve/tablebase/reader"
	"backsolve/tablebase/writer"
)

// verify reports the differences of a whole but wrong table.
func TestVerifyPrintsWhatDiffers(t *testing.T) {
	dir := t.TempDir()
	if out, err := tbsolve(t, "notakto", "3", "--dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// On 3×3 the only class has one block, whose state 0 is the empty board.
	wrong := rewrite(t, filepath.Join(dir, "notakto-3x3.tb"), func(p *tablebase.Planes) { p.Win[0] ^= 1 })
	out, err := tbsolve(t, "verify", wrong, "--quiet").Output()
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%v, not exit status 1", err)
	}
	if says := "error: " + wrong + ": the table is wrong: "; !strings.HasPrefix(stderrOf(err), says) {
		t.Errorf("it says %q, not %q", stderrOf(err), says)
	}
	if line := ".../.../...: lose is stored, win is right\n"; !strings.Contains(string(out), line) {
		t.Errorf("it prints %q without %q", out, line)
	}
}

// rewrite writes a table again with other planes, and returns its path.
func rewrite(t *testing.T, path string, change func(*tablebase.Planes)) string {
	t.Helper()
	table, err := reader.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	other := filepath.Join(t.TempDir(), "wrong.tb")
	w, err := writer.Create(other, table.Shape(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, c := range table.Classes() {
		masks, err := table.Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		var planes tablebase.Planes
		if err := table.Planes(i, 0, c.Blocks, &planes); err != nil {
			t.Fatal(err)
		}
		change(&planes)
		if err := w.Seal(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return other
}
