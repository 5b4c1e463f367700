package main

import (
	"testing"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/scripts"
	"backsolve/cmd/solving"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand, Others: map[string]func(){"tbsolve": solveMain}}

// solveMain is tbsolve without the commands about tables.
func solveMain() { cli.Main(solving.Command("tbsolve", nil), cli.TableStatus) }

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 2), 0, true)
	program.Test(t, tables)
}
