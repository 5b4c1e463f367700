package tables

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/probe/survey"
)

// info is the command line of tbsolve info.
type info struct{ cli.Info }

func infoCommand() *cobra.Command {
	i := &info{}
	cmd := &cobra.Command{
		Use:     "info BOARD",
		Short:   "Show what a table contains",
		GroupID: Group,
		Long: `Show the game of a table, the numbers of won, lost and drawn states for the
player to move, the value of the start position, and the longest win and loss, each
with a position. The numbers are of states of the whole game: symmetric states
count separately, with a fixed player to move. Wins and losses include terminal
states, which are also counted separately. Terminal states have no nimber.

JSON contains everything. CSV contains one table: the selected one, or the totals.

` + cli.TableHelp + cli.WebHelp,
		Example: `  tbsolve info quixo 4
  tbsolve info quixo 4 --by steps --format csv
  tbsolve info tables/notakto-6x6.tb --by class,stones
  tbsolve info quixo 4 --json | jq .longest_win`,
	}
	readArgument(cmd, unchecked, i.run)
	i.Format = cli.GlobalFormat(cmd, cli.Text, cli.JSON, cli.CSV)
	cmd.Flags().Var((*cli.ByValue)(&i.By), "by", "`LIST` add numbers by class (of marked cells, or tier), stones (of each player), steps (to the end) or nimber")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(cli.ByWords, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (i *info) run(cmd *cobra.Command, table survey.Table) error {
	if i.Has(cli.BySteps) && !table.HasSteps() {
		return &cli.UsageError{Err: table.NoSteps()}
	}
	s, err := survey.Summarize(cmd.Context(), table)
	path := table.File().Path()
	switch {
	case err != nil:
		return err
	case i.Has(cli.ByStones) && s.Tiers:
		return cli.Usagef("%s is a table of single positions, whose stones it does not know; leave stones out of --by", path)
	case i.Has(cli.ByNimber) && s.Nimbers == nil:
		return cli.Usagef("%s has no nimbers; those of a board of Notakto are in the table that --grundy makes, for example: tbsolve notakto 4 --grundy", path)
	}
	return i.Write(cmd.OutOrStdout(), path, s)
}
