package solved

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// Altered opens a copy of a table with a class changed until the test ends. Its
// checksums hold.
func Altered(t testing.TB, original *probe.Table, class int, change func(*tablebase.Planes, *tablebase.Counts)) *probe.Table {
	t.Helper()
	stored, dir := original.Stored(), t.TempDir()
	w, err := tablebase.Create(filepath.Join(dir, filepath.Base(stored.Path())), stored.Shape(), false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, c := range stored.Classes() {
		masks, err := stored.Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		var planes tablebase.Planes
		if err := stored.Planes(i, 0, c.Blocks, &planes); err != nil {
			t.Fatal(err)
		}
		counts := tablebase.Counts{ByWeight: slices.Clone(c.Counts.ByWeight), BySteps: slices.Clone(c.Counts.BySteps)}
		if c.Class == class {
			change(&planes, &counts)
		}
		if err := w.Seal(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, planes, counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return openIn(t, dir, original.Rules(), original.Space().Taken)
}

// Copy puts a copy of a table where another board's is sought, and returns the
// directory.
func Copy(t testing.TB, from *probe.Table, as game.Grid) (dir string) {
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
