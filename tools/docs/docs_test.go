//go:build unix

package docs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the directory of the project.
const root = "../.."

// TestDocs follows every page after make demo: it runs each block of commands in order and
// compares the output with what the page shows. The log lists what is left out. It also runs the
// examples in the help of the programs.
func TestDocs(t *testing.T) {
	for _, tool := range []string{"bash", "make"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	programs, tables := programs(t), t.TempDir()
	for _, board := range [][]string{{"notakto", "6"}, {"quixo", "4", "--steps"}} {
		do(t, filepath.Join(programs, "tbsolve"), append(board, "--dir", tables)...)
	}
	t.Run("examples", func(t *testing.T) {
		t.Parallel()
		runExamples(t, programs, tables)
	})
	pages := pages(t)
	t.Run("results", func(t *testing.T) {
		t.Parallel()
		planResults(t, programs, pages["README.md"])
		planJobs(t, programs, pages["docs/howto/batch.md"])
	})
	for _, path := range slices.Sorted(maps.Keys(pages)) {
		t.Run(strings.TrimSuffix(strings.TrimPrefix(path, "docs/"), ".md"), func(t *testing.T) {
			t.Parallel()
			blocks, err := parse(pages[path])
			if err != nil {
				t.Fatal(err)
			}
			dir := ""
			if slices.ContainsFunc(blocks, (*block).runs) {
				dir = t.TempDir()
				furnish(t, dir, programs, tables)
			}
			for _, problem := range follow(dir, blocks, t.Logf) {
				t.Error(problem)
			}
		})
	}
}

// plan is what tbsolve plans for a command line, whether or not that fits here now.
type plan struct {
	Memory  int64  `json:"memory_bytes"`
	Allowed int64  `json:"memory_allowed_bytes"`
	Disk    int64  `json:"disk_bytes"`
	Work    string `json:"work"`
}

func planned(t *testing.T, programs, arguments string) (p plan) {
	t.Helper()
	args := append(strings.Fields(arguments), "--plan", "--json", "--dir", t.TempDir())
	out, _ := exec.Command(filepath.Join(programs, "tbsolve"), args...).Output() // fails where it does not fit
	if err := json.Unmarshal(out, &p); err != nil {
		t.Fatalf("%s: %v\n%s", arguments, err, out)
	}
	return p
}

// planResults plans each solve in the README's table of results: it must need the memory and
// disk that its row has.
func planResults(t *testing.T, programs, page string) {
	row := regexp.MustCompile("(?m)^\\| `([a-z]+ \\d[^`]*)` \\|.* (\\d+) GiB \\| (\\d+) GiB \\|$")
	rows := row.FindAllStringSubmatch(page, -1)
	if len(rows) < 3 {
		t.Errorf("the table has %d rows", len(rows))
	}
	gib := func(bytes int64) string { return strconv.FormatInt((bytes+1<<30-1)>>30, 10) }
	for _, found := range rows {
		p := planned(t, programs, found[1])
		raw := p.Work == "raw" // with more disk than the row has, work files need not be packed
		if need, _ := strconv.ParseInt(found[2], 10, 64); p.Allowed < need<<30 {
			t.Logf("%s: only %s GiB are free here", found[1], gib(p.Allowed))
			continue
		}
		if memory, disk := gib(p.Memory), gib(p.Disk); memory != found[2] || disk != found[3] && !raw {
			t.Errorf("%s takes %s GiB of memory and %s GiB of disk", found[1], memory, disk)
		}
	}
}

// planJobs plans the solves of the scripts and units on the page on batch jobs.
func planJobs(t *testing.T, programs, page string) {
	jobs := regexp.MustCompile(`(?m)^(?:exec |ExecStart=/usr/local/bin/)tbsolve (.*)$`).FindAllStringSubmatch(page, -1)
	if len(jobs) != 2 {
		t.Errorf("the page has %d jobs", len(jobs))
	}
	for _, job := range jobs {
		if p := planned(t, programs, job[1]); p.Memory > 24<<30*3/4 {
			t.Errorf("%s takes %d bytes of memory", job[1], p.Memory)
		}
	}
}

// pages returns the text of all pages by their paths below root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	skip := []string{"node_modules", "testdata", "bin", "dist", "share"}
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains(skip, name)):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		all[strings.TrimPrefix(filepath.ToSlash(path), root+"/")] = string(text)
		return err
	})
	if err != nil || len(all) < 10 {
		t.Fatalf("%d pages: %v", len(all), err)
	}
	return all
}

// programs returns the directory of the programs: $BACKSOLVE_BIN, else they are built.
func programs(t *testing.T) string {
	t.Helper()
	if given := os.Getenv("BACKSOLVE_BIN"); given != "" {
		dir, err := filepath.Abs(given)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dir := t.TempDir()
	for _, commands := range [][]string{{".", "./cmd/tb..."}, {"cluster", "./cmd/..."}, {"mcp", "./cmd/..."}, {"research", "./cmd/..."}, {"tools", "./bench"}} {
		do(t, "go", "build", "-C", filepath.Join(root, commands[0]), "-buildvcs=false", "-o", dir+string(filepath.Separator), commands[1])
	}
	return dir
}

func do(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// furnish fills a directory as make demo leaves the project's: with links to its files, and
// copies of the files that pages write to.
func furnish(t *testing.T, dir, programs, tables string) {
	t.Helper()
	link := func(from, to string, skip ...string) error {
		entries, err := os.ReadDir(from)
		for _, e := range entries {
			if err == nil && !slices.Contains(skip, e.Name()) {
				err = os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name()))
			}
		}
		return err
	}
	project, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	compiler, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	err = errors.Join(
		link(project, dir, ".git", "bin", "dist", "share", "docs", "tables"),
		os.CopyFS(filepath.Join(dir, "docs"), os.DirFS(filepath.Join(project, "docs"))),
		os.CopyFS(filepath.Join(dir, "tables"), os.DirFS(tables)),
		os.Mkdir(bin, 0o755),
		link(programs, bin, "wasm", "tests", "libbacksolve.so"),
		// What make builds is there already, but for the library and the prober for browsers.
		os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\ncase \"$*\" in *'-o bin/ '* | *'-o ../bin/ '*) exit ;; esac\nexec '"+compiler+"' \"$@\"\n"), 0o755),
		// Curl shows a meter where there is no terminal.
		os.WriteFile(filepath.Join(dir, ".curlrc"), []byte("silent\nshow-error\n"), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
}
