package main

import (
	"encoding/csv"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"backsolve/internal/probe/probetest"
	"backsolve/research/internal/files"
)

var (
	marked  = regexp.MustCompile(`(?m)^<!-- results ([^>]+) -->$`)
	figures = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
)

// The figures of a block of a page that is marked as <!-- results FILE, FILE --> are in these files:
// those of a table's row in the lines that have the row's name.
func TestFiguresOfPages(t *testing.T) {
	blocks := 0
	err := filepath.WalkDir(reports, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, wrong := range wrongFigures(filepath.Dir(path), string(page)) {
			t.Errorf("%s: %s", path, wrong)
		}
		blocks += len(marked.FindAllIndex(page, -1))
		return nil
	})
	if err != nil || blocks < 7 {
		t.Errorf("%d marked blocks, %v", blocks, err)
	}
	// A figure of another row, otherwise rounded or nowhere, and a row that is not there are found.
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.csv"), []byte("arm,won\nplain,44.0 ± 0.8\nkey,50.0 ± 1.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	page := "<!-- results a.csv -->\n\n| arm | won |\n|---|---|\n| plain | 44.0±0.8 |\n| key | 44.0±1.0 |\n| key | 50 |\n| other | 50.0 |\n\n<!-- results a.csv -->\n\nIt won 50.0 of 1,234.\n"
	if wrong := wrongFigures(dir, page); len(wrong) != 4 {
		t.Errorf("%q", wrong)
	}
}

// wrongFigures returns what is wrong in the marked blocks of a page.
func wrongFigures(dir, page string) (wrong []string) {
	for _, at := range marked.FindAllStringSubmatchIndex(page, -1) {
		var lines [][]string
		for _, name := range strings.Split(page[at[2]:at[3]], ", ") {
			rows, err := readSheet(filepath.Join(dir, name))
			if err != nil {
				return []string{err.Error()}
			}
			lines = append(lines, rows...)
		}
		block, _, _ := strings.Cut(strings.TrimLeft(page[at[1]:], "\n"), "\n\n")
		rows := strings.Split(block, "\n")
		if strings.HasPrefix(block, "|") {
			rows = rows[2:]
		}
		for _, row := range rows {
			if missing := missingFigures(lines, row); missing != "" {
				wrong = append(wrong, missing+" in "+row)
			}
		}
	}
	return wrong
}

// missingFigures says what of a row or sentence is not in the lines of files.
func missingFigures(lines [][]string, row string) string {
	text := row
	if strings.HasPrefix(row, "|") {
		cells := strings.Split(strings.Trim(row, "| "), "|")
		names := strings.Split(strings.NewReplacer("`", "", "*", "").Replace(strings.TrimSpace(cells[0])), ", ")
		lines = slices.DeleteFunc(slices.Clone(lines), func(line []string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(line, name) })
		})
		if len(lines) == 0 {
			return fmt.Sprintf("nothing is of %q", names)
		}
		text = strings.Join(cells[1:], " ")
	}
	known := figuresOf(strings.Join(slices.Concat(lines...), " "))
	for _, n := range figuresOf(text) {
		if !slices.Contains(known, n) {
			return n + " is not in the results"
		}
	}
	return ""
}

// figuresOf returns the numbers in a text, as they are rounded.
func figuresOf(text string) (all []string) {
	for _, n := range figures.FindAllString(text, -1) {
		all = append(all, strings.ReplaceAll(n, ",", ""))
	}
	return all
}

func readSheet(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	return r.ReadAll()
}

// claim is an entry of the ledger.
type claim struct {
	Paper, Claim, Published, Here, Experiment, Verdict, Change string
}

// The page of the ledger shows claims.json, each has a verdict, what does not hold says what would
// change that, and figures of tables are in these.
func TestLedger(t *testing.T) {
	ledger := filepath.Join(reports, "claims")
	var all []claim
	if err := files.ReadJSON(filepath.Join(ledger, "claims.json"), &all); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	papers := map[string]bool{}
	for i, c := range all {
		if i == 0 || all[i-1].Paper != c.Paper {
			papers[c.Paper] = true
			fmt.Fprintf(&want, "\n## %s\n\n| claim | published | here | verdict | what would change it |\n|---|---|---|---|---|\n", c.Paper)
		}
		here := c.Here
		if c.Experiment != "" {
			here = fmt.Sprintf("[%s](%s)", c.Here, c.Experiment)
		}
		fmt.Fprintf(&want, "| %s | %s | %s | %s | %s |\n", c.Claim, c.Published, here, c.Verdict, c.Change)
		if !slices.Contains([]string{"holds", "does not hold", "open", "missing"}, c.Verdict) || c.Verdict != "holds" && c.Change == "" {
			t.Errorf("%+v", c)
		}
		if strings.HasPrefix(c.Experiment, "../ladder/") && !strings.Contains(c.Here, " of 7 ") && c.Verdict != "open" {
			lines, err := readSheet(filepath.Join(ledger, c.Experiment))
			if err != nil {
				t.Fatal(err)
			}
			if missing := missingFigures(lines, strings.NewReplacer("4×4", "").Replace(c.Here)); missing != "" {
				t.Errorf("%s: %s", c.Claim, missing)
			}
		}
	}
	page, err := os.ReadFile(filepath.Join(ledger, "report.md"))
	if err != nil || !strings.HasSuffix(string(page), want.String()) || len(papers) != 5 {
		t.Errorf("%v, %d papers; the page should end with:\n%s", err, len(papers), want.String())
	}
}

// A program that is built in a clone, with or without make, names its commit in results. Go does not
// know the commit of a linked worktree, nor make that of an archive.
func TestBuildsNameTheirCommit(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program in a clone")
	}
	head, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		t.Skip("there is no git, or no history")
	}
	clone, bin := t.TempDir(), filepath.Join(t.TempDir(), "lab")
	for _, args := range [][]string{
		{"git", "clone", "--quiet", "--depth", "1", "file://" + root(t), clone},
		{"go", "build", "-o", bin, "./cmd/lab"},
		{bin, "strength", "nim", "3", "--iterations", "1", "--against", "random", "--games", "2", "--quiet", "--out", "made"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		if cmd.Dir = filepath.Join(clone, "research"); args[0] == "git" {
			cmd.Dir = ""
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, out)
		}
	}
	d, err := loadData[matchPoint](filepath.Join(clone, "research", "made", "strength-nim-3x3"))
	if err != nil || len(d.Runs) != 1 || !strings.Contains(d.Runs[0].Version, string(head[:12])) {
		t.Errorf("the results are by %+v, the commit is %s, %v", d.Runs, head, err)
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The smallest champions of the page are trained again and walk through as many states, and so are
// the arms of the smallest experiment again what its table says.
func TestMadeAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("it trains for minutes")
	}
	tables, out := t.TempDir(), t.TempDir()
	probetest.Solve(t, tables, probetest.Rules(t, "notakto", 3), 0, true)
	learning := filepath.Join(reports, "learning")
	again := func(args ...string) [][]string {
		if err := runLab(t, append([]string{"run", "--dir", tables, "--out", out, "--quiet"}, args...)...); err != nil {
			t.Fatal(err)
		}
		rows, err := readSheet(filepath.Join(out, "table.csv"))
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	page, err := os.ReadFile(filepath.Join(reports, "learning.md"))
	if err != nil {
		t.Fatal(err)
	}
	champions := map[string]string{"notakto-3": "Notakto 3×3", "nim-5": "Nim, 5 heaps"}
	set := append([]string{filepath.Join(learning, "set.json")}, slices.Collect(maps.Keys(champions))...)
	for _, row := range again(set...)[1:] {
		wrong, kept, _ := strings.Cut(row[11], " of ")
		if want := fmt.Sprintf("| %s | alone | %s |", champions[row[0]], kept); row[1] == "0" && (wrong != "0" || !strings.Contains(string(page), want)) {
			t.Errorf("%q: the page has not the row %s", row, want)
		}
	}
	want, err := readSheet(filepath.Join(learning, "ablation-notakto-3.csv"))
	if err != nil {
		t.Fatal(err)
	}
	got := again(filepath.Join(learning, "ablation-notakto-3.json"), "plain", "canonical")
	for _, row := range got[1:] {
		if missing := missingFigures(want, "| "+row[0]+" | "+strings.Fields(row[4])[0]+" | "+row[6]+" |"); missing != "" {
			t.Errorf("%q: %s", row, missing)
		}
	}
}
