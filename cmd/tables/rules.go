package tables

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game/custom"
	"backsolve/retro/generic"
)

func rulesCommand() *cobra.Command {
	var games int
	var seed uint64
	cmd := &cobra.Command{
		Use:     "rules GAME",
		Short:   "Check the rules of a game that is defined by its positions",
		GroupID: Group,
		Long: `Play random games of a game that is defined by its positions, and name what breaks
the contract of package game/custom, with a position. The exit status is then 6.`,
		Example:           "  tbsolve rules connect4-4x4\n  tbsolve rules connect4-4x4 --games 5000 --seed 2",
		Args:              cli.BoardArgs(0, 0),
		ValidArgsFunction: cli.CompleteBoard(cli.SolvableSizes),
		RunE: func(cmd *cobra.Command, args []string) error {
			board, _, err := cli.Board(cmd, args, "")
			if err != nil {
				return err
			}
			g, ok := board.Rules().(custom.Listed)
			if !ok {
				return cli.Usagef("the rules of %v are built in, and rules checks those of games that are defined by their positions; compare built-in ones with: %s digest", board, cmd.Root().Name())
			}
			if err := g.Check(games, seed); err != nil {
				return err
			}
			loops, note := generic.MayLoop(g.Numbers()), ""
			if loops {
				note = "\nits games may be of any length; " + solving.LongGames
			}
			return cli.PrintLine(cmd, struct {
				Game      string `json:"game"`
				Games     int    `json:"games"`
				AnyLength bool   `json:"any_length"`
			}{g.Info().Name, games, loops}, "%s: %s broke no rule of the contract%s", g.Info().Name, cli.Plural(games, "random game"), note)
		},
	}
	cmd.Flags().IntVar(&games, "games", 1000, "number of random games")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the games")
	return cmd
}
