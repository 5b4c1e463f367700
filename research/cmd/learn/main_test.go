package main

import (
	"testing"

	"backsolve/cmd/cli/scripts"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newRoot}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 4), 0, false)
	probetest.Solve(t, dir, probetest.Rules(t, "tictactoe", 3), 0, true)
	program.Test(t, dir)
}
