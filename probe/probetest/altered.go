package probetest

import (
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// Altered opens a copy of a table with a class changed until the test ends. Its
// checksums hold.
func Altered(t testing.TB, original *probe.Table, class int, change func(*tablebase.Planes, *tablebase.Counts)) *probe.Table {
	t.Helper()
	altered, _ := rewritten(t, original, original.Stored().Shape(), func(c int, planes *tablebase.Planes, counts *tablebase.Counts) bool {
		if c == class {
			change(planes, counts)
		}
		return true
	})
	return altered
}

// CopyAs puts a copy of a table where another board's is sought, and returns the
// directory.
func CopyAs(t testing.TB, from *probe.Table, as game.Grid) (dir string) {
	t.Helper()
	dir = t.TempDir()
	data, err := os.ReadFile(from.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, probe.FileName(as.Info())), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
