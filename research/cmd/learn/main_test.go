package main

import (
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"backsolve/probe/probetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"learn": main})
}

func TestScripts(t *testing.T) {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 4), 0, false)
	probetest.Solve(t, dir, probetest.Rules(t, "tictactoe", 3), 0, true)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("BACKSOLVE_TABLES", dir)
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus},
	})
}

// wantStatus is the script command "status N PROGRAM ARGS…": it runs a program and
// wants the exit status N.
func wantStatus(ts *testscript.TestScript, neg bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
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
