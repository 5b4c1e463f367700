package main

import (
	"fmt"
	"strconv"
	"strings"

	"backsolve/cmd/cli"
	"backsolve/research/internal/chart"
)

// section is the Markdown of a part, with its plots and their numbers.
type section struct {
	title  string
	text   strings.Builder
	plots  []plot
	sheets []sheet
}

// plot is a chart with the name of its file.
type plot struct {
	name string
	*chart.Chart
}

// sheet is a table of numbers with the name of its file. The first row names the columns.
type sheet struct {
	name string
	rows [][]string
}

// say adds a paragraph.
func (s *section) say(format string, args ...any) { fmt.Fprintf(&s.text, format+"\n\n", args...) }

// draw adds preformatted text.
func (s *section) draw(text string) {
	fmt.Fprintf(&s.text, "```\n%s\n```\n\n", strings.TrimRight(text, "\n"))
}

func (s *section) show(name string, c *chart.Chart) {
	s.plots = append(s.plots, plot{name, c})
	fmt.Fprintf(&s.text, "![%s](%s.svg)\n\n", c.Title(), name)
}

// grid adds a table, its first column aligned to the left and the others to the right.
func (s *section) grid(header []string, rows [][]string) {
	s.text.WriteString(cli.Markdown(append([][]string{header}, rows...), "---", "---:") + "\n")
}

// keep adds a sheet.
func (s *section) keep(name string, header []string, rows [][]string) {
	s.sheets = append(s.sheets, sheet{name, append([][]string{header}, rows...)})
}

// markdown returns the section with the names of its sheets.
func (s *section) markdown() string {
	var names []string
	for _, sheet := range s.sheets {
		names = append(names, "`"+sheet.name+".csv`")
	}
	text := fmt.Sprintf("\n## %s\n\n%s\n", s.title, strings.TrimSpace(s.text.String()))
	if names != nil {
		text += fmt.Sprintf("\nNumbers: %s\n", strings.Join(names, ", "))
	}
	return text
}

func digits(n uint64) string { return strconv.FormatUint(n, 10) }

// decimal formats a number for a sheet, empty if unknown.
func decimal(v float64, known bool) string {
	if !known {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 6, 64)
}

func (e estimate) cells() []string {
	return []string{decimal(e.value, e.known()), decimal(e.margin, e.known())}
}
