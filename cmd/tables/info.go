package tables

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/probe/survey"
)

const (
	byClass  = "class"
	byStones = "stones"
	bySteps  = "steps"
	byNimber = "nimber"
)

var byWords = []string{byClass, byStones, bySteps, byNimber}

type info struct{ by []string } // of byWords

func infoCommand() *cobra.Command {
	i := &info{}
	cmd := &cobra.Command{
		Use:     "info BOARD",
		Short:   "Show what a table contains",
		GroupID: Group,
		Long: `Show the game of a table, the numbers of won, lost and drawn states for the
player to move, the value of the start position, and the longest win and loss, each
with a position. Numbers count the states of the whole game: symmetric states
count separately, with a fixed player to move. Wins and losses include terminal
states, which are also counted separately. Terminal states have no nimber.

JSON contains everything. CSV contains one table: the selected one, or the totals.

` + cli.TableHelp + cli.WebHelp,
		Example: `  tbsolve info quixo 4
  tbsolve info quixo 4 --by steps --format csv
  tbsolve info tables/notakto-6x6.tb --by class,stones
  tbsolve info quixo 4 --json | jq .longest_win`,
	}
	readArgument(cmd, i.run)
	cli.FormatFlag(cmd, cli.Text, cli.JSON, cli.CSV)
	cmd.Flags().Func("by", "`LIST` add numbers by class (of marked cells, or tier), stones (of each player), steps (to the end) or nimber", func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			if !slices.Contains(byWords, word) {
				return fmt.Errorf("give %s, or several separated by commas", strings.Join(byWords, ", "))
			}
			i.by = append(i.by, word)
		}
		return nil
	})
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(byWords, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (i *info) run(cmd *cobra.Command, table survey.Table) error {
	if slices.Contains(i.by, bySteps) && !table.HasSteps() {
		return &cli.UsageError{Err: table.NoSteps()}
	}
	s, err := survey.Summarize(cmd.Context(), table)
	path := table.File().Path()
	switch {
	case err != nil:
		return err
	case slices.Contains(i.by, byStones) && s.Tiers:
		return cli.Usagef("%s is a table of single positions, whose stones it does not know; leave stones out of --by", path)
	case slices.Contains(i.by, byNimber) && s.Nimbers == nil:
		return cli.Usagef("%s has no nimbers; those of a board of Notakto are in the table that --grundy makes, for example: tbsolve notakto 4 --grundy", path)
	}
	var grids []grid
	for _, word := range byWords {
		if slices.Contains(i.by, word) {
			grids = append(grids, gridBy(word, s))
		}
	}
	out, format := cmd.OutOrStdout(), cli.Format(cmd)
	switch {
	case format == cli.JSON:
		return cli.WriteJSON(out, s)
	case format == cli.Text:
		return WriteInfo(out, path, s, grids...)
	case len(grids) == 0:
		return newGrid("", names(), []survey.Counts{s.Total}, counts).writeCSV(out)
	case len(grids) > 1:
		return cli.Usagef("CSV has one table; give --by just one word")
	}
	return grids[0].writeCSV(out)
}

func gridBy(word string, s *survey.Stats) grid {
	switch {
	case word == byClass && s.Tiers:
		return newGrid("By tier", names("tier"), s.Classes, func(c survey.ClassStats) []uint64 {
			return append([]uint64{uint64(c.Class)}, counts(c.Counts)...)
		})
	case word == byClass:
		return newGrid("By class", names("class", "blocks", "block_states"), s.Classes, func(c survey.ClassStats) []uint64 {
			return append([]uint64{uint64(c.Class), uint64(c.Blocks), c.BlockStates}, counts(c.Counts)...)
		})
	case word == byStones:
		return newGrid("By stones of the player to move and of the other one", names("mover", "other"), s.Stones, func(c survey.StonesStats) []uint64 {
			return append([]uint64{uint64(c.Mover), uint64(c.Other)}, counts(c.Counts)...)
		})
	case word == bySteps:
		return newGrid("By steps to the end", []string{"steps", "wins", "losses"}, s.Steps, func(c survey.StepsStats) []uint64 {
			return []uint64{uint64(c.Steps), c.Wins, c.Losses}
		})
	}
	// Terminal states have no nimber.
	return newGrid("By nimber", []string{"nimber", "states"}, s.Nimbers, func(c survey.NimberStats) []uint64 {
		return []uint64{uint64(c.Nimber), c.States}
	})
}

func names(first ...string) []string {
	return append(first, "states", "wins", "losses", "draws", "terminal_wins", "terminal_losses")
}

func counts(c survey.Counts) []uint64 {
	return []uint64{c.States, c.Wins, c.Losses, c.Draws, c.TerminalWins, c.TerminalLosses}
}

// WriteInfo writes a summary of the table at path for people, and numbers.
func WriteInfo(w io.Writer, path string, s *survey.Stats, grids ...grid) error {
	rows := cli.NewRows(w)
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
	rows.Add("bytes", "%s (%s)", cli.CountText(uint64(s.Bytes)), cli.BytesText(s.Bytes))
	if s.Packed > 0 {
		level := ""
		if s.Archive {
			level = ", an archive"
		}
		rows.Add("packed into", "%s (%s)%s", cli.CountText(uint64(s.Packed)), cli.BytesText(s.Packed), level)
	}
	rows.Add("identity", "%s", s.Identity)
	rows.Add("stored states", "%s", cli.CountText(s.Stored))
	rows.Add("states", "%s", cli.CountText(s.Total.States))
	rows.Add("wins", "%s, terminal %s", cli.Share(s.Total.Wins, s.Total.States), cli.CountText(s.Total.TerminalWins))
	rows.Add("losses", "%s, terminal %s", cli.Share(s.Total.Losses, s.Total.States), cli.CountText(s.Total.TerminalLosses))
	rows.Add("draws", "%s", cli.Share(s.Total.Draws, s.Total.States))
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
		fmt.Fprintf(w, "\n%s:\n\n", g.title)
		if err := cli.WriteGrid(w, tabwriter.AlignRight, g.texts(cli.CountText)); err != nil {
			return err
		}
	}
	return nil
}

func addLongest(rows cli.Rows, name string, l *survey.Longest) {
	if l != nil {
		rows.Add(name, "%s, in %s such as %s", cli.Plural(l.Steps, "step"), cli.CountOf(l.Count, "state", "states"), l.Position)
	}
}

type grid struct {
	title string
	names []string
	rows  [][]uint64
}

func newGrid[T any](title string, names []string, values []T, row func(T) []uint64) grid {
	g := grid{title: title, names: names}
	for _, v := range values {
		g.rows = append(g.rows, row(v))
	}
	return g
}

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

func (g grid) writeCSV(w io.Writer) error {
	return csv.NewWriter(w).WriteAll(g.texts(func(n uint64) string { return strconv.FormatUint(n, 10) }))
}
