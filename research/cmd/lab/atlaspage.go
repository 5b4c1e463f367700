package main

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/dustin/go-humanize"

	"backsolve/bitboard"
	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/boards"
	"backsolve/internal/probe/survey"
	"backsolve/research/internal/files"
)

//go:embed atlas.md.tmpl
var atlasText string

var atlasTemplate = template.Must(template.New("atlas").Funcs(template.FuncMap{
	"count": func(n any) string { m, _ := strconv.ParseInt(fmt.Sprint(n), 10, 64); return humanize.Comma(m) },
	"inc":   func(i int) int { return i + 1 },
}).Parse(atlasText))

// atlas is the content of the page. Tables are in Markdown.
type atlas struct {
	Families                     []*family
	Census                       *boards.Census
	Sequences, Published, Solves string
	Makers                       []string // versions and machines
	boards                       map[string]map[game.Size]*record
}

type rules struct {
	game    string
	run     int
	variant bitboard.Variant
}

func (f rules) String() string {
	return strings.Join(append([]string{f.game}, game.Sized(1, 2, f.run, f.variant).Words()...), " ")
}

// size returns the size of a board with these rules, which may have a simpler name.
func (f rules) size(rows, cols int) game.Size {
	if f.run == rows && f.run == cols {
		f.run = 0
	}
	if rows != cols {
		f.variant &^= bitboard.NoDiagonals
	}
	return game.Sized(rows, cols, f.run, f.variant)
}

type family struct {
	Rules  rules
	sizes  []game.Size           // the smallest first
	boards map[game.Size]*record // of the game
}

func atlasPage(dir string) (string, error) {
	records, err := readRecords(filepath.Join(dir, recordsName))
	if err != nil {
		return "", err
	}
	a := &atlas{Census: boards.TakeCensus(), boards: map[string]map[game.Size]*record{}}
	for _, r := range records {
		if err := a.add(r); err != nil {
			return "", err
		}
	}
	slices.SortFunc(a.Families, func(f, g *family) int {
		return cmp.Or(cmp.Compare(f.Rules.game, g.Rules.game), cmp.Compare(f.Rules.variant, g.Rules.variant), cmp.Compare(f.Rules.run, g.Rules.run))
	})
	if a.Published, err = a.published(filepath.Join(dir, "published.csv")); err != nil {
		return "", err
	}
	a.Sequences, a.Solves = a.sequences(), a.solves(records)
	var page strings.Builder
	err = atlasTemplate.Execute(&page, a)
	return page.String(), err
}

// add merges a record with others of the board, which must not contradict it.
func (a *atlas) add(r *record) error {
	name, size := r.board()
	if a.boards[name] == nil {
		a.boards[name] = map[game.Size]*record{}
	}
	known := a.boards[name][size]
	if known != nil {
		if known.Start != r.Start || known.Counts != nil && r.Counts != nil && *known.Counts != *r.Counts {
			return fmt.Errorf("the records %q and %q contradict each other", known.Solve, r.Solve)
		}
		known.Steps, known.Nimber = cmp.Or(known.Steps, r.Steps), cmp.Or(known.Nimber, r.Nimber)
		known.LongestWin, known.LongestLoss = cmp.Or(known.LongestWin, r.LongestWin), cmp.Or(known.LongestLoss, r.LongestLoss)
		return nil
	}
	merged := *r
	a.boards[name][size] = &merged
	of := rules{name, size.Run(), size.Variant()}
	i := slices.IndexFunc(a.Families, func(f *family) bool { return f.Rules == of })
	if i < 0 {
		i = len(a.Families)
		a.Families = append(a.Families, &family{Rules: of, boards: a.boards[name]})
	}
	a.Families[i].sizes = append(a.Families[i].sizes, size)
	return nil
}

// figures returns the numbers that are known of a board by their names.
func (r *record) figures() map[string]int64 {
	f := map[string]int64{"start": map[string]int64{"win": 1, "lose": -1}[r.Start]}
	for name, n := range map[string]*int{"score": r.Score, "steps": r.Steps, "nimber": r.Nimber} {
		if n != nil {
			f[name] = int64(*n)
		}
	}
	for name, l := range map[string]*survey.Longest{"longest win": r.LongestWin, "longest loss": r.LongestLoss} {
		if l != nil {
			f[name], f["states of "+name] = int64(l.Steps), int64(l.Count)
		}
	}
	if r.Counts != nil {
		f["wins"], f["losses"], f["draws"] = int64(r.Wins), int64(r.Losses), int64(r.Draws)
	}
	return f
}

func (r *record) bestCell() string {
	const most = 6 // that are listed
	switch n := len(r.Best); {
	case r.Line != nil:
		return strings.Join(r.Line[:1], "")
	case n == 0:
		return "none"
	case r.Best[0] == "all":
		return fmt.Sprintf("all %d", r.Moves)
	case n > most:
		return fmt.Sprintf("%d of %d", n, r.Moves)
	}
	return strings.Join(r.Best, ", ")
}

// Table returns the table of the boards. Columns without figures are left out.
func (f *family) Table() string {
	names := []string{"score", "wins", "losses", "draws", "longest win", "states of longest win", "longest loss", "states of longest loss", "nimber"}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !slices.ContainsFunc(f.sizes, func(size game.Size) bool {
			n, known := f.boards[size].figures()[name]
			return known && (n != 0 || name == "nimber")
		})
	})
	rows := [][]string{append([]string{"board", "start", "first moves that win, else draw"}, names...)}
	for _, size := range f.sizes {
		r := f.boards[size]
		row := []string{fmt.Sprintf("%d×%d", size.Rows(), size.Cols()), cli.ValueText(r.Start, r.Steps), r.bestCell()}
		for _, name := range names {
			cell := ""
			if n, known := r.figures()[name]; known {
				cell = humanize.Comma(n)
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return cli.Markdown(rows, "---", "---:")
}

// sequences returns the table of the sequences, a(n) of n×n boards and T(n, k) of k×n boards.
func (a *atlas) sequences() string {
	rows := [][]string{{"rules", "counted", "boards", "values"}}
	for _, f := range a.Families {
		for _, name := range []string{"start", "steps", "losses", "draws", "longest win", "nimber"} {
			for i, least := range []int{4, 8} { // values
				boards, values := f.sequence(name, i == 0)
				if len(values) >= least && len(slices.Compact(slices.Clone(values))) > 2 {
					rows = append(rows, []string{f.Rules.String(), name, boards, strings.Join(values, ", ")})
				}
			}
		}
	}
	return cli.Markdown(rows, "---", "---")
}

// sequence returns the values of a figure up to the first gap, and their boards.
func (f *family) sequence(name string, square bool) (boards string, values []string) {
	least := f.sizes[0].Rows()
	for n := least; n <= 8; n++ {
		first := least
		if square {
			first = n
		}
		for k := first; k <= n; k++ {
			value, known := int64(0), false
			if r := f.boards[f.Rules.size(k, n)]; r != nil {
				value, known = r.figures()[name]
			}
			switch {
			case !known && values == nil:
				continue
			case !known:
				return boards, values
			case values == nil && square:
				boards = fmt.Sprintf("a(n), n ≥ %d", n)
			case values == nil:
				boards = fmt.Sprintf("T(n, k), n ≥ %d, k ≥ %d", n, k)
			}
			values = append(values, strconv.FormatInt(value, 10))
		}
	}
	return boards, values
}

// published returns a table that compares published results with ours, "" if there is no file of them.
func (a *atlas) published(path string) (string, error) {
	lines, err := files.ReadTable(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	rows := [][]string{{"board", "what", "published", "here", "source"}}
	for _, line := range lines[1:] {
		name, word, _ := strings.Cut(line[0], " ")
		size, _ := game.ParseSize(word)
		is := "not solved here"
		if r := a.boards[name][size]; r != nil {
			if n, known := r.figures()[line[1]]; known && (line[2] == strconv.FormatInt(n, 10) || line[1] == "start" && line[2] == r.Start) {
				is = "agrees"
			} else if known {
				is = "differs"
			}
		}
		rows = append(rows, []string{line[0], line[1], line[2], is, line[3]})
	}
	return cli.Markdown(rows, "---", "---"), nil
}

// solves returns a table of how the records were made, and notes on the programs used.
func (a *atlas) solves(records []*record) string {
	rows := [][]string{{"line", "by", "processor time", "identity begins with"}}
	for _, r := range records {
		by := "`" + r.Version + "`, " + r.Machine
		if !slices.Contains(a.Makers, by) {
			a.Makers = append(a.Makers, by)
		}
		seconds := ""
		if r.Processor > 0 {
			seconds = strconv.FormatFloat(r.Processor, 'f', 2, 64)
		}
		if r.Resumed {
			seconds += " after the last interruption"
		}
		rows = append(rows, []string{"`" + r.Solve + "`", strconv.Itoa(slices.Index(a.Makers, by) + 1), seconds, r.Identity[:min(16, len(r.Identity))]})
	}
	return cli.Markdown(rows, "---", "---:")
}
