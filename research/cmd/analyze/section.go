package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
)

// section is a part of the report: text in Markdown with plots and, beside it,
// the numbers behind them.
type section struct {
	title  string
	text   strings.Builder
	plots  []plot
	sheets []sheet
}

// plot is a chart with the name of its files.
type plot struct {
	name string
	*chart.Chart
}

// sheet is a table of numbers with the name of its file.
type sheet struct {
	name   string
	header []string
	rows   [][]string
}

// say adds a paragraph.
func (s *section) say(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n\n", args...) }

// draw adds text that keeps its line breaks.
func (s *section) draw(text string) {
	fmt.Fprintf(&s.text, "```\n%s\n```\n\n", strings.TrimRight(text, "\n"))
}

// show adds a plot.
func (s *section) show(name, title string, c *chart.Chart) {
	s.plots = append(s.plots, plot{name, c})
	fmt.Fprintf(&s.text, "![%s](%s.svg)\n\n", title, name)
}

// grid adds a table, its first column aligned to the left and the others to the
// right.
func (s *section) grid(header []string, rows [][]string) {
	s.text.WriteString(cli.Markdown(append([][]string{header}, rows...), "---", "---:") + "\n")
}

// keep adds a table of numbers that is written to a file of its own.
func (s *section) keep(name string, header []string, rows [][]string) {
	s.sheets = append(s.sheets, sheet{name, header, rows})
}

// writeMarkdown writes the section with the names of its sheets.
func (s *section) writeMarkdown(w io.Writer) error {
	var names []string
	for _, sheet := range s.sheets {
		names = append(names, "`"+sheet.name+".csv`")
	}
	if _, err := fmt.Fprintf(w, "\n## %s\n\n%s\n", s.title, strings.TrimSpace(s.text.String())); err != nil || len(names) == 0 {
		return err
	}
	_, err := fmt.Fprintf(w, "\nNumbers: %s\n", strings.Join(names, ", "))
	return err
}

// writeCSV writes the sheet with its header.
func (s *sheet) writeCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(append([][]string{s.header}, s.rows...))
}

// The texts of numbers in sheets.

func digits(n uint64) string { return strconv.FormatUint(n, 10) }

// decimal returns a number of the game, nothing where it is not known.
func decimal(v float64, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 6, 64)
}

// cells returns an estimate and its margin.
func (e estimate) cells() []string {
	return []string{decimal(e.value, e.known()), decimal(e.margin, e.known())}
}
