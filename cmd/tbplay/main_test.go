package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"backsolve/cmd/cli/scripts"
	"backsolve/internal/player/zero/untrained"
	"backsolve/internal/probe/probetest"
)

var program = scripts.Program{Main: main, Root: newCommand}

func TestMain(m *testing.M) { program.TestMain(m) }

func TestScripts(t *testing.T) {
	tables := t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "quixo", 3), 0, true)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 3), 0, true)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 4), 0, false)
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 5), 1<<12, true) // after c3
	untrained.Save(t, "notakto", 3, filepath.Join(tables, "net.weights"))
	untrained.Save(t, "othello", 4, filepath.Join(tables, "discs.weights"))
	program.Test(t, tables)
}

// A signal ends a run that waits for input.
func TestSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be interrupted there")
	}
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		cmd := exec.Command("tbplay", "notakto", "8")
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
		io.WriteString(in, "isready\n")
		if answer, err := io.ReadAll(io.LimitReader(out, 8)); string(answer) != "readyok\n" {
			t.Fatalf("%q, %v", answer, err)
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Errorf("%v: exit status %d, want %d", signal, got, want)
		}
	}
}

// timeOfMove is what a move has taken, and how fast that is.
var timeOfMove = regexp.MustCompile(` time \d+ nps \d+`)

// It plays the same games by a table on a web server.
func TestTablesOnAWebServer(t *testing.T) {
	dir := t.TempDir()
	probetest.Solve(t, dir, probetest.Rules(t, "quixo", 3), 0, true)
	s := httptest.NewServer(http.FileServerFS(os.DirFS(dir)))
	defer s.Close()
	play := func(dir string) string {
		cmd := exec.Command("tbplay", "quixo", "3", "--policy", "shortest", "--seed", "7", "--dir", dir)
		cmd.Stdin = strings.NewReader("position startpos\ngo\nposition fen X.O/.X./..O o\ngo\nquit\n")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return timeOfMove.ReplaceAllString(string(out), "")
	}
	if got, want := play(s.URL), play(dir); got != want || strings.Count(want, "bestmove") != 2 {
		t.Errorf("%q, want %q", got, want)
	}
}
