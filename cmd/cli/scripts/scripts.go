// Package scripts runs the test scripts of the commands, which all know the same
// tables and script commands.
package scripts

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Run runs the scripts of a directory for a program that testscript.Main knows.
// $BACKSOLVE_TABLES and $TABLES are the directory of the tables. The script
// commands are
//
//	status N ARGS…   runs the program and wants the exit status N
//	flip FILE OFFSET inverts a byte
//	cut FILE LENGTH  cuts a file short
func Run(t *testing.T, program, dir, tables string) {
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Setenv("BACKSOLVE_TABLES", tables)
			e.Setenv("TABLES", tables)
			e.Setenv("GORACE", "atexit_sleep_ms=0") // it would be a second for each script line
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus(program), "flip": flip, "cut": cut},
	})
}

func wantStatus(program string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		err := ts.Exec(program, args[1:]...)
		got := 0
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			got = exit.ExitCode()
		} else {
			ts.Check(err)
		}
		if strconv.Itoa(got) != args[0] {
			ts.Fatalf("exit status %d, want %s", got, args[0])
		}
	}
}

func flip(ts *testscript.TestScript, neg bool, args []string) {
	offset, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	data[offset] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

func cut(ts *testscript.TestScript, neg bool, args []string) {
	length, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), length))
}
