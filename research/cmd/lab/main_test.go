package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/scripts"
	"backsolve/cmd/solving"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{
	Main: main, Root: newRoot, Others: map[string]func(){"tbsolve": tbsolve},
	Commands: map[string]func(*testscript.TestScript, bool, []string){"same": wantSame},
}

func TestMain(m *testing.M) { program.TestMain(m) }

// tbsolve is the program of that name, as far as it solves tables.
func tbsolve() { cli.Main(solving.Command("tbsolve", nil), cli.TableStatus) }

// tables solves some small boards.
func tables(t *testing.T) string {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", 3), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 4), 0, false)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 4), 1<<5, true) // after b3
	probetest.Solve(t, dir, probetest.Rules(t, "tictactoe", 3), 0, true)
	return dir
}

func TestScripts(t *testing.T) {
	dir, outcomes := tables(t), t.TempDir()
	probetest.Solve(t, outcomes, probetest.Rules(t, "quixo", 3), 0, false)
	program.Test(t, dir, "OUTCOMES="+outcomes)
}

// wantSame is the script command "same A B": two files of points are equal but for runs and times.
func wantSame(ts *testscript.TestScript, neg bool, args []string) {
	a, b := withoutTimes(ts.ReadFile(args[0])), withoutTimes(ts.ReadFile(args[1]))
	if (a == b) == neg {
		ts.Fatalf("same: %t\n%s\n%s", a == b, a, b)
	}
}

var times = regexp.MustCompile(`"seconds_per_move": .*|"runs": \[\n(  .*\n)*`)

func withoutTimes(points string) string { return times.ReplaceAllString(points, "") }

// A command stopped by a signal says so and writes nothing.
func TestInterrupt(t *testing.T) {
	tables, out := t.TempDir(), filepath.Join(t.TempDir(), "survey")
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 4), 0, true)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&cli.Interrupted{Signal: syscall.SIGINT})
	cmd := newRoot()
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"survey", "notakto", "4", "--dir", tables, "--out", out})
	var interrupted *cli.Interrupted
	if err := cmd.ExecuteContext(ctx); !errors.As(err, &interrupted) {
		t.Errorf("it ends with %v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
}
