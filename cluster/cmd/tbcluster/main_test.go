package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/scripts"
	"backsolve/cmd/solving"
	"backsolve/internal/machine"
	"backsolve/partition/spacetest"
	"backsolve/tablebase"
)

var tests = scripts.Program{Main: main, Root: newRoot, Others: map[string]func(){"tbcluster-next": nextVersion, "tbsolve": one}}

func TestMain(m *testing.M) { tests.TestMain(m) }

// one is tbsolve, as far as it solves.
func one() { cli.Main(solving.Command("tbsolve", nil), cli.TableStatus) }

// nextVersion runs tbcluster as if it had another version.
func nextVersion() {
	programVersion = func() string { return "next" }
	main()
}

func TestScripts(t *testing.T) {
	t.Setenv("NATS_URL", "")
	tests.Test(t, "")
}

// program returns a command that runs this test binary as a program.
func program(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Args[0] = name
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // it would be a second for each process
	return cmd
}

func tbcluster(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return program(t, "tbcluster", args...)
}

// output runs tbcluster to its end.
func output(t *testing.T, args ...string) string {
	t.Helper()
	return outputOf(t, tbcluster(t, args...))
}

// byOne solves by one process.
func byOne(t *testing.T, args ...string) {
	t.Helper()
	outputOf(t, program(t, "tbsolve", args...))
}

func outputOf(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", strings.Join(cmd.Args, " "), err, stderrOf(err))
	}
	return string(out)
}

func stderrOf(err error) string {
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return string(exit.Stderr)
	}
	return ""
}

// waitForClass waits until a class of the table is in the partial file.
func waitForClass(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if machine.FileSize(path+tablebase.PartialSuffix) > 1<<12 || machine.FileSize(path) > 0 {
			return // or the whole table was, before anybody could look
		}
	}
	t.Fatal("in a minute no class is finished")
}

var newSpace = spacetest.New
