package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"backsolve/cmd/cli"
	"backsolve/probe/solved"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"analyze": main})
}

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	solved.In(t, tables, solved.Rules(t, "quixo", 3), 0, false)
	solved.In(t, tables, solved.Rules(t, "notakto", 3), 0, true)
	solved.In(t, tables, solved.Rules(t, "notakto", 4), 1<<5, true) // after b3
	testscript.Run(t, testscript.Params{
		Dir: "testdata/scripts",
		Setup: func(e *testscript.Env) error {
			e.Setenv("BACKSOLVE_TABLES", tables)
			e.Setenv("TABLES", tables)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // it would be a second for each script line
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus, "flip": flip},
	})
}

// wantStatus is the script command "status N ARGS…": it runs analyze and wants the
// exit status N.
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec("analyze", args[1:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// flip is the script command "flip FILE OFFSET": it inverts a byte.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	offset, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	data[offset] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

// A command that a signal stops says so and writes nothing.
func TestInterrupt(t *testing.T) {
	tables, out := t.TempDir(), filepath.Join(t.TempDir(), "report")
	solved.In(t, tables, solved.Rules(t, "notakto", 4), 0, true)
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
