package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The fates of mutants, in the order of the report.
const (
	notViable  = "not viable"
	killed     = "killed"
	timedOut   = "timed out"
	equivalent = "equivalent"
	survived   = "survived"
)

// result is what became of a mutant, a line of the log.
type result struct {
	mutant
	Key     string  `json:"key"`
	Fate    string  `json:"fate"`
	By      string  `json:"by,omitempty"` // the pattern of the packages whose tests have found it
	Seconds float64 `json:"seconds"`
}

// same is a mutant that nobody can tell from the code as it is.
type same struct {
	File   string `json:"file"`
	Func   string `json:"func"`
	Text   string `json:"text"` // of the line
	Change string `json:"change"`
	Reason string `json:"reason"`
}

// readLines reads a file of JSON, a value a line; without the file there are none.
func readLines[T any](path string) (all []T, err error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("%s has a line that cannot be read, %.80q: %w", path, lines.Bytes(), err)
		}
		all = append(all, one)
	}
	return all, nil
}

// readEquivalents reads the list of mutants that change nothing.
func readEquivalents(root, path string) ([]same, error) {
	all, err := readLines[same](filepath.Join(root, filepath.FromSlash(path)))
	if slices.ContainsFunc(all, func(s same) bool { return s.File == "" || s.Reason == "" }) {
		return nil, fmt.Errorf("%s has a line that is no mutant with a reason", path)
	}
	return all, err
}

// report writes a table of all results in the log, and what has survived.
func report(log []result, equivalents []same) string {
	counts := map[string]map[string]int{} // by package and fate
	var packages []string
	var survivors strings.Builder
	for _, r := range log {
		if r.Fate == survived {
			if slices.ContainsFunc(equivalents, func(s same) bool {
				return s.File == r.File && s.Func == r.Func && s.Text == r.Text && s.Change == r.Change
			}) {
				r.Fate = equivalent
			} else {
				fmt.Fprintf(&survivors, "- %s:%d, %s: `%s`: %s\n", r.File, r.Line, r.Func, r.Text, r.Change)
			}
		}
		for _, name := range []string{r.Package, "all"} {
			if counts[name] == nil {
				counts[name], packages = map[string]int{}, append(packages, name)
			}
			counts[name][r.Fate]++
		}
	}
	packages = slices.DeleteFunc(packages, func(name string) bool { return name == "all" })
	slices.Sort(packages)
	var b strings.Builder
	b.WriteString("| package | mutants | do not compile | a test fails | a test hangs | equivalent | survive | found of those that differ |\n|---|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, name := range append(packages, "all") {
		sum, cells := 0, ""
		for _, fate := range []string{notViable, killed, timedOut, equivalent, survived} {
			n := counts[name][fate]
			sum += n
			cells += fmt.Sprintf(" %d |", n)
		}
		share := "–"
		if found := counts[name][killed] + counts[name][timedOut]; found+counts[name][survived] > 0 {
			share = fmt.Sprintf("%.0f %%", 100*float64(found)/float64(found+counts[name][survived]))
		}
		fmt.Fprintf(&b, "| %s | %d |%s %s |\n", name, sum, cells, share)
	}
	if survivors.Len() > 0 {
		b.WriteString("\n" + survivors.String())
	}
	return b.String()
}
