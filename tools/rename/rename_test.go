package main

import (
	"bytes"
	"errors"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backsolve/cmd/cli"
)

// root is the directory of the module.
const root = "../.."

// fork is where the module goes in these tests.
const fork = "example.org/me/fork"

// copied copies the module into a new directory, without what is built.
func copied(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	from := &renaming{dir: root}
	err := from.each(func(path string) error {
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		path = filepath.Join(to, below)
		return errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, data, 0o644))
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// contents returns all files of a directory by their paths.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// renameTo renames a module and returns in how many files.
func renameTo(t *testing.T, dir, path string) int {
	t.Helper()
	r, err := newRenaming(dir, path)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := r.run()
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// output runs a command in a directory and returns what it prints.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// The whole module, renamed, is one that builds, passes tests and has its version set;
// and renamed back it has the bytes that it had.
func TestRename(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a copy of the module")
	}
	dir := copied(t)
	data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	old := regexp.MustCompile(`(?m)^module (.+)$`).FindStringSubmatch(string(data))[1]
	before := contents(t, dir)
	if changed := renameTo(t, dir, fork); changed < 100 {
		t.Errorf("%d files are changed", changed)
	}

	// Every import of every package and test leads somewhere, and none to the old path.
	for _, module := range []string{dir, filepath.Join(dir, "learn"), filepath.Join(dir, "tools")} {
		list := output(t, module, "go", "list", "-test", "-f", `{{range .Imports}}{{println .}}{{end}}`, "./...")
		for path := range strings.FieldsSeq(list) {
			if path == old || strings.HasPrefix(path, old+"/") {
				t.Errorf("%s is still imported", path)
			}
		}
		if deps := output(t, module, "go", "list", "-deps", "-test", "./..."); !strings.Contains(deps, fork+"/probe\n") {
			t.Errorf("the packages of the fork are not among\n%s", deps)
		}
	}
	for path, text := range contents(t, dir) {
		if !strings.HasSuffix(path, ".go") || text == before[path] {
			continue
		}
		if formatted, err := format.Source([]byte(text)); err != nil || !bytes.Equal(formatted, []byte(text)) {
			t.Errorf("%s is not formatted: %v", path, err)
		}
	}
	// The version is set in a package that is there: that of the programs.
	made := output(t, dir, "make", "-n", "build")
	set := regexp.MustCompile(`-X (\S+)\.version=`).FindStringSubmatch(made)
	if set == nil || set[1] != fork+"/cmd/cli" {
		t.Errorf("the version is set in %q by\n%s", set, made)
	}
	tested := []string{"./game/games"}
	if os.Getenv("BACKSOLVE_LONG") != "" {
		tested = append(tested, ".")
	}
	output(t, dir, "go", append([]string{"test", "-count=1"}, tested...)...)
	output(t, filepath.Join(dir, "tools"), "go", "test", "-count=1", "-run", "TestPicture|TestFaults|TestCountCalls", "./house")

	renameTo(t, dir, old)
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("renamed there and back (-before +after):\n%s", diff)
	}
}

// small makes a module with a tool in a module of its own.
func small(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for path, text := range map[string]string{
		"go.mod":       "module old\n\ngo 1.26\n",
		"root.go":      "package old\n",
		"a/b/b.go":     "package b\n",
		"tools/go.mod": "module old/tools\n\ngo 1.26\n\nrequire (\n\tolder v1.0.0\n\told v0.0.0\n)\n\nreplace old => ../\n",
		"tools/t/t.go": "package main\n\nimport (\n\t\"old\"\n\tx \"old/a/b\"\n\t\"older\"\n)\n\n// See old/a/b.\nvar p, q = \"old/a/b\", \"old\"\n",
		"page.md":      "    import \"old\"\n\nold, \"old\", `old/a/b`, old/a/c, /old/a/b, x.old/a/b and -X old/a/b.version=1\n",
		"bin/page.md":  "old/a/b\n",
		"a/bin/b.md":   "old/a/b\n",
		"picture.png":  "\x00old/a/b",
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What is ours is renamed, and nothing else.
func TestSmall(t *testing.T) {
	dir := small(t)
	before := contents(t, dir)
	if changed := renameTo(t, dir, "new.org/x"); changed != 5 {
		t.Errorf("%d files are changed", changed)
	}
	want := map[string]string{}
	for path, text := range before {
		want[path] = text
	}
	in := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path)) }
	want[in("go.mod")] = "module new.org/x\n\ngo 1.26\n"
	want[in("tools/go.mod")] = "module new.org/x/tools\n\ngo 1.26\n\nrequire (\n\tolder v1.0.0\n\tnew.org/x v0.0.0\n)\n\nreplace new.org/x => ../\n"
	want[in("tools/t/t.go")] = "package main\n\nimport (\n\t\"new.org/x\"\n\tx \"new.org/x/a/b\"\n\t\"older\"\n)\n\n// See new.org/x/a/b.\nvar p, q = \"new.org/x/a/b\", \"old\"\n"
	want[in("page.md")] = "    import \"new.org/x\"\n\nold, \"old\", `new.org/x/a/b`, old/a/c, /old/a/b, x.old/a/b and -X new.org/x/a/b.version=1\n"
	want[in("a/bin/b.md")] = "new.org/x/a/b\n"
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	dir := small(t)
	before := contents(t, dir)
	for _, path := range []string{"", "old", "a b", "/x", "x/", "-x", "a//b", "../x"} {
		if _, err := newRenaming(dir, path); !errors.Is(err, errPath) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := newRenaming(t.TempDir(), "new"); err == nil || !strings.Contains(err.Error(), "--dir") {
		t.Errorf("no module: %v", err)
	}
	for _, args := range [][]string{{}, {""}, {"a", "b"}, {"old", "--dir", dir}} {
		cmd := newCommand()
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		var usage *cli.UsageError
		if err := cmd.Execute(); !errors.As(err, &usage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("what is refused changes files:\n%s", diff)
	}
}

// The command says what it did.
func TestCommand(t *testing.T) {
	dir := small(t)
	var out bytes.Buffer
	cmd := newCommand()
	cmd.SetOut(&out)
	cmd.SetArgs([]string{"new", "--dir", dir})
	if err := cmd.Execute(); err != nil || out.String() != "old is now new, in 5 files; try it with: make build\n" {
		t.Errorf("%v: %s", err, out.String())
	}
	if !slices.Contains(strings.Fields(contents(t, dir)[filepath.Join(dir, "go.mod")]), "new") {
		t.Error("nothing was renamed")
	}
}
