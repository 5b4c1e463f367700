//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// execute is run for commands that must not block.
func execute(t *testing.T, args ...string) (status int, says string) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		status, says = runHere(t, args...)
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("tbsolve %s hangs", strings.Join(args, " "))
	}
	return status, says
}

// planted is something in the place of a file of tbsolve; victim is what it leads to.
var planted = map[string]func(victim, path string) error{
	"link":      os.Symlink,
	"hard link": os.Link,
	"pipe":      func(_, path string) error { return syscall.Mkfifo(path, 0o644) },
	"directory": func(victim, path string) error { return os.MkdirAll(filepath.Join(path, "full"), 0o755) },
}

// TestPlantedNames puts links, pipes and directories in the place of files that tbsolve writes.
// tbsolve writes to nothing else, ends at once, and refuses what it may not remove.
func TestPlantedNames(t *testing.T) {
	source := t.TempDir()
	execute(t, "quixo", "2", "--quiet", "--dir", source)
	solved, err := os.ReadFile(filepath.Join(source, "quixo-2x2.tb"))
	if err != nil {
		t.Fatal(err)
	}
	table := []string{"quixo", "2"}
	packed := append(table, "--packed")
	result := []string{"notakto", "3", "--keep", "result"}
	opening := []string{"notakto", "3", "--keep", "opening"}
	pack := []string{"pack", "quixo", "2"}
	export := []string{"export", "quixo", "2", "--out", "rows.csv"}
	const anything = "link, hard link, pipe, directory"
	for _, c := range []struct {
		args    []string
		name    string
		refused string // the kinds that are; others give way to the file
	}{
		{table, "quixo-2x2.tb.partial", anything},
		{table, "quixo-2x2.tb.manifest", anything},
		{table, "quixo-2x2.tb.lock", anything},
		{table, "quixo-2x2.tb", anything},
		{append(table, "--force"), "quixo-2x2.tb", "directory"},
		{packed, "quixo-2x2.tb.zst.partial", anything},
		{packed, "quixo-2x2.tb.zst.manifest", anything},
		{packed, "quixo-2x2.tb.lock", anything},
		{result, "notakto-3x3.lock", anything},
		{result, "notakto-3x3.state", anything},
		{result, "notakto-3x3.state.lock", "directory"},
		{result, "notakto-3x3.state.new", "directory"},
		{result, "notakto-3x3.class-00", "directory"},
		{result, "notakto-3x3.class-00-set", "directory"},
		{result, "notakto-3x3.json", anything},
		{append(result, "--force"), "notakto-3x3.json", "pipe, directory"},
		{result, "notakto-3x3.json.lock", anything},
		{result, "notakto-3x3.json.new", "directory"},
		{opening, "notakto-3x3.tb.partial", anything},
		{opening, "notakto-3x3.tb.manifest", anything},
		{opening, "notakto-3x3.tb.lock", anything},
		{pack, "quixo-2x2.tb.zst", anything},
		{append(pack, "--force"), "quixo-2x2.tb.zst", "pipe, directory"},
		{pack, "quixo-2x2.tb.lock", anything},
		{pack, "quixo-2x2.tb.zst.lock", anything},
		{pack, "quixo-2x2.tb.zst.new", "directory"},
		{export, "rows.csv", anything},
		{append(export, "--force"), "rows.csv", "pipe, directory"},
		{export, "rows.csv.lock", anything},
		{export, "rows.csv.new", "directory"},
	} {
		for kind, plant := range planted {
			dir := t.TempDir()
			t.Chdir(dir)
			if command := c.args[0]; command == "pack" || command == "export" {
				if err := os.WriteFile(filepath.Join(dir, "quixo-2x2.tb"), solved, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			victim := filepath.Join(t.TempDir(), "victim")
			if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, c.name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := plant(victim, path); err != nil {
				t.Fatal(err)
			}
			status, says := execute(t, append(append([]string{}, c.args...), "--quiet", "--dir", dir)...)
			if refused := strings.Contains(", "+c.refused+",", ", "+kind+","); refused != (status != 0) {
				t.Errorf("%v with a %s as %s: status %d, %s", c.args, kind, c.name, status, says)
			} else if refused && (!strings.Contains(says, c.name) || !strings.Contains(says, "; ")) {
				t.Errorf("%v with a %s as %s: it says %q", c.args, kind, c.name, says)
			}
			if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
				t.Errorf("%v with a %s as %s: the victim is %q, %v", c.args, kind, c.name, b, err)
			}
		}
	}
}
