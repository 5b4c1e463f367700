package main

import (
	"bytes"
	"errors"
	"os"
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

// The hint for a damaged table names the command that makes the same table again.
func TestHintRestores(t *testing.T) {
	for _, command := range []string{
		"quixo 3", "quixo 3 --steps", "quixo 3 --packed", "quixo 3 --steps --packed", "quixo 3 --steps --packed=archive",
		"tictactoe 3x4,misere --steps", "notakto 4 --after b2 --keep table --steps --packed", "notakto 4 --grundy --packed", "notakto 4 --keep opening=30kB",
		"morris-3",
	} {
		for damage, spoil := range map[string]func([]byte) []byte{
			"flipped": func(b []byte) []byte { b[max(len(b)/2, min(4200, len(b)-1))] ^= 1; return b },
			"cut":     func(b []byte) []byte { return b[:len(b)-5] },
		} {
			t.Run(command+" "+damage, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				if _, says, code := run(t, append(strings.Fields(command), "--dir", dir, "--quiet")...); code != 0 {
					t.Fatal(says)
				}
				path := one(t, filepath.Join(dir, "*.tb*"))
				want, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, spoil(bytes.Clone(want)), 0o666); err != nil {
					t.Fatal(err)
				}
				_, says, _ := run(t, "verify", path)
				_, again, ok := strings.Cut(strings.TrimSpace(says), "hint: solve it again with: tbsolve ")
				if again, unknown := strings.CutSuffix(again, " (with --steps, or --steps --packed=archive, if it had them)"); unknown && damage == "cut" {
					t.Log("the packed table is cut short: ", again)
					return
				}
				if !ok {
					t.Fatalf("there is no command: %s", says)
				}
				again, _ = strings.CutSuffix(again, " (with --outcomes, if it had no steps)") // which this one has
				if _, says, code := run(t, strings.Fields(strings.ReplaceAll(again, "'", ""))...); code != 0 {
					t.Fatalf("%s: %s", again, says)
				}
				if got, err := os.ReadFile(one(t, filepath.Join(dir, "*.tb*"))); !bytes.Equal(got, want) {
					t.Errorf("%s makes another table: %v", again, err)
				}
			})
		}
	}
}

// one returns the only file that matches a pattern.
func one(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) != 1 {
		t.Fatalf("%s: %v, %v", pattern, files, err)
	}
	return files[0]
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
