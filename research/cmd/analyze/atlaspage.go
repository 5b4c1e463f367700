package main

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/bitboard"
	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/boards"
	"backsolve/probe/survey"
)

// publishedName is the file of an atlas that has results of others: board, what, value, source.
const publishedName = "published.csv"

func atlasWriteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "write",
		Short: "Write the page of all records",
		Long: `Write report.md, the page of all records in results.jsonl: values of all boards, sequences,
and, where published.csv has them, the results of others.`,
		Example: `  analyze atlas write`,
		Args:    cli.Args(0),
	}
	out := atlasFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		page, err := atlasPage(*out)
		if err != nil {
			return err
		}
		return writePage(*out, page)
	}
	return cmd
}

// rules are the rules of a family of boards.
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

// atlas has the records by game and size, and the rules of all boards.
type atlas struct {
	boards   map[string]map[game.Size]*record
	families []rules
	records  []*record
}

// newAtlas merges the records of each board. It is an error if they contradict each other.
func newAtlas(path string) (*atlas, error) {
	all, err := readRecords(path)
	if err != nil {
		return nil, err
	}
	a, families := &atlas{boards: map[string]map[game.Size]*record{}, records: all}, map[rules]bool{}
	for _, r := range all {
		name, size := r.board()
		families[rules{name, size.Run(), size.Variant()}] = true
		if a.boards[name] == nil {
			a.boards[name] = map[game.Size]*record{}
		}
		known := a.boards[name][size]
		if known != nil && (known.Start != r.Start || known.Counts != nil && r.Counts != nil && *known.Counts != *r.Counts) {
			return nil, fmt.Errorf("%s: the records %q and %q contradict each other", path, known.Solve, r.Solve)
		}
		a.boards[name][size] = merged(known, r)
	}
	a.families = slices.SortedFunc(maps.Keys(families), func(f, g rules) int {
		return cmp.Or(cmp.Compare(f.game, g.game), cmp.Compare(f.variant, g.variant), cmp.Compare(f.run, g.run))
	})
	return a, nil
}

// merged returns what two records of a board say together, the first of which may be nil.
func merged(a, b *record) *record {
	if a == nil {
		return b
	}
	if b.LongestWin != nil {
		a, b = b, a
	}
	both := *a
	both.Nimber = cmp.Or(a.Nimber, b.Nimber)
	return &both
}

// atlasPage returns the page of the atlas in a directory.
func atlasPage(dir string) (string, error) {
	a, err := newAtlas(filepath.Join(dir, recordsName))
	if err != nil {
		return "", err
	}
	published, err := a.published(filepath.Join(dir, publishedName))
	if err != nil {
		return "", err
	}
	page := fmt.Sprintf("# Atlas of solved boards\n\nMade by `analyze atlas write` from [%s](%[1]s), which has the positions of the longest wins and losses, "+
		"the time by the clock, the memory and the whole identities.\n\nAll states count, symmetric and unreachable ones too. "+
		"Values are for the player to move. The nimbers are of the game in which completing a line is illegal and a player who cannot move loses. "+
		"A board is m×n, with m rows and n columns.\n", recordsName)
	for _, f := range a.families {
		s := &section{title: f.String()}
		a.grid(s, f)
		page += s.markdown()
	}
	page += boardSums().markdown() + a.sequences().markdown()
	if published != nil {
		page += published.markdown()
	}
	return page + a.origins().markdown(), nil
}

// of returns the boards with some rules, the smallest first.
func (a *atlas) of(f rules) (sizes []game.Size) {
	for size := range a.boards[f.game] {
		if f.run == size.Run() && f.variant == size.Variant() {
			sizes = append(sizes, size)
		}
	}
	slices.SortFunc(sizes, func(a, b game.Size) int {
		return cmp.Or(cmp.Compare(a.Cells(), b.Cells()), cmp.Compare(a.Rows(), b.Rows()))
	})
	return sizes
}

// figure returns a figure of a record, and whether it is known.
func (r *record) figure(name string) (n int64, known bool) {
	optional := func(n *int) (int64, bool) {
		if n == nil {
			return 0, false
		}
		return int64(*n), true
	}
	steps := func(l *survey.Longest) (int64, bool) {
		if l == nil {
			return 0, false
		}
		return int64(l.Steps), true
	}
	switch name {
	case "start":
		return map[string]int64{"win": 1, "lose": -1}[r.Start], true
	case "score":
		return optional(r.Score)
	case "steps":
		return optional(r.Steps)
	case "nimber":
		return optional(r.Nimber)
	case "longest win":
		return steps(r.LongestWin)
	case "longest loss":
		return steps(r.LongestLoss)
	}
	if r.Counts == nil {
		return 0, false
	}
	n, known = map[string]int64{"wins": int64(r.Wins), "losses": int64(r.Losses), "draws": int64(r.Draws)}[name]
	return n, known
}

// cell returns a figure for a table, empty if it is not known.
func (r *record) cell(name string) string {
	if n, known := r.figure(name); known {
		return humanize.Comma(n)
	}
	return ""
}

// longestCell returns the most steps of an outcome and the number of such states.
func longestCell(l *survey.Longest) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%d (%s)", l.Steps, cli.CountOf(l.Count, "state", "states"))
}

// bestCell returns the first moves that win, else those that draw.
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

// grid adds the table of the boards with some rules. Columns without figures are left out.
func (a *atlas) grid(s *section, f rules) {
	figures := []string{"score", "wins", "losses", "draws", "longest win", "longest loss", "nimber"}
	rows := [][]string{append([]string{"board", "start", "first moves that win, else draw"}, figures...)}
	for _, size := range a.of(f) {
		r := a.boards[f.game][size]
		row := []string{fmt.Sprintf("%d×%d", size.Rows(), size.Cols()), cli.ValueText(r.Start, r.Steps), r.bestCell()}
		for _, name := range figures {
			row = append(row, r.cell(name))
		}
		row[7], row[8] = longestCell(r.LongestWin), longestCell(r.LongestLoss)
		rows = append(rows, row)
	}
	for column := len(rows[0]) - 1; column > 0; column-- {
		if !slices.ContainsFunc(rows[1:], func(row []string) bool { return row[column] != "" && row[column] != "0" }) {
			for i := range rows {
				rows[i] = slices.Delete(rows[i], column, column+1)
			}
		}
	}
	s.grid(rows[0], rows[1:])
}

// boardSums returns the section of Notakto on several boards.
func boardSums() *section {
	c, s := boards.TakeCensus(), &section{title: "notakto on several boards"}
	s.say("Boards of 1×1 to 4×4 are %d games that differ by their moves, dead boards counted as one. By reversible moves they have %d simplest forms. "+
		"Sums of boards have at least %s values in the misère quotient: one further board tells so many sums of up to three boards apart. "+
		"Two further boards tell %s sums of up to two apart.", c.Trees, c.Forms, count(uint64(c.Triples)), count(uint64(c.Pairs)))
	rows, all := [][]string{{"0", "", "", strconv.Itoa(c.Apart[0])}}, uint64(1)
	for i, lost := range c.Lost {
		all = all * uint64(c.Trees-1+i) / uint64(i+1)
		row := []string{strconv.Itoa(i + 1), count(all), count(lost), ""}
		if i+1 < len(c.Apart) {
			row[3] = strconv.Itoa(c.Apart[i+1])
		}
		rows = append(rows, row)
	}
	s.grid([]string{"boards", "sums of boards that are not dead", "lost for the player to move", "games told apart by so many further boards"}, rows)
	var empty []string
	for _, size := range c.Empty {
		empty = append(empty, size.String())
	}
	s.say("Of up to four empty boards these are lost: %s.", strings.Join(empty, ", "))
	return s
}

// sequences returns the section of the sequences, a(n) of n×n boards and T(n, k) of k×n boards.
func (a *atlas) sequences() *section {
	s := &section{title: "Sequences"}
	s.say("a(n) is of n×n boards. T(n, k) is of k×n boards and read by rows: k goes up to n, then n increases. " +
		"Counted are the value of the start (1 a win, −1 a loss), its plies to the end, lost and drawn states, the plies of the longest win, and the nimber of the start.")
	var rows [][]string
	for _, f := range a.families {
		for _, name := range []string{"start", "steps", "losses", "draws", "longest win", "nimber"} {
			for i, least := range []int{4, 8} { // values
				boards, values := a.sequence(f, name, i == 0)
				if len(values) >= least && len(slices.Compact(slices.Clone(values))) > 2 {
					rows = append(rows, []string{f.String(), name, boards, strings.Join(values, ", ")})
				}
			}
		}
	}
	s.grid([]string{"rules", "counted", "boards", "values"}, rows)
	return s
}

// sequence returns the values of a figure as far as they are known without a gap, and the boards
// that they are of.
func (a *atlas) sequence(f rules, name string, square bool) (boards string, values []string) {
	sizes := a.of(f)
	least := sizes[0].Rows()
	for _, size := range sizes {
		least = min(least, size.Rows(), size.Cols())
	}
	for n := least; n <= 8; n++ {
		first := least
		if square {
			first = n
		}
		for k := first; k <= n; k++ {
			value, known := int64(0), false
			if r := a.boards[f.game][f.size(k, n)]; r != nil {
				value, known = r.figure(name)
			}
			switch {
			case known && values == nil && square:
				boards = fmt.Sprintf("a(n), n ≥ %d", n)
			case known && values == nil:
				boards = fmt.Sprintf("T(n, k), n ≥ %d, k ≥ %d", n, k)
			case !known && values != nil:
				return boards, values
			}
			if known {
				values = append(values, strconv.FormatInt(value, 10))
			}
		}
	}
	return boards, values
}

// published returns the section of the results of others beside ours, nil where there is no file
// of them.
func (a *atlas) published(path string) (*section, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	var rows [][]string
	for _, line := range lines[1:] {
		name, word, _ := strings.Cut(line[0], " ")
		size, ok := game.ParseSize(word)
		if !ok {
			return nil, fmt.Errorf("%s: %q is no board", path, line[0])
		}
		ours := ""
		if r := a.boards[name][size]; r != nil && line[1] == "start" {
			ours = r.Start
		} else if r != nil {
			ours = r.cell(line[1])
		}
		is := "agrees"
		if theirs := strings.ReplaceAll(ours, ",", ""); theirs == "" {
			is = "not solved here"
		} else if theirs != line[2] {
			is = "differs"
		}
		rows = append(rows, []string{line[0], line[1], line[2], is, line[3]})
	}
	s := &section{title: "Results of others"}
	s.grid([]string{"board", "what", "published", "here", "source"}, rows)
	return s, nil
}

// origins returns the section of how the records were made.
func (a *atlas) origins() *section {
	s := &section{title: "How they were solved"}
	s.say("`analyze atlas solve` ran each line with `tbsolve`. Processor times are in seconds, and missing for tables that existed before.")
	var made []string
	var rows [][]string
	for _, r := range a.records {
		by := r.Version + "; " + r.Machine
		if !slices.Contains(made, by) {
			made = append(made, by)
			s.say("%d. `%s`, %s", len(made), r.Version, r.Machine)
		}
		seconds := ""
		if r.Processor > 0 {
			seconds = strconv.FormatFloat(r.Processor, 'f', 2, 64)
		}
		if r.Resumed {
			seconds += " after the last interruption"
		}
		rows = append(rows, []string{"`" + r.Solve + "`", strconv.Itoa(slices.Index(made, by) + 1), seconds, r.Identity[:min(16, len(r.Identity))]})
	}
	s.grid([]string{"line", "by", "processor time", "identity begins with"}, rows)
	return s
}
