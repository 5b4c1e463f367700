package tables

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/probe"
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
	readArgument(cmd, unchecked, readers{i.run, i.runSparse})
	i.Format = cli.GlobalFormat(cmd, cli.Text, cli.JSON, cli.CSV)
	cmd.Flags().Var((*cli.ByValue)(&i.By), "by", "`LIST` add numbers by class (of marked cells, or tier), stones (of each player), steps (to the end) or nimber")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(cli.ByWords, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

func (i *info) run(cmd *cobra.Command, table *probe.Table) error {
	path := table.Stored().Path()
	if i.Has(cli.BySteps) && !table.HasSteps() {
		return cli.Usagef("%s has no steps; solve it again with --steps --force", path)
	}
	if i.Has(cli.ByNimber) && !table.HasNimbers() {
		return cli.Usagef("%s has no nimbers; those of a board of Notakto are in the table that --grundy makes, for example: tbsolve notakto 4 --grundy", path)
	}
	s, err := survey.Summarize(cmd.Context(), table)
	if err != nil {
		return err
	}
	return i.Write(cmd.OutOrStdout(), path, s)
}

// runSparse is run for a table of single positions.
func (i *info) runSparse(cmd *cobra.Command, t *probe.Sparse) error {
	if i.Has(cli.ByStones) || i.Has(cli.ByNimber) {
		return cli.Usagef("%s is a table of single positions, which has no numbers by stones or nimber; leave them out of --by", t.Stored().Path())
	}
	if i.Has(cli.BySteps) && !t.HasSteps() {
		return cli.Usagef("%s has no steps; solve it again with --force and without --outcomes", t.Stored().Path())
	}
	s, err := survey.OfSparse(t)
	if err != nil {
		return err
	}
	i.Tiers = true
	return i.Write(cmd.OutOrStdout(), t.Stored().Path(), s)
}
