package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"backsolve/probe/survey"

	"github.com/dustin/go-humanize"
)

// bytesText writes an amount of memory or disk space for people.
func bytesText(bytes int64) string { return humanize.IBytes(uint64(bytes)) }

// countText writes a number with commas.
func countText(n uint64) string { return humanize.BigComma(new(big.Int).SetUint64(n)) }

// countOf writes a number of things: 1 state, 2 states.
func countOf(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return countText(n) + " " + many
}

// share writes a number and which part of all it is.
func share(n, all uint64) string {
	return fmt.Sprintf("%s (%.1f %%)", countText(n), 100*float64(n)/float64(all))
}

// valueText writes an outcome with its steps, where there are any.
func valueText(outcome string, steps *int) string {
	if steps == nil {
		return outcome
	}
	return fmt.Sprintf("%s in %d", outcome, *steps)
}

// rows writes names and what belongs to them in two columns.
type rows struct{ out *tabwriter.Writer }

func newRows(w io.Writer) rows { return rows{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (r rows) add(name, format string, args ...any) {
	fmt.Fprintf(r.out, "%s\t%s\n", name, fmt.Sprintf(format, args...))
}

// addStart adds what the start position is worth.
func (r rows) addStart(outcome string, steps, nimber *int) {
	text := valueText(outcome, steps) + " for the player to move"
	if nimber != nil {
		text += fmt.Sprintf(", nimber %d", *nimber)
	}
	r.add("start position", "%s", text)
}

// addLongest adds nothing where there is no such state.
func (r rows) addLongest(name string, l *survey.Longest) {
	if l != nil {
		r.add(name, "%d steps, in %s states such as %s", l.Steps, countText(l.Count), l.Position)
	}
}

func (r rows) flush() error { return r.out.Flush() }

// grid is a table of numbers whose columns have names.
type grid struct {
	title string
	names []string
	rows  [][]uint64
}

// writeText writes the grid for people, below an empty line.
func (g grid) writeText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n%s:\n\n", g.title); err != nil {
		return err
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, name := range g.names {
		fmt.Fprintf(out, "%s\t", name)
	}
	fmt.Fprintln(out)
	for _, row := range g.rows {
		for _, n := range row {
			fmt.Fprintf(out, "%s\t", countText(n))
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// writeCSV writes the grid with its names as the first record.
func (g grid) writeCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write(g.names)
	for _, row := range g.rows {
		record := make([]string, len(row))
		for i, n := range row {
			record[i] = strconv.FormatUint(n, 10)
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// wrap breaks a text into lines of at most 80 characters.
func wrap(text string) string {
	var b strings.Builder
	length := 0
	for _, word := range strings.Fields(text) {
		switch n := utf8.RuneCountInString(word); {
		case length == 0:
			length = n
		case length+1+n > 80:
			b.WriteByte('\n')
			length = n
		default:
			b.WriteByte(' ')
			length += 1 + n
		}
		b.WriteString(word)
	}
	return b.String()
}
