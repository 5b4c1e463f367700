package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"backsolve"
)

// library is the C library with what its tests need; make check-library builds it and skips what
// the machine lacks.
type library struct {
	path    string // of the shared library
	tbquery string
	tables  string // has tables of Quixo 3×3 with steps and of Notakto 3×3 with nimbers
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	path, programs := os.Getenv("BACKSOLVE_LIBRARY"), os.Getenv("BACKSOLVE_BIN")
	if path == "" || programs == "" {
		t.Skip("run it by make check-library, which builds the library")
	}
	l := &library{path: path, tbquery: filepath.Join(programs, "tbquery"), tables: t.TempDir()}
	if runtime.GOOS == "windows" {
		l.tbquery += ".exe"
	}
	for name, steps := range map[string]bool{"quixo": true, "notakto": false} {
		table, err := backsolve.Solve(t.Context(), l.tables, name+" 3", backsolve.Options{Steps: steps, Nimbers: !steps})
		if err != nil {
			t.Fatal(err)
		}
		table.Close()
	}
	return l
}

// table returns the path of a table.
func (l *library) table(name string) string { return filepath.Join(l.tables, name+"-3x3.tb") }

// compile builds a C program with the library.
func (l *library) compile(t *testing.T, source string) string {
	t.Helper()
	dir := filepath.Dir(l.path)
	return compile(t, source, "-I../../include", "-L"+dir, "-lbacksolve", "-Wl,-rpath,"+dir)
}

// compile builds a C program, as C11 without warnings, with flags for the library and its
// header.
func compile(t *testing.T, source string, where ...string) string {
	t.Helper()
	compiler, err := exec.Command("go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	cc := strings.Fields(string(compiler))
	if _, err := exec.LookPath(cc[0]); err != nil {
		t.Skip("no C compiler is there")
	}
	program := filepath.Join(t.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	flags := slices.Concat(cc[1:], []string{"-std=c11", "-pedantic", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", program, source}, where)
	if out, err := exec.Command(cc[0], flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// run runs a command and returns its standard output, or standard error on failure, and its
// exit status.
func run(t *testing.T, name string, args ...string) (out, complaint string, status int) {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return string(stdout), stderr.String(), exit.ExitCode()
	case err != nil:
		t.Fatal(err)
	}
	return string(stdout), stderr.String(), 0
}

// asked are positions of the games, and texts that are none.
var asked = map[string][]string{
	"quixo": {
		".../.../... x", "X.O/.X./..O x", "XO./.../..X o", "XXX/OOO/... o", "XX./XX./..O o", "OOX/XOX/XOO x",
		"X", "", ".../.../... X", "äöü",
	},
	"notakto": {".../.../...", "XX./XX./..X", "X../.X./..X", "XX./.../XX.", "O../.../..."},
}

// answers compares an example with tbquery: answers, error messages and exit statuses are the
// same.
func (l *library) answers(t *testing.T, ask func(table, position string) (out, complaint string, status int)) {
	t.Helper()
	answered := 0
	for name, positions := range asked {
		for _, p := range positions {
			want, wantComplaint, wantStatus := run(t, l.tbquery, name, "3", p, "--dir", l.tables, "--think", "0")
			// The example draws no board.
			if _, after, drawn := strings.Cut(want, "\noutcome "); drawn {
				want = "outcome " + after
				answered++
			}
			out, complaint, status := ask(l.table(name), p)
			if out != want || complaint != wantComplaint || status != wantStatus {
				t.Errorf("%s %q: %s%s(%d)\nwant\n%s%s(%d)", name, p, out, complaint, status, want, wantComplaint, wantStatus)
			}
		}
	}
	if answered < 8 {
		t.Errorf("tbquery answers only %d of the positions", answered)
	}
	// Errors of a file that is no table have only the path in common.
	for file, want := range map[string]int{filepath.Join(l.tables, "none.tb"): 3, os.DevNull: 4} {
		if out, complaint, status := ask(file, "../.. x"); out != "" || status != want || !strings.Contains(complaint, file) {
			t.Errorf("%s: %s%s(%d), want status %d", file, out, complaint, status, want)
		}
	}
}

func TestExampleInC(t *testing.T) {
	l := newLibrary(t)
	program := l.compile(t, "examples/probe.c")
	l.answers(t, func(table, position string) (string, string, int) { return run(t, program, table, position) })
	want, _, _ := run(t, l.tbquery, "--version")
	if got, _, status := run(t, program, "--version"); status != 0 || !strings.HasPrefix(want, "tbquery version "+strings.TrimSpace(got)+" ") {
		t.Errorf("the library is of version %q, and %q", got, want)
	}
}

// TestMisuse misuses the library, also from many threads.
func TestMisuse(t *testing.T) {
	l := newLibrary(t)
	program := l.compile(t, "testdata/misuse.c")
	data, err := os.ReadFile(l.table("quixo"))
	if err != nil {
		t.Fatal(err)
	}
	spoilt := filepath.Join(t.TempDir(), "copy.tb")
	if err := os.WriteFile(spoilt, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, complaint, status := run(t, program, l.table("quixo"), spoilt); status != 0 || out != "nothing is wrong\n" {
		t.Errorf("%s%s(%d)", out, complaint, status)
	}
}

// TestNumbersInPython compares the numbers in the Python package with the header.
func TestNumbersInPython(t *testing.T) {
	header, err := os.ReadFile("../../include/backsolve.h")
	if err != nil {
		t.Fatal(err)
	}
	python, err := os.ReadFile("../../python/backsolve/_library.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"API", "MAX_MOVES", "MESSAGE_SIZE", "POSITION_SIZE", "LEAVE"} {
		m := regexp.MustCompile(`(?m)^#define BACKSOLVE_` + name + ` \(?(-?\d+)\b`).FindSubmatch(header)
		if m == nil {
			t.Fatalf("the header has no %s", name)
		}
		if line := "\n" + name + " = " + string(m[1]) + "\n"; !strings.Contains(string(python), line) {
			t.Errorf("the package has no %q", line)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^int backsolve_(\w+)\(`).FindAllSubmatch(header, -1) {
		if name := string(m[1]); name != "probe_masks" && !strings.Contains(string(python), `    "`+name+`": (`) {
			t.Errorf("the package does not use backsolve_%s", name)
		}
	}
}
