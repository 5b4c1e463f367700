//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nothing is written through a link in the place of a directory for shared data.
func TestPlantedNames(t *testing.T) {
	for name, keep := range map[string]string{
		"notakto-3x3.tb.cluster": "table", "notakto-3x3.tb.cluster/nats": "table", "notakto-3x3.tb.cluster/store": "table", "notakto-3x3.cluster": "result",
	} {
		for kind, plant := range map[string]func(victim, path string) error{
			"link": os.Symlink, "hard link": os.Link, "pipe": func(_, path string) error { return syscall.Mkfifo(path, 0o644) },
		} {
			dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
			path := filepath.Join(dir, name)
			if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := plant(victim, path); err != nil {
				t.Fatal(err)
			}
			out, err := tbcluster(t, "solve", "notakto", "3", "--workers", "1", "--keep", keep, "--quiet", "--dir", dir).CombinedOutput()
			if err == nil || !strings.Contains(string(out), name+": it is a") {
				t.Errorf("with a %s as %s: %v: %s", kind, name, err, out)
			}
			if b, err := os.ReadFile(victim); err != nil || string(b) != "mine" {
				t.Errorf("with a %s as %s the victim is %q, %v", kind, name, b, err)
			}
		}
	}
}
