package tables

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/probe"
)

func digestCommand() *cobra.Command {
	var positions int
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
			if positions < 1 {
				return cli.Usagef("--positions %d: give a positive number", positions)
			}
			board, _, err := cli.Board(cmd, args, "")
			if err != nil {
				return err
			}
			if lines {
				out := bufio.NewWriter(cmd.OutOrStdout())
				return errors.Join(probe.WriteRules(out, board.Rules(), positions), out.Flush())
			}
			hash := sha256.New()
			if err := probe.WriteRules(hash, board.Rules(), positions); err != nil {
				return err
			}
			digest := hex.EncodeToString(hash.Sum(nil))
			return cli.PrintLine(cmd, struct {
				Board     string `json:"board"`
				Positions int    `json:"positions"`
				SHA256    string `json:"sha256"`
			}{board.String(), positions, digest}, "%s", digest)
		},
	}
	cmd.Flags().IntVar(&positions, "positions", 1_000_000, "number of positions")
	cmd.Flags().BoolVar(&lines, "lines", false, "print what is hashed instead, a line for each position")
	return cmd
}
