package main

import (
	"os/exec"
	"runtime"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"backsolve/probe/probetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tbserve": main})
}

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 2), 0, true)
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(e *testscript.Env) error {
			e.Setenv("BACKSOLVE_TABLES", tables)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // it would be a second for each script line
			return nil
		},
		Condition: func(name string) (bool, error) { return name == "posix" && runtime.GOOS != "windows", nil },
		Cmds:      map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus},
	})
}

// wantStatus is the script command "status N ARGS…": it runs tbserve and wants the
// exit status N.
func wantStatus(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec("tbserve", args[1:]...)
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
