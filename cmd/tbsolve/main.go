// Command tbsolve solves games, writes tables of the results, and inspects and checks tables.
package main

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/cmd/tables"
	"backsolve/game/examples"
	"backsolve/game/games"
)

func main() { cli.Main(newRoot(), cli.TableStatus) }

func newRoot() *cobra.Command {
	cobra.CheckErr(examples.Add())
	root := tables.Root("tbsolve", games.All()...)
	root.Short = "Solve board games completely and write tables of the results"
	root.Long = `tbsolve solves two-player board games completely, by backward induction. It writes
the outcome of every state to a table file, from which tbquery answers. BOARD is a game and
its size, quixo 4 or quixo:4, or a game that has one board, connect4-4x4; tbsolve list has
them all, and tbsolve help quixo has the rules and sizes of one. Of Othello 4×4 and 6×6 only
the start is solved, by search.

` + solving.Help
	root.Example = `  tbsolve notakto 6           solve Notakto on the 6×6 board
  tbsolve quixo 4 --steps     solve Quixo on the 4×4 board, with steps
  tbsolve connect4-4x4        solve a game that is defined by its positions
  tbsolve notakto 6 --grundy  compute the nimbers of Notakto 6×6
  tbsolve quixo 5 --plan      print what a solve takes
  tbsolve list                list boards and tables
  tbsolve info quixo 4        show what a table contains
  tbsolve verify quixo 4      check a table
  tbsolve export quixo 4      write its states for other programs
  tbsolve digest quixo 4      print a hash of its rules and indexes`
	root.AddCommand(fetchCommand(), cli.WithoutDir(publishCommand()),
		tables.Gone("game", "tbsolve GAME for game solve, tbquery for game query, tbsolve rules for game check, and the other commands without game"))
	return root
}
