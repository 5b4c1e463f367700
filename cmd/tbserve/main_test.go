package main

import (
	"testing"

	"backsolve/cmd/cli/scripts"
	"backsolve/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 2), 0, true)
	program.Test(t, tables)
}
