package survey

import (
	"testing"

	"backsolve/probe/solved"
)

var tables solved.Tables

func TestMain(m *testing.M) { tables.Main(m) }

var (
	open      = tables.Open
	openAfter = tables.OpenAfter
	eachBoard = tables.Each
	eachAfter = tables.EachAfter
	newRules  = solved.Rules
	copyTable = solved.Copy
	altered   = solved.Altered
	parse     = solved.Parse
)
