package survey

import (
	"testing"

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
	altered   = probetest.Altered
	parse     = probetest.Parse
)
