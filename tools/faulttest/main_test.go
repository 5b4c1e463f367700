// Package faulttest holds the tests of what becomes of a solve, a pack or an unpack
// that is killed, meets a failing disk, or loses its power. They drive the real
// tbsolve; afterwards the same command must end with the bytes of an undisturbed
// run, and nothing else may be left beside them.
//
// A kill comes at any moment or at a chosen system call; an error at each of the
// calls that change files, and in small jobs also at each that reads. A power cut
// is a copy of the directory in which some of what was not synced has been dropped
// or torn (Disk).
//
// make check runs a sample of all, make test-long, with BACKSOLVE_LONG=1, all.
// What a case does follows from its name and number alone; one that fails names
// the command that repeats it.
package faulttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// tbsolve is the path of the program, and untraceable says why it cannot be
// traced, if so.
var (
	tbsolve     string
	untraceable error
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == program {
		if err := writeAll(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		fmt.Println("done")
		os.Exit(0)
	}
	status, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// build builds the program, looks whether it can be traced, and runs the tests.
func build(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "faulttest")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	tbsolve = filepath.Join(dir, "tbsolve")
	if given := os.Getenv("BACKSOLVE_BIN"); given != "" {
		if tbsolve, err = filepath.Abs(filepath.Join(given, "tbsolve")); err != nil {
			return 1, err
		}
	} else if out, err := exec.Command("go", "build", "-C", "../..", "-o", tbsolve, "./cmd/tbsolve").CombinedOutput(); err != nil {
		return 1, fmt.Errorf("tbsolve cannot be built: %w\n%s", err, out)
	}
	_, err = Run(Command{Dir: dir, Args: []string{tbsolve, "--version"}, Env: os.Environ()}, Fault{})
	if err != nil && !errors.Is(err, ErrUnavailable) {
		return 1, err
	}
	untraceable = err
	return m.Run(), nil
}

// long reports whether all cases are to be run.
func long() bool { return os.Getenv("BACKSOLVE_LONG") != "" }

// needsTracer skips a test where programs cannot be traced.
func needsTracer(t *testing.T) {
	t.Helper()
	if untraceable != nil {
		t.Skip("system calls can be followed on Linux and amd64 alone, where ptrace is permitted: ", untraceable)
	}
}
