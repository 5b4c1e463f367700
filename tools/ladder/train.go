package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/player/qlearning"
)

// trainer is a training as it is asked for on the command line.
type trainer struct {
	board boardFlags
	seed  uint64
	games countValue
	quiet bool
	out   string
}

const trainLong = `Lets the qlearning agent of a board play against itself and learn from it, and
writes the weights to a file: qlearning:weights=FILE plays by them. No table is
needed.

`

// maxTraining bounds the games of a training.
const maxTraining = 1_000_000_000

func trainCommand() *cobra.Command {
	t := &trainer{games: newCount(10_000, maxTraining)}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Let the qlearning agent learn",
		Long:  trainLong + statuses,
		Example: `  ladder train --game quixo --size 4 --save quixo-4x4.weights.json
  ladder train --game notakto --size 5 --games 100000 --seed 7 --save weights.json`,
		Args: noArgs,
		RunE: t.run,
	}
	t.board.add(cmd)
	f := cmd.Flags()
	f.Var(&t.games, "games", "number of games")
	f.Uint64Var(&t.seed, "seed", 1, "what all chance comes from")
	f.StringVar(&t.out, "save", "", "`file` to write the weights to, in place of the one there is")
	f.BoolVar(&t.quiet, "quiet", false, "show no progress")
	return cmd
}

func (t *trainer) run(cmd *cobra.Command, _ []string) error {
	grid, err := t.board.grid()
	if err != nil {
		return err
	}
	if t.out == "" {
		return cli.Usagef("--save is missing; give for example --save %s.weights.json", boardWord(t.board.game, t.board.size))
	}
	w := work{quiet: t.quiet}
	p, stop := w.watch(cmd, "training", grid.Info().String())
	p.Begin("games", 0, float64(t.games.count))
	weights, err := qlearning.Train(cmd.Context(), grid, qlearning.DefaultOptions(t.games.count, t.seed), func(done, _ int) {
		p.Tell("learning", float64(done))
	})
	stop()
	if err != nil {
		return err
	}
	if err := weights.Save(t.out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "learned from %d games; %s has %d weights\n", t.games.count, t.out, len(weights.Values))
	return err
}
