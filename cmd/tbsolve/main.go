// Command tbsolve solves games, writes tables of the results, and inspects and checks
// tables.
package main

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/cmd/tables"
	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/game/othello"
	"backsolve/partition"
)

func main() {
	root := newRoot()
	root.SetArgs(cli.SplitBoards(root, os.Args[1:]))
	cli.Main(root, tables.Status)
}

const groupGames = "games"

func newRoot() *cobra.Command {
	cobra.CheckErr(examples.Add())
	root := &cobra.Command{
		Use:   "tbsolve",
		Short: "Solve board games completely and write tables of the results",
		Long: `tbsolve solves two-player board games completely, by backward induction. It writes
the outcome of every state to a table file, from which tbquery answers. Its list has all
games, also those that are defined by their positions, which have one board each.`,
		Example: `  tbsolve notakto 6           solve Notakto on the 6×6 board
  tbsolve quixo 4 --steps     solve Quixo on the 4×4 board, with steps
  tbsolve connect4-4x4        solve a game that is defined by its positions
  tbsolve notakto 6 --grundy  compute the nimbers of Notakto 6×6
  tbsolve list                list boards and tables
  tbsolve info quixo 4        show what a table contains
  tbsolve verify quixo 4      check a table
  tbsolve export quixo 4      write its states for other programs
  tbsolve digest quixo 4      print a hash of its rules and indexes`,
	}
	root.ValidArgsFunction = cli.CompleteOneWord
	root.AddGroup(&cobra.Group{ID: groupGames, Title: "Solve a game:"}, &cobra.Group{ID: tables.Group, Title: "Tables:"})
	program := solving.Program{Command: root.Name(), Group: groupGames}
	for _, g := range games.All() {
		root.AddCommand(solveCommand(g, program))
	}
	root.AddCommand(tables.Commands(games.All()...)...)
	root.AddCommand(fetchCommand(), publishCommand())
	root.AddCommand(tables.Gone("game", "tbsolve GAME for game solve, tbquery for game query, tbsolve rules for game check, and the other commands without game"))
	return root
}

// solveCommand returns the command that solves a game, or says who answers for it.
func solveCommand(g game.Game, of solving.Program) *cobra.Command {
	rules := tables.Rules(g)
	switch {
	case rules != nil:
		solve := solving.GameCommand(rules, of)
		solve.Hidden = true // as there are many, which list has
		return solve
	case g.Name == othello.Game.Name:
		return othelloCommand()
	case !partition.HasTables(g.Name):
		return tablelessCommand(g)
	}
	solve := solving.Command(g, of)
	solve.SetFlagErrorFunc(byMany)
	return solve
}

// byMany directs a user who asks for several processes to tbcluster.
func byMany(cmd *cobra.Command, err error) error {
	if unknown := (*pflag.NotExistError)(nil); errors.As(err, &unknown) {
		if name := unknown.GetSpecifiedName(); slices.Contains([]string{"workers", "cluster", "store"}, name) {
			return cli.Usagef("--%s is a flag of tbcluster, which solves with several processes: tbcluster solve %s", name, cmd.Name())
		} else if name == "outcomes" {
			return cli.Usagef("tables of %s have outcomes alone unless --steps is given; leave --outcomes out", cmd.Name())
		}
	}
	return cmd.Root().FlagErrorFunc()(cmd, err)
}
