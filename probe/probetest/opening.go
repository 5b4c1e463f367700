package probetest

import (
	"path/filepath"
	"slices"
	"testing"

	"backsolve/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Opening opens the table of so many of the emptiest classes of a table until the
// test ends, and returns its directory, too.
func Opening(t testing.TB, whole *probe.Table, classes int) (*probe.Table, string) {
	t.Helper()
	shape := whole.Stored().Shape()
	shape.Opening = true
	return rewritten(t, whole, shape, func(class int, _ *tablebase.Planes, _ *tablebase.Counts) (kept bool) { return class < classes })
}

// rewritten opens a copy of a table in another shape, of the classes that are kept and as
// they were changed, until the test ends, and returns its directory.
func rewritten(t testing.TB, original *probe.Table, shape tablebase.Shape, change func(class int, p *tablebase.Planes, c *tablebase.Counts) (kept bool)) (*probe.Table, string) {
	t.Helper()
	stored, dir := original.Stored(), t.TempDir()
	w, err := writer.Create(filepath.Join(dir, filepath.Base(stored.Path())), shape, false)
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
		if !change(c.Class, &planes, &counts) {
			continue
		}
		if err := w.Seal(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, planes, counts); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return openIn(t, dir, original.Rules(), original.Space().Taken), dir
}
