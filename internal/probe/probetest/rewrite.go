package probetest

import (
	"path/filepath"
	"slices"
	"testing"

	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Opening opens a table of the emptiest classes until the test ends, and returns its directory, too.
func Opening(t testing.TB, whole *probe.Table, classes int) (*probe.Table, string) {
	t.Helper()
	shape := whole.Stored().Shape()
	shape.Opening = true
	return rewrite(t, whole, shape, func(class int, _ *tablebase.Planes, _ *tablebase.Counts) (keep bool) { return class < classes })
}

// Altered opens a copy with a class changed until the test ends. Its checksums hold.
func Altered(t testing.TB, original *probe.Table, class int, change func(*tablebase.Planes, *tablebase.Counts)) *probe.Table {
	t.Helper()
	altered, _ := rewrite(t, original, original.Stored().Shape(), func(c int, planes *tablebase.Planes, counts *tablebase.Counts) (keep bool) {
		if c == class {
			change(planes, counts)
		}
		return true
	})
	return altered
}

// rewrite opens a copy of a table in another shape, with the classes that change keeps, as it
// changes them, until the test ends. It returns its directory, too.
func rewrite(t testing.TB, original *probe.Table, shape tablebase.Shape, change func(class int, p *tablebase.Planes, c *tablebase.Counts) (keep bool)) (*probe.Table, string) {
	t.Helper()
	stored, dir := original.Stored(), t.TempDir()
	w, err := writer.Create(filepath.Join(dir, filepath.Base(stored.Path())), shape, false)
	check(t, err)
	defer w.Close()
	for i, c := range stored.Classes() {
		masks, err := stored.Masks(i)
		check(t, err)
		var planes tablebase.Planes
		check(t, stored.Planes(i, 0, c.Blocks, &planes))
		counts := tablebase.Counts{ByWeight: slices.Clone(c.Counts.ByWeight), BySteps: slices.Clone(c.Counts.BySteps)}
		if change(c.Class, &planes, &counts) {
			check(t, w.Seal(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, planes, counts))
		}
	}
	_, err = w.Finish()
	check(t, err)
	return openIn(t, dir, original.Rules(), original.Space().Taken), dir
}
