package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A result that cannot be saved costs nothing: the same command saves it when it
// can, and only then do the work files go.
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
		t.Errorf("%v: went on after %d classes, want all 9", err, resumed)
	}
	left, _ := os.ReadDir(dir)
	if len(left) != 1 || left[0].Name() != filepath.Base(saved) {
		t.Errorf("%v are left", left)
	}
}
