package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/probe"
	"backsolve/probe/survey"
)

// info is the command line of tbsolve info.
type info struct {
	classes, bySteps, byStones, byNimber bool
	format                               *cli.Format
}

func infoCommand() *cobra.Command {
	i := &info{}
	cmd := &cobra.Command{
		Use:     "info BOARD",
		Short:   "Show what a table contains",
		GroupID: groupTables,
		Long: `Show the game of a table, the numbers of won, lost and drawn states for the
player to move, the value of the start position, and the longest win and loss, each
with a position. The numbers are of states of the whole game: symmetric states
count separately, with a fixed player to move. Wins and losses include terminal
states, which are also counted separately. Terminal states have no nimber.

JSON contains everything. CSV contains one table: the selected one, or the totals.

` + cli.TableHelp + cli.WebHelp,
		Example: `  tbsolve info quixo 4
  tbsolve info quixo 4 --by-steps --format csv
  tbsolve info tables/notakto-6x6.tb --classes --by-stones
  tbsolve info quixo 4 --json | jq .longest_win`,
	}
	readArgument(cmd, i.run)
	i.format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	f := cmd.Flags()
	f.BoolVar(&i.classes, "classes", false, "add outcomes by class, the number of marked cells")
	f.BoolVar(&i.byStones, "by-stones", false, "add outcomes by the number of marks of each player")
	f.BoolVar(&i.bySteps, "by-steps", false, "add outcomes by steps to the end")
	f.BoolVar(&i.byNimber, "by-nimber", false, "add states by nimber")
	return cmd
}

func (i *info) run(cmd *cobra.Command, open func() (*probe.Table, error)) error {
	table, err := open()
	if err != nil {
		return err
	}
	defer table.Close()
	path := table.Stored().Path()
	if i.bySteps && !table.HasSteps() {
		return cli.Usagef("%s has no steps; solve it again with --steps --force", path)
	}
	if i.byNimber && !table.HasNimbers() {
		return cli.Usagef("%s has no nimbers; those of a board of Notakto are in the table that --grundy makes, for example: tbsolve notakto 4 --grundy", path)
	}
	s, err := survey.Summarize(cmd.Context(), table)
	if err != nil {
		return err
	}
	grids := i.grids(s)
	w := cmd.OutOrStdout()
	switch {
	case i.format.Word() == cli.JSON:
		return json.NewEncoder(w).Encode(s)
	case i.format.Word() == cli.Text:
		return writeInfo(w, path, s, grids)
	case len(grids) == 0:
		return newGrid("", names(), []survey.Counts{s.Total}, counts).writeCSV(w)
	case len(grids) > 1:
		return cli.Usagef("CSV has one table; ask for just one of --classes, --by-stones, --by-steps and --by-nimber")
	}
	return grids[0].writeCSV(w)
}

// grids returns the tables of numbers that were asked for.
func (i *info) grids(s *survey.Stats) (grids []grid) {
	add := func(wanted bool, g grid) {
		if wanted {
			grids = append(grids, g)
		}
	}
	add(i.classes, newGrid("By class", names("class", "blocks", "block_states"), s.Classes, func(c survey.ClassStats) []uint64 {
		return append([]uint64{uint64(c.Class), uint64(c.Blocks), c.BlockStates}, counts(c.Counts)...)
	}))
	add(i.byStones, newGrid("By stones of the player to move and of the other one", names("mover", "other"), s.Stones, func(c survey.StonesStats) []uint64 {
		return append([]uint64{uint64(c.Mover), uint64(c.Other)}, counts(c.Counts)...)
	}))
	add(i.bySteps, newGrid("By steps to the end", []string{"steps", "wins", "losses"}, s.Steps, func(c survey.StepsStats) []uint64 {
		return []uint64{uint64(c.Steps), c.Wins, c.Losses}
	}))
	// Terminal states have no nimber.
	add(i.byNimber, newGrid("By nimber", []string{"nimber", "states"}, s.Nimbers, func(c survey.NimberStats) []uint64 {
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
		if err := g.writeText(w); err != nil {
			return err
		}
	}
	return nil
}
