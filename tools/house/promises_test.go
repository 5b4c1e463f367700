package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// quoted is what stands between backquotes in a page.
	quoted = regexp.MustCompile("`([^`\n]+)`")
	// testName is a name of a test or of a script of commands.
	testName = regexp.MustCompile(`^(?:(?:Test|Fuzz)[A-Z]\w*|[\w-]+\.txtar)$`)
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
)

// tests returns the names of all tests and scripts with the folders, below the
// root, that they are in.
func tests(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		}
		below, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(below)
		switch {
		case strings.HasSuffix(path, ".txtar"):
			found[d.Name()] = append(found[d.Name()], folder)
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, name := range declared.FindAllStringSubmatch(string(text), -1) {
				found[name[1]] = append(found[name[1]], folder)
			}
		}
		return nil
	})
	if err != nil || len(found) < 100 {
		t.Fatalf("%d tests were found: %v", len(found), err)
	}
	return found
}

// missing returns what a row of promises names that is not there: a test that is
// not in the folder named before it, or below that.
func missing(row string, found map[string][]string) (all []string) {
	folder := ""
	for _, q := range quoted.FindAllStringSubmatch(row, -1) {
		word := q[1]
		if !testName.MatchString(word) {
			folder = word
			continue
		}
		there := false
		for _, at := range found[word] {
			there = there || at == folder || strings.HasPrefix(at, folder+"/")
		}
		if !there {
			all = append(all, folder+": "+word)
		}
	}
	return all
}

// Every promise that docs/testing.md lists names a test at least, and all that are
// named are there. Tests that other pages name are somewhere.
func TestPromisesAreHeld(t *testing.T) {
	found := tests(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range quoted.FindAllStringSubmatch(string(text), -1) {
			if testName.MatchString(q[1]) && len(found[q[1]]) == 0 {
				t.Errorf("%s names %s, which is nowhere", filepath.Base(path), q[1])
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, promises, _ := strings.Cut(string(page), "| promise | said in | held by |\n|---|---|---|\n")
	promises, _, _ = strings.Cut(promises, "\n\n")
	rows := strings.Split(promises, "\n")
	if len(rows) < 50 {
		t.Errorf("docs/testing.md lists %d promises", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "|"), " | ")
		if len(cells) != 3 || !strings.Contains(cells[2], "`") {
			t.Errorf("nothing holds: %s", row)
			continue
		}
		for _, name := range missing(cells[2], found) {
			t.Errorf("%s is not there, which holds: %s", name, cells[0])
		}
	}
}

func TestMissing(t *testing.T) {
	found := map[string][]string{"TestA": {"game", "game/quixo"}, "TestB": {"retro/outofcore"}, "a.txtar": {"cmd/tbquery/testdata"}}
	row := "`game`: `TestA`, `TestB`; `retro`: `TestB`, `TestC`; `ret`: `TestB`; `cmd/tbquery`: `a.txtar`, `b.txtar`"
	if got, want := strings.Join(missing(row, found), "; "), "game: TestB; retro: TestC; ret: TestB; cmd/tbquery: b.txtar"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
