// Package scripts tests programs by scripts, which all know the same tables and script commands.
package scripts

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

// Program is a program under test.
type Program struct {
	// Main runs the program, and Root returns its command.
	Main func()
	Root func() *cobra.Command
	// Others are further programs that scripts run, by their names.
	Others map[string]func()
	// Commands are further script commands, by their names.
	Commands map[string]func(ts *testscript.TestScript, neg bool, args []string)
}

// TestMain runs the tests of a program's package, with the program and the others on the path.
func (p Program) TestMain(m *testing.M) {
	programs := map[string]func(){p.Root().Name(): p.Main}
	maps.Copy(programs, p.Others)
	testscript.Main(m, programs)
}

// Test runs the scripts in testdata, with $BACKSOLVE_TABLES and $TABLES, the directory of the tables, and the given variables,
// NAME=VALUE. The condition root holds for a user who may write everywhere. Besides those of the program, the commands are
//
//	status N PROGRAM ARGS…  runs a program and expects the exit status N, or one of N|M
//	flip FILE OFFSET        inverts a byte
//	cut FILE LENGTH         truncates a file
func (p Program) Test(t *testing.T, tables string, environment ...string) {
	commands := map[string]func(*testscript.TestScript, bool, []string){"status": wantStatus, "flip": flip, "cut": cut}
	maps.Copy(commands, p.Commands)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "", // writes what is printed into the scripts
		Setup: func(e *testscript.Env) error {
			// The race detector makes every process wait a second at its end.
			e.Vars = append(e.Vars, "BACKSOLVE_TABLES="+tables, "TABLES="+tables, "GORACE=atexit_sleep_ms=0")
			e.Vars = append(e.Vars, environment...)
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, errors.New("there is no condition " + name)
		},
		Cmds: commands,
	})
}

func wantStatus(ts *testscript.TestScript, _ bool, args []string) {
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if !slices.Contains(strings.Split(args[0], "|"), strconv.Itoa(got)) {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

func flip(ts *testscript.TestScript, _ bool, args []string) {
	offset, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := []byte(ts.ReadFile(args[0]))
	data[offset] ^= 0xff
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

func cut(ts *testscript.TestScript, _ bool, args []string) {
	length, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), length))
}
