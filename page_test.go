package backsolve_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	table, err := backsolve.Solve(t.Context(), filepath.Join(user, "tables"), "quixo", 4, backsolve.Options{Steps: true})
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

// The commands in docs/reference/library.md that give a fork a path of its own leave no import of
// the old path, in any module.
func TestForkOfThePage(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil || testing.Short() {
		t.Skip("copies the sources; needs perl")
	}
	page, err := os.ReadFile("docs/reference/library.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^    (export MODULE=|find \. )(.*)$`).FindAllString(string(page), -1)
	if len(lines) != 3 {
		t.Fatalf("docs/reference/library.md has %d of the 3 commands", len(lines))
	}
	fork := t.TempDir()
	copySources(t, fork)
	cmd := exec.Command("sh", "-ec", strings.Join(lines, "\n"))
	cmd.Dir = fork
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	old := strings.TrimSpace(output(t, ".", "list", "-m"))
	modules, err := filepath.Glob(filepath.Join(fork, "*", "go.mod"))
	if err != nil || len(modules) < 2 {
		t.Fatalf("%q, %v", modules, err)
	}
	for _, file := range append(modules, filepath.Join(fork, "go.mod")) {
		dir := filepath.Dir(file)
		if got := strings.TrimSpace(output(t, dir, "list", "-m")); !strings.HasPrefix(got, "example.org/me/backsolve") {
			t.Errorf("the module in %s is called %s", dir, got)
		}
		// What other modules require may not have been downloaded: hence -e, and no -deps.
		const imports = "{{range .Imports}}{{println .}}{{end}}{{range .TestImports}}{{println .}}{{end}}{{range .XTestImports}}{{println .}}{{end}}"
		for path := range strings.Lines(output(t, dir, "list", "-e", "-f", imports, "./...")) {
			if path = strings.TrimSpace(path); path == old || strings.HasPrefix(path, old+"/") {
				t.Errorf("%s still imports %s", dir, path)
			}
		}
	}
	output(t, fork, "list", "-test", "-deps", "./...") // fails where an import leads nowhere
}

// copySources copies what go list reads of this repository.
func copySources(t *testing.T, to string) {
	t.Helper()
	skipped := []string{".git", "bin", "docs", "node_modules", "share", "tables", "testdata"}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(skipped, d.Name()):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		case !d.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), data, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
