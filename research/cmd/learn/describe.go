package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/research/selfplay"
)

func describeCommand() *cobra.Command {
	learner := cli.NewChoice(string(selfplay.Zero), string(selfplay.DQN))
	cmd := &cobra.Command{
		Use:   "describe BOARD",
		Short: "Print the description of a training of moderate length",
		Long: `Print a description of a training for learn train, to be edited.
docs/reports/learning.md explains its fields. The learner is zero, like AlphaZero, or
dqn, like Deep-Notakto.

` + cli.TableHelp + ``,
		Example: `  learn describe notakto 4 > notakto-4x4.json
  learn describe nim 5 > nim-5.json
  learn describe notakto 4 --learner dqn > notakto-4x4-dqn.json`,
		Args:              cli.BoardArgs(0, 0),
		ValidArgsFunction: cli.CompleteBoard(func(g game.Game) []int { return g.Sizes() }),
		RunE: func(cmd *cobra.Command, args []string) error {
			board, _, err := cli.Board(cmd, args, "")
			if err != nil {
				return err
			}
			r := selfplay.DefaultRun(board.Info())
			if learner.String() == string(selfplay.DQN) {
				r = selfplay.DefaultDQN(board.Info())
			}
			if err := r.Check(); err != nil {
				return &cli.UsageError{Err: err}
			}
			data, err := json.MarshalIndent(r, "", "  ")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", data)
			return err
		},
	}
	learner.Register(cmd, "learner", "learning algorithm: zero or dqn")
	return cmd
}
