package cli

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"backsolve/internal/probe/survey"
)

// Info is what to show of a table, besides the totals.
type Info struct {
	By     []string // of ByWords
	Format *Format
}

// What numbers can be by.
const (
	ByClass  = "class"
	ByStones = "stones"
	BySteps  = "steps"
	ByNimber = "nimber"
)

// ByWords are the words of --by.
var ByWords = []string{ByClass, ByStones, BySteps, ByNimber}

// ByValue is the value of --by: words of ByWords, separated by commas.
type ByValue []string

func (v *ByValue) String() string { return "" }
func (v *ByValue) Type() string   { return "LIST" }

// Set adds words.
func (v *ByValue) Set(text string) error {
	for word := range strings.SplitSeq(text, ",") {
		if !slices.Contains(ByWords, word) {
			return fmt.Errorf("give %s, or several separated by commas", strings.Join(ByWords, ", "))
		}
		*v = append(*v, word)
	}
	return nil
}

// Has reports whether numbers by a word are to be shown.
func (i *Info) Has(word string) bool { return slices.Contains(i.By, word) }

// Write writes a summary of the table at path. The error is a *UsageError where it does not fit
// the format.
func (i *Info) Write(w io.Writer, path string, s *survey.Stats) error {
	grids := i.grids(s)
	switch {
	case i.Format.Word() == JSON:
		return WriteJSON(w, s)
	case i.Format.Word() == Text:
		return writeInfo(w, path, s, grids)
	case len(grids) == 0:
		return newGrid("", names(), []survey.Counts{s.Total}, counts).writeCSV(w)
	case len(grids) > 1:
		return Usagef("CSV has one table; give --by just one word")
	}
	return grids[0].writeCSV(w)
}

// grids returns the tables of numbers that were asked for.
func (i *Info) grids(s *survey.Stats) (grids []grid) {
	add := func(wanted bool, g grid) {
		if wanted {
			grids = append(grids, g)
		}
	}
	add(i.Has(ByClass) && s.Tiers, newGrid("By tier", names("tier"), s.Classes, func(c survey.ClassStats) []uint64 {
		return append([]uint64{uint64(c.Class)}, counts(c.Counts)...)
	}))
	add(i.Has(ByClass) && !s.Tiers, newGrid("By class", names("class", "blocks", "block_states"), s.Classes, func(c survey.ClassStats) []uint64 {
		return append([]uint64{uint64(c.Class), uint64(c.Blocks), c.BlockStates}, counts(c.Counts)...)
	}))
	add(i.Has(ByStones), newGrid("By stones of the player to move and of the other one", names("mover", "other"), s.Stones, func(c survey.StonesStats) []uint64 {
		return append([]uint64{uint64(c.Mover), uint64(c.Other)}, counts(c.Counts)...)
	}))
	add(i.Has(BySteps), newGrid("By steps to the end", []string{"steps", "wins", "losses"}, s.Steps, func(c survey.StepsStats) []uint64 {
		return []uint64{uint64(c.Steps), c.Wins, c.Losses}
	}))
	// Terminal states have no nimber.
	add(i.Has(ByNimber), newGrid("By nimber", []string{"nimber", "states"}, s.Nimbers, func(c survey.NimberStats) []uint64 {
		return []uint64{uint64(c.Nimber), c.States}
	}))
	return grids
}

// names returns names of columns with those of counts behind them.
func names(of ...string) []string {
	return append(of, "states", "wins", "losses", "draws", "terminal_wins", "terminal_losses")
}

func counts(c survey.Counts) []uint64 {
	return []uint64{c.States, c.Wins, c.Losses, c.Draws, c.TerminalWins, c.TerminalLosses}
}

func writeInfo(w io.Writer, path string, s *survey.Stats, grids []grid) error {
	rows := NewRows(w)
	steps := "without steps"
	if s.HasSteps {
		steps = "with steps"
	}
	if s.Nimbers != nil {
		steps = "with nimbers"
	}
	if s.Opening {
		steps += fmt.Sprintf(", the %d emptiest classes alone", len(s.Classes))
	}
	rows.Add("file", "%s", path)
	rows.Add("game", "%s, %s", s.Board, steps)
	rows.Add("bytes", "%s (%s)", CountText(uint64(s.Bytes)), BytesText(s.Bytes))
	if s.Packed > 0 {
		level := ""
		if s.Archive {
			level = ", an archive"
		}
		rows.Add("packed into", "%s (%s)%s", CountText(uint64(s.Packed)), BytesText(s.Packed), level)
	}
	rows.Add("identity", "%s", s.Identity)
	rows.Add("stored states", "%s", CountText(s.Stored))
	rows.Add("states", "%s", CountText(s.Total.States))
	rows.Add("wins", "%s, terminal %s", Share(s.Total.Wins, s.Total.States), CountText(s.Total.TerminalWins))
	rows.Add("losses", "%s, terminal %s", Share(s.Total.Losses, s.Total.States), CountText(s.Total.TerminalLosses))
	rows.Add("draws", "%s", Share(s.Total.Draws, s.Total.States))
	rows.AddStart(s.Start.Outcome, s.Start.Steps, s.Start.Nimber)
	if s.Nimbers != nil {
		rows.Add("nimbers", "0 to %d", len(s.Nimbers)-1)
	}
	addLongest(rows, "longest win", s.LongestWin)
	addLongest(rows, "longest loss", s.LongestLoss)
	if err := rows.Flush(); err != nil {
		return err
	}
	for _, g := range grids {
		if err := g.writeText(w); err != nil {
			return err
		}
	}
	return nil
}

// addLongest adds nothing where there is no such state.
func addLongest(rows Rows, name string, l *survey.Longest) {
	if l != nil {
		rows.Add(name, "%s, in %s such as %s", Plural(l.Steps, "step"), CountOf(l.Count, "state", "states"), l.Position)
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
	return WriteGrid(w, tabwriter.AlignRight, g.texts(CountText))
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
