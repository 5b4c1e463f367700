package tables

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/cmd/solving"
	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/retro/generic"
)

func rulesCommand() *cobra.Command {
	var games int
	var seed uint64
	var all bool
	cmd := &cobra.Command{
		Use:     "rules GAME",
		Short:   "Check the rules of a game that is defined by its positions",
		GroupID: Group,
		Long: `Play random games of a game that is defined by its positions, and report what
breaks the contract of package game/custom, with a position. The exit status is then 6.
With --all, do so in every position that play can reach; verify does it in those that
it derives.`,
		Example:           "  tbsolve rules connect4-4x4 --all\n  tbsolve rules connect4-4x4 --games 5000 --seed 2",
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
			where, states := cli.Plural(games, "random game"), 0
			if all {
				p, stop := progress.Begin(cmd, "rules", g.Info().Name)
				states, err = generic.Check(cmd.Context(), g.Numbers(), generic.Options{Progress: p.Event})
				stop()
				if err != nil {
					return err
				}
				where += " and " + cli.CountOf(uint64(states), "state", "states")
			}
			loops, note := generic.MayLoop(g.Numbers()), ""
			if loops {
				note = "\nits games may be of any length; " + solving.LongGames
			}
			return cli.PrintLine(cmd, struct {
				Game      string `json:"game"`
				Games     int    `json:"games"`
				States    int    `json:"states,omitempty"` // with --all
				AnyLength bool   `json:"any_length"`
			}{g.Info().Name, games, states, loops}, "%s: %s broke no rule of the contract%s", g.Info().Name, where, note)
		},
	}
	cmd.Flags().IntVar(&games, "games", 1000, "number of random games")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the games")
	cmd.Flags().BoolVar(&all, "all", false, "also check every position that play can reach")
	return cmd
}

func digestCommand() *cobra.Command {
	positions := cli.NewCount(1_000_000, math.MaxInt)
	var lines bool
	cmd := &cobra.Command{
		Use:     "digest BOARD",
		Short:   "Print one hash over the rules and indexes of a board",
		GroupID: Group,
		Long: `Print the SHA-256 of positions of random play, their moves and outcomes, and where a
table stores them. Another implementation of the game that prints the same hash has
the same rules, notation and indexes. docs/reference/digest.md defines it.`,
		Example: `  tbsolve digest quixo 4
  tbsolve digest quixo 4 --positions 100 --lines`,
		Args:              cli.BoardArgs(0, 0),
		ValidArgsFunction: cli.CompleteBoard(cli.SolvableSizes),
		RunE: func(cmd *cobra.Command, args []string) error {
			board, _, err := cli.Board(cmd, args, "")
			if err != nil {
				return err
			}
			if lines {
				out := bufio.NewWriter(cmd.OutOrStdout())
				return errors.Join(probe.WriteRules(cmd.Context(), out, board.Rules(), positions.Count), out.Flush())
			}
			hash := sha256.New()
			if err := probe.WriteRules(cmd.Context(), hash, board.Rules(), positions.Count); err != nil {
				return err
			}
			digest := hex.EncodeToString(hash.Sum(nil))
			return cli.PrintLine(cmd, struct {
				Board     string `json:"board"`
				Positions int    `json:"positions"`
				SHA256    string `json:"sha256"`
			}{board.String(), positions.Count, digest}, "%s", digest)
		},
	}
	cmd.Flags().Var(&positions, "positions", "number of positions")
	cmd.Flags().BoolVar(&lines, "lines", false, "print what is hashed instead, a line for each position")
	return cmd
}
