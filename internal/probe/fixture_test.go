package probe_test

import (
	"testing"

	"backsolve/game"
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
	copyTable = probetest.CopyAs
	altered   = probetest.Altered
	parse     = probetest.Parse
)

// solvedIn returns a directory with the table of a board.
func solvedIn(t testing.TB, rules game.Grid, steps bool) string {
	t.Helper()
	return tables.Dir(t, rules, 0, steps)
}
