package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// contents returns the files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		b, _ := os.ReadFile(filepath.Join(dir, e.Name())) // of a directory, the name
		all[e.Name()] = string(b)
	}
	return all
}

// keepOpeningOf returns the command line of the solve that halfSolved leaves.
func keepOpeningOf(dir string, more ...string) []string {
	return append([]string{"notakto", "5", "--keep", "opening=200kB", "--quiet", "--json", "--dir", dir}, more...)
}

// A result that cannot be read costs no work.
func TestErrorsKeepWork(t *testing.T) {
	for name, block := range map[string]func(path string) error{
		"junk":      func(path string) error { return os.WriteFile(path, []byte("junk"), 0o644) },
		"directory": func(path string) error { return os.Mkdir(path, 0o755) },
	} {
		dir := t.TempDir()
		halfSolved(t, dir, 3)
		saved := filepath.Join(dir, "notakto-5x5.json")
		if err := block(saved); err != nil {
			t.Fatal(err)
		}
		before := contents(t, dir)
		if _, err := tbsolve(t, keepOpeningOf(dir)...).Output(); err == nil || !strings.Contains(stderrOf(err), saved) {
			t.Errorf("%s: %v, %s", name, err, stderrOf(err))
		}
		if !maps.Equal(contents(t, dir), before) {
			t.Errorf("%s: the work files are others", name)
		}
	}
}

// The work of an interrupted --force is kept where the command finds the old result, and
// --force resumes it. Files that a solve leaves after saving its result are deleted.
func TestInterruptedForceIsKept(t *testing.T) {
	dir := t.TempDir()
	output(t, keepOpeningOf(dir)...)
	done := contents(t, dir)
	halfSolved(t, dir, 3)
	before := contents(t, dir)
	ask := func(more ...string) (resumed int, says string) {
		t.Helper()
		cmd, stderr := tbsolve(t, keepOpeningOf(dir, more...)...), new(bytes.Buffer)
		cmd.Stderr = stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		var r struct {
			Resumed int `json:"resumed_classes"`
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		return r.Resumed, stderr.String()
	}
	state := filepath.Join(dir, "notakto-5x5.state")
	const kept = " is what an interrupted solve has left, and is kept; the same command with --force resumes it\n"
	if _, says := ask(); says != "note: "+state+kept {
		t.Errorf("it says %q", says)
	}
	if !maps.Equal(contents(t, dir), before) {
		t.Error("the work files are others")
	}
	if resumed, says := ask("--force"); resumed == 0 || says != "" {
		t.Errorf("resumed after %d classes, and it says %q", resumed, says)
	}
	if !maps.Equal(contents(t, dir), done) {
		t.Error("after --force other files are there")
	}

	shared := filepath.Join(dir, "notakto-5x5.cluster")
	if err := os.Mkdir(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, says := ask(); says != "note: "+shared+kept {
		t.Errorf("with shared work it says %q", says)
	}
	if err := os.WriteFile(filepath.Join(shared, "saved"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, says := ask(); says != "" || !maps.Equal(contents(t, dir), done) {
		t.Errorf("shared work that is saved is left, and it says %q", says)
	}
}

// Finished work that was not saved is kept, unless it is the origin of the saved result.
func TestUnsavedResultIsKept(t *testing.T) {
	dir := t.TempDir()
	halfSolved(t, dir, 3)
	saved := filepath.Join(dir, "notakto-5x5.json")
	if err := os.MkdirAll(filepath.Join(saved, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := tbsolve(t, keepOpeningOf(dir, "--force")...).Output(); err == nil {
		t.Fatal("a result was saved over a directory")
	}
	if err := os.RemoveAll(saved); err != nil {
		t.Fatal(err)
	}
	work := contents(t, dir)
	elsewhere := t.TempDir()
	output(t, keepOpeningOf(elsewhere)...)
	right, err := os.ReadFile(filepath.Join(elsewhere, "notakto-5x5.json"))
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := countsMore(right, winsOfAll)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(saved, wrong, 0o644); err != nil {
		t.Fatal(err)
	}
	output(t, keepOpeningOf(dir)...)
	if got := contents(t, dir); got["notakto-5x5.state"] == "" || got["notakto-5x5.state"] != work["notakto-5x5.state"] {
		t.Error("the state of a solve that was not saved is gone")
	}
	if err := os.WriteFile(saved, right, 0o644); err != nil {
		t.Fatal(err)
	}
	output(t, keepOpeningOf(dir)...)
	if !maps.Equal(contents(t, dir), contents(t, elsewhere)) {
		t.Errorf("%v are left", contents(t, dir))
	}
}
