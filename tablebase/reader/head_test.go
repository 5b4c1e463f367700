package reader_test

import (
	"path/filepath"
	"testing"

	"backsolve/internal/probe/probetest"
	"backsolve/tablebase"
	"backsolve/tablebase/format"
	"backsolve/tablebase/internal/tabletest"
	"backsolve/tablebase/reader"
)

// The header tells shape and classes, packed or not, whatever is wrong with the rest.
func TestHead(t *testing.T) {
	plain, archive, _ := probetest.Archived(t, "quixo", 3)
	content := tabletest.ReadFile(t, plain)
	shape := tablebase.Shape{Game: "quixo", Size: 3, Planes: 2, Steps: true}
	archived := shape
	archived.Archive = true
	for path, want := range map[string]tablebase.Shape{
		plain: shape, tabletest.Pack(t, tabletest.Save(t, content)): shape, archive: archived, tabletest.Save(t, content[:format.PageSize]): shape, tabletest.Save(t, content[:len(content)-1]): shape,
		filepath.Join(t.TempDir(), "none.tb"): {}, tabletest.Save(t, make([]byte, 5000)): {}, tabletest.Save(t, content[:format.PageSize-1]): {}, tabletest.Save(t, nil): {},
	} {
		got, classes, ok := reader.Head(path)
		if found := want != (tablebase.Shape{}); got != want || ok != found || found && classes != 10 || !found && classes != 0 {
			t.Errorf("%s: %v with %d classes, %t, want %v", path, got, classes, ok, want)
		}
	}
}
