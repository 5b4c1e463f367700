package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/scripts"
	"backsolve/cmd/solving"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand, Others: map[string]func(){"tbsolve": tbsolve}}

func TestMain(m *testing.M) { program.TestMain(m) }

// tbsolve is the program of that name, as far as it solves tables.
func tbsolve() { cli.Main(solving.Command("tbsolve", nil), cli.TableStatus) }

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 3), 0, false)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 4), 1<<5, true) // after b3
	program.Test(t, tables)
}

// A command stopped by a signal says so and writes nothing.
func TestInterrupt(t *testing.T) {
	tables, out := t.TempDir(), filepath.Join(t.TempDir(), "report")
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 4), 0, true)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&cli.Interrupted{Signal: os.Interrupt})
	cmd := newCommand()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"notakto", "4", "--dir", tables, "--out", out})
	var interrupted *cli.Interrupted
	if err := cmd.ExecuteContext(ctx); !errors.As(err, &interrupted) {
		t.Errorf("it ends with %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}
