package main_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// makeTarget runs make like a user.
func makeTarget(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command("make", append([]string{"-C", "../..", "--no-print-directory"}, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}, name)
	})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestInstalled checks that pkg-config finds the installed library, and that make uninstall
// removes all of it.
func TestInstalled(t *testing.T) {
	l := newLibrary(t)
	if runtime.GOOS == "windows" {
		t.Skip("make installs nothing on Windows")
	}
	if _, err := exec.LookPath("pkg-config"); err != nil {
		t.Skip("no pkg-config is there")
	}
	stage := t.TempDir()
	places := []string{"DESTDIR=" + stage, "PREFIX=/opt/here"}
	makeTarget(t, append(places, "install-library")...)

	prefix := filepath.Join(stage, "opt", "here")
	t.Setenv("PKG_CONFIG_PATH", filepath.Join(prefix, "lib", "pkgconfig"))
	if out, complaint, status := run(t, "pkg-config", "--variable=prefix", "backsolve"); status != 0 || out != "/opt/here\n" {
		t.Errorf("the prefix is %q, %s(%d)", out, complaint, status)
	}
	flags, complaint, status := run(t, "pkg-config", "--define-variable=prefix="+prefix, "--cflags", "--libs", "backsolve")
	if status != 0 {
		t.Fatalf("%s(%d)", complaint, status)
	}
	program := compile(t, "examples/probe.c", append(strings.Fields(flags), "-Wl,-rpath,"+filepath.Join(prefix, "lib"))...)
	l.answers(t, func(table, position string) (string, string, int) { return run(t, program, table, position) })
	version, _, _ := run(t, "pkg-config", "--modversion", "backsolve")
	if got, _, _ := run(t, program, "--version"); strings.TrimPrefix(got, "v") != version {
		t.Errorf("the library is of version %q, and installed as %q", got, version)
	}

	makeTarget(t, append(places, "uninstall")...)
	err := filepath.WalkDir(stage, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			err = errors.New(path + " is left behind")
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
