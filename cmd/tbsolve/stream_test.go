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

	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/retro"
	"backsolve/retro/outofcore"
)

// streamNotakto5 runs the streamed solve of Notakto 5×5 after c3, and returns how
// many classes it went on after.
func streamNotakto5(t *testing.T, dir string, args ...string) (resumed int, err error) {
	t.Helper()
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

// A result that cannot be saved costs nothing: the same command saves it when it
// can, and only then do the work files go.
func TestStreamedResultIsSavedFirst(t *testing.T) {
	dir := t.TempDir()
	saved := filepath.Join(dir, "notakto-5x5-after-c3.json")
	blocked := filepath.Join(saved, "in the way")
	if err := os.MkdirAll(blocked, 0o755); err != nil {
		t.Fatal(err)
	}
	// --force, because the directory in the way is taken for a result.
	if _, err := streamNotakto5(t, dir, "--force"); err == nil || !strings.Contains(stderrOf(err), "is kept") {
		t.Fatalf("a result was saved over a directory: %v, %s", err, stderrOf(err))
	}
	if err := os.RemoveAll(saved); err != nil {
		t.Fatal(err)
	}
	if resumed, err := streamNotakto5(t, dir); err != nil || resumed != 9 {
		t.Errorf("%v: went on after %d classes, want all 9", err, resumed)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 || left[0].Name() != filepath.Base(saved) {
		t.Errorf("%v are left", left)
	}
}

// stopNotakto5 leaves the work files of that solve as an interruption in class 4
// does, and returns the one with the slices of class 5.
func stopNotakto5(t *testing.T, dir string) string {
	t.Helper()
	rules, err := games.NewGrid("notakto", 5)
	if err != nil {
		t.Fatal(err)
	}
	space, err := partition.NewAfter(rules, 1<<12)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "notakto-5x5-after-c3")
	files, err := outofcore.Open(path, space, false)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	midway := errors.New("midway")
	_, err = files.Solve(ctx, retro.Options{Progress: func(e retro.Event) {
		if e.Class == 4 && !e.Sealed {
			stop(midway)
		}
	}})
	if !errors.Is(err, midway) {
		t.Fatal(err)
	}
	return path + ".class-05"
}

// Damaged work files are refused, as often as one tries, and nothing is taken from
// them or thrown away; --force starts over.
func TestDamagedWorkFileIsRefused(t *testing.T) {
	whole := t.TempDir()
	if _, err := streamNotakto5(t, whole); err != nil {
		t.Fatalf("%v: %s", err, stderrOf(err))
	}
	const name = "notakto-5x5-after-c3.json"
	want, err := os.ReadFile(filepath.Join(whole, name))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	stopNotakto5(t, dir)
	if resumed, err := streamNotakto5(t, dir); err != nil || resumed != 4 {
		t.Fatalf("%v: went on after %d classes, want the 4 that were finished", err, resumed)
	}

	dir = t.TempDir()
	class := stopNotakto5(t, dir)
	damaged, err := os.ReadFile(class)
	if err != nil {
		t.Fatal(err)
	}
	damaged[len(damaged)/2] ^= 4
	if err := os.WriteFile(class, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := streamNotakto5(t, dir)
		says := stderrOf(err)
		if err == nil || !strings.HasPrefix(says, "error: damaged work file: block ") || !strings.HasSuffix(says, " of "+class+" is not what was written; start over with --force\n") {
			t.Fatalf("a damaged slice: %v, and it says %q", err, says)
		}
		if left, err := os.ReadFile(class); err != nil || !bytes.Equal(left, damaged) {
			t.Fatalf("the refusal has changed the work file: %v", err)
		}
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Fatal("a result was saved")
		}
	}
	resumed, err := streamNotakto5(t, dir, "--force")
	if err != nil || resumed != 0 {
		t.Fatalf("with --force: %v: %s; after %d classes", err, stderrOf(err), resumed)
	}
	if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
		t.Errorf("with --force the result is another one: %v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%v are left", left)
	}
}
