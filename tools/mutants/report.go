package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// equivalent is a mutant that nobody can tell from the code as it is.
type equivalent struct {
	File   string `json:"file"`
	Func   string `json:"func"`
	Text   string `json:"text"` // of the line
	Change string `json:"change"`
	Reason string `json:"reason"`
}

// readEquivalents reads a list of them, a line of JSON each.
func readEquivalents(root, path string) ([]equivalent, error) {
	f, err := os.Open(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []equivalent
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e equivalent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.File == "" || e.Reason == "" {
			return nil, fmt.Errorf("%s has a line that is no mutant with a reason: %.80q", path, lines.Bytes())
		}
		all = append(all, e)
	}
	return all, nil
}

// is reports whether a mutant is the one that is listed.
func (e *equivalent) is(m *mutant) bool {
	return e.File == m.File && e.Func == m.Func && e.Text == m.Text && e.Change == m.Change
}

// tally counts the mutants of a package by what became of them.
type tally struct{ all, notViable, killed, timedOut, equivalent, survived int }

func (t *tally) add(fate string, same bool) {
	t.all++
	switch {
	case fate == notViable:
		t.notViable++
	case fate == killed:
		t.killed++
	case fate == timedOut:
		t.timedOut++
	case same:
		t.equivalent++
	default:
		t.survived++
	}
}

// share returns how many of the mutants that could be found were, in percent.
func (t *tally) share() string {
	found := t.killed + t.timedOut
	if found+t.survived == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(found)/float64(found+t.survived))
}

// report writes a table of all results in the log, and what has survived.
func report(log *logFile, same []equivalent) string {
	byPackage := map[string]*tally{}
	var sum tally
	var survivors strings.Builder
	for _, key := range log.order {
		r := log.results[key]
		if r == nil {
			continue // to be tried again
		}
		listed := slices.ContainsFunc(same, func(e equivalent) bool { return e.is(&r.mutant) })
		if byPackage[r.Package] == nil {
			byPackage[r.Package] = &tally{}
		}
		byPackage[r.Package].add(r.Fate, listed)
		sum.add(r.Fate, listed)
		if r.Fate == survived && !listed {
			fmt.Fprintf(&survivors, "- %s:%d, %s: `%s`: %s\n", r.File, r.Line, r.Func, r.Text, r.Change)
		}
	}
	var b strings.Builder
	b.WriteString("| package | mutants | do not compile | a test fails | a test hangs | equivalent | survive | found of those that differ |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		byPackage[pkg].row(&b, pkg)
	}
	sum.row(&b, "all")
	if survivors.Len() > 0 {
		b.WriteString("\n" + survivors.String())
	}
	return b.String()
}

func (t *tally) row(b *strings.Builder, name string) {
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d | %s |\n", name, t.all, t.notViable, t.killed, t.timedOut, t.equivalent, t.survived, t.share())
}
