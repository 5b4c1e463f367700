package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"backsolve/cmd/cli/scripts"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 4), 0, false)
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 3), 0, true)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 5), 1<<12, true) // after c3
	whole := probetest.Open(t, probetest.Rules(t, "notakto", 4), 0, false)
	opening, _ := probetest.Opening(t, whole, 2) // of two classes of nine
	data, err := os.ReadFile(opening.Stored().Path())
	if err != nil {
		t.Fatal(err)
	}
	openings := filepath.Join(tables, "opening")
	if err := errors.Join(os.Mkdir(openings, 0o777), os.WriteFile(filepath.Join(openings, "notakto-4x4.tb"), data, 0o644)); err != nil {
		t.Fatal(err)
	}
	grundy := filepath.Join(tables, "grundy")
	if err := os.Mkdir(grundy, 0o777); err != nil {
		t.Fatal(err)
	}
	probetest.Solve(t, grundy, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.SolveNimbers(t, grundy, probetest.Rules(t, "notakto", 3))
	probetest.SolveNimbers(t, grundy, probetest.Rules(t, "notakto", 4))
	program.Test(t, tables)
}

// Ctrl-C ends a run that waits for input.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "notakto", 2), 0, false)
	cmd := exec.Command("tbquery", "notakto", "2", "--dir", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := io.WriteString(in, "../..\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1<<10)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit status %d", got)
	}
}
