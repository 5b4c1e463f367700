// Package scripts tests programs by their help and by scripts, which all know the same
// tables and script commands.
package scripts

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
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

// TestMain runs the tests of a program's package. In them the program and the others are
// on the path.
func (p Program) TestMain(m *testing.M) {
	programs := map[string]func(){p.Root().Name(): p.Main}
	maps.Copy(programs, p.Others)
	testscript.Main(m, programs)
}

// Test checks the help of the program and runs the scripts in testdata. The environment has
// $BACKSOLVE_TABLES and $TABLES, the directory of the tables, and the given variables,
// NAME=VALUE. The condition root holds for a user who
// may write everywhere. The
// script commands, besides those of the program, are
//
//	status N PROGRAM ARGS…  runs a program and expects the exit status N, or one of N|M
//	flip FILE OFFSET        inverts a byte
//	cut FILE LENGTH         truncates a file
func (p Program) Test(t *testing.T, tables string, environment ...string) {
	t.Run("width", func(t *testing.T) { checkHelp(t, p.Root()) })
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

// valueWords are the words that help uses for values, in usage lines and of flags.
var valueWords = strings.Fields("N P PERCENT NUMBER BYTES DURATION WORD TEXT LIST FILE DIR URL ADDRESS NAME ORIGIN NAME=AGENT AGENT MOVES POSITION " +
	"BOARD GAME SIZE JOB TRAINING COMMAND A B [=archive]")

var capitals = regexp.MustCompile(`[A-Z]+(=[A-Z]+)?`)

// checkHelp checks that the help of a command and of those below it fits every width, that
// it speaks of values by the same words, and that no line of it is too long to be read.
func checkHelp(t *testing.T, cmd *cobra.Command) {
	t.Helper()
	for _, width := range []int{60, 80, 100} {
		for line := range strings.SplitSeq(cli.Help(cmd, width), "\n") {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%s: %d columns of %d: %s", cmd.CommandPath(), n, width, line)
			}
		}
	}
	words := capitals.FindAllString(cmd.Use, -1)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		word, usage := cli.FlagHelp(f)
		if strings.ContainsAny(usage, "`\n") {
			t.Errorf("%s --%s: %q", cmd.CommandPath(), f.Name, usage)
		}
		if word != "" {
			words = append(words, word)
		}
	})
	for _, word := range words {
		if !slices.Contains(valueWords, word) {
			t.Errorf("%s: %s is not among the words for values", cmd.CommandPath(), word)
		}
	}
	for _, c := range cmd.Commands() {
		checkHelp(t, c)
	}
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
