package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backsolve/internal/probe"
	"backsolve/partition/spacetest"
	"backsolve/retro/outofcore"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// A result that cannot be saved costs no work: the same command saves it later, and only then
// deletes the work files.
func TestStreamedResultIsSavedFirst(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, "notakto-5x5-after-c3.json")
	blocked := filepath.Join(saved, "in the way")
	run := func(args ...string) (resumed int, err error) {
		out, err := tbsolve(t, append([]string{"notakto", "5", "--after", "c3", "--keep", "result", "--quiet", "--json", "--dir", dir}, args...)...).Output()
		if err != nil {
			return 0, err
		}
		var r struct {
			Resumed int `json:"resumed_classes"`
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		return r.Resumed, nil
	}
	if err := os.MkdirAll(blocked, 0o755); err != nil {
		t.Fatal(err)
	}
	// --force, because the directory in the way is taken for a result.
	if _, err := run("--force"); err == nil || !strings.Contains(stderrOf(err), "is kept") {
		t.Fatalf("a result was saved over a directory: %v, %s", err, stderrOf(err))
	}
	if err := os.RemoveAll(saved); err != nil {
		t.Fatal(err)
	}
	if resumed, err := run(); err != nil || resumed != 9 {
		t.Errorf("%v: resumed after %d classes, want all 9", err, resumed)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 || left[0].Name() != filepath.Base(saved) {
		t.Errorf("%v are left", left)
	}
}

// halfSolved leaves a solve of Notakto 5×5 that was interrupted in class 2, with an opening
// table of the given number of classes. It returns the file of slices of class 3.
func halfSolved(t *testing.T, dir string, classes int) string {
	t.Helper()
	_, space := spacetest.New(t, "notakto", 5)
	work, shape := filepath.Join(dir, "notakto-5x5"), probe.Shape(space, false)
	shape.Opening = true
	w, err := writer.Create(work+probe.FileSuffix, shape, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	files, err := outofcore.Open(work, space, false)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o := outofcore.Options{Packed: true, Opening: &outofcore.Opening{Writer: w, Classes: classes}}
	o.Progress = func(e tablebase.Event) {
		if e.At == 2 && e.Stage != tablebase.Sealed {
			stop()
		}
	}
	if _, err := files.Solve(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	return work + ".class-03"
}

// Damaged work files, and an opening table of other classes, are refused with the remedy
// --force. That starts over and ends with the bytes of an undisturbed solve.
func TestForceStartsOver(t *testing.T) {
	args := func(dir string, more ...string) []string {
		return append([]string{"notakto", "5", "--keep", "opening=200kB", "--quiet", "--dir", dir}, more...)
	}
	undisturbed := t.TempDir()
	if out, err := tbsolve(t, args(undisturbed)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for name, c := range map[string]struct {
		classes int
		damage  bool
	}{"a damaged work file": {3, true}, "another opening table": {4, false}, "nothing wrong": {3, false}} {
		dir := t.TempDir()
		class := halfSolved(t, dir, c.classes)
		if c.damage {
			b, err := os.ReadFile(class)
			if err != nil {
				t.Fatal(err)
			}
			b[len(b)/2] ^= 1
			if err := os.WriteFile(class, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := tbsolve(t, args(dir)...).Output()
		if wrong := c.damage || c.classes != 3; wrong != (err != nil) {
			t.Errorf("%s: %v", name, err)
		} else if wrong {
			if !strings.Contains(stderrOf(err), "start over") {
				t.Errorf("%s: %s", name, stderrOf(err))
			}
			if out, err := tbsolve(t, args(dir, "--force")...).CombinedOutput(); err != nil {
				t.Errorf("%s, by force: %v: %s", name, err, out)
			}
		}
		for _, file := range []string{"notakto-5x5.json", "notakto-5x5.tb"} {
			got, err := os.ReadFile(filepath.Join(dir, file))
			want, err2 := os.ReadFile(filepath.Join(undisturbed, file))
			if err != nil || err2 != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s is another one: %v, %v", name, file, err, err2)
			}
		}
		if left, _ := os.ReadDir(dir); len(left) != 2 {
			t.Errorf("%s: %v are left", name, left)
		}
	}
}
