package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"backsolve/cmd/cli"
	"backsolve/probe/survey"
)

// addLongest adds nothing where there is no such state.
func addLongest(rows cli.Rows, name string, l *survey.Longest) {
	if l != nil {
		rows.Add(name, "%d steps, in %s states such as %s", l.Steps, cli.CountText(l.Count), l.Position)
	}
}

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
			fmt.Fprintf(out, "%s\t", cli.CountText(n))
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
