package main

import (
	"testing"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/scripts"
	"backsolve/cmd/solving"
	"backsolve/game/quixo"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand, Others: map[string]func(){"tbsolve": solveMain}}

// solveMain is tbsolve for one game.
func solveMain() {
	root := &cobra.Command{Use: "tbsolve"}
	root.AddCommand(solving.Command(quixo.Game, solving.Program{Command: root.Name()}))
	cli.Main(root, cli.TableStatus)
}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 2), 0, true)
	program.Test(t, tables)
}
