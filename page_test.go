package backsolve_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"backsolve"
)

// The program in docs/reference/library.md builds in a module of its own that has this one by a
// replace directive, and prints what stands there.
func TestProgramOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program, and solves Quixo 4×4")
	}
	page, err := os.ReadFile("docs/reference/library.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile("(?s)```go\n(.*?)```\n.*?```\n(.*?)```\n").FindStringSubmatch(string(page))
	if parts == nil {
		t.Fatal("docs/reference/library.md has no program with what it prints")
	}
	user := t.TempDir()
	table, err := backsolve.Solve(t.Context(), filepath.Join(user, "tables"), "quixo 4", backsolve.Options{Steps: true})
	if err != nil {
		t.Fatal(err)
	}
	table.Close()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(user, "main.go"), []byte(parts[1]), 0o644),
		os.WriteFile(filepath.Join(user, "go.mod"), []byte("module example.org/user\n"), 0o644),
		os.WriteFile(filepath.Join(user, "go.sum"), sums, 0o644), // tidy would get them from the net
	)
	if err != nil {
		t.Fatal(err)
	}
	module := strings.TrimSpace(output(t, here, "list", "-m"))
	output(t, user, "mod", "edit", "-go=1.26", "-require="+module+"@v0.0.0", "-replace="+module+"="+here)
	if got := output(t, user, "run", "-mod=mod", "."); got != parts[2] {
		t.Errorf("it prints\n%swant\n%s", got, parts[2])
	}
}

// output runs the go command in a directory, without the net.
func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("go %s: %s", strings.Join(args, " "), exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
