package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
)

// tablelessCommand returns the command of a game without tables. It says which program answers
// for the game.
func tablelessCommand(g game.Game) *cobra.Command {
	return &cobra.Command{
		Use:                g.Name + " SIZE",
		Short:              "Say who answers for " + g.Name + ", which has no tables",
		Hidden:             true,
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(_ *cobra.Command, args []string) error {
			size := strconv.Itoa(g.MinSize)
			if len(args) > 0 {
				size = args[0]
			}
			board, err := cli.ParseBoard(g.Name, size, "")
			if err != nil {
				return err
			}
			return &cli.UsageError{Err: board.Unsolvable()}
		},
	}
}
