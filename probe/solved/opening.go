package solved

import (
	"path/filepath"
	"testing"

	"backsolve/probe"
	"backsolve/tablebase"
)

// Opening opens the table of so many of the emptiest classes of a table until the
// test ends, and returns its directory, too.
func Opening(t testing.TB, whole *probe.Table, classes int) (*probe.Table, string) {
	t.Helper()
	stored, dir := whole.Stored(), t.TempDir()
	shape := stored.Shape()
	shape.Opening = true
	w, err := tablebase.Create(filepath.Join(dir, filepath.Base(stored.Path())), shape, false)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, c := range stored.Classes() {
		if c.Class >= classes {
			continue
		}
		masks, err := stored.Masks(i)
		if err != nil {
			t.Fatal(err)
		}
		var planes tablebase.Planes
		if err := stored.Planes(i, 0, c.Blocks, &planes); err != nil {
			t.Fatal(err)
		}
		if err := w.Seal(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, planes, c.Counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return openIn(t, dir, whole.Rules(), whole.Space().Taken), dir
}
