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

// newGrid returns a grid with a row for each value.
func newGrid[T any](title string, names []string, values []T, row func(T) []uint64) grid {
	g := grid{title: title, names: names}
	for _, v := range values {
		g.rows = append(g.rows, row(v))
	}
	return g
}

// writeText writes the grid for people, below an empty line.
func (g grid) writeText(w io.Writer) error {
	if _, err := fmt.Fprintf(w, "\n%s:\n\n", g.title); err != nil {
		return err
	}
	return cli.WriteGrid(w, tabwriter.AlignRight, g.texts(cli.CountText))
}

// texts returns the names and the numbers as text.
func (g grid) texts(number func(uint64) string) [][]string {
	rows := [][]string{g.names}
	for _, row := range g.rows {
		texts := make([]string, len(row))
		for i, n := range row {
			texts[i] = number(n)
		}
		rows = append(rows, texts)
	}
	return rows
}

// writeCSV writes the grid with its names as the first record.
func (g grid) writeCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(g.texts(func(n uint64) string { return strconv.FormatUint(n, 10) }))
}
