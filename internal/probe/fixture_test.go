package probe_test

import (
	"os"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

var tables probetest.Tables

func TestMain(m *testing.M) { tables.Main(m) }

var (
	open      = tables.Open
	openAfter = tables.OpenAfter
	eachBoard = tables.Each
	eachAfter = tables.EachAfter
	newRules  = probetest.Rules
	mask      = probetest.Mask
	altered   = probetest.Altered
	parse     = probetest.Parse
)

// solvedIn returns a directory with the table of a board.
func solvedIn(t testing.TB, rules game.Grid, steps bool) string {
	t.Helper()
	return tables.Dir(t, rules, 0, steps)
}

// copyTable copies a table to the file name of another board, and returns the directory.
func copyTable(t *testing.T, from *probe.Table, as game.Grid) (dir string) {
	t.Helper()
	path, _ := copiedAs(t, from, probe.FileName(as.Info()))
	return filepath.Dir(path)
}

// copied copies the file of a table, and returns where it is and what is in it.
func copied(t *testing.T, whole *probe.Table) (path string, data []byte) {
	t.Helper()
	return copiedAs(t, whole, filepath.Base(whole.Stored().Path()))
}

func copiedAs(t *testing.T, whole *probe.Table, name string) (path string, data []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	data, err := os.ReadFile(whole.Stored().Path())
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, data
}
