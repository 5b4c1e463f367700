package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/player/qlearning"
)

const (
	// learned and byActions are the agents that learn weights of features: those of the state
	// after a move, or as published for each action, learned backwards over a game.
	learned   = "qlearning"
	byActions = "qlearning-actions"
	// networkKind begins the labels of networks in a series, before the number of simulations.
	networkKind = "network"
	// maxGrid is the size of the largest board whose cells fit into a word.
	maxGrid = 8
	// qlearningFile is the file of the weights in the directory of a training.
	qlearningFile = "weights.json"
)

// trainingGames bring the learning rates of the agents of a series close to 0.
var trainingGames = map[string]int{learned: 20_000, byActions: 8_000}

// learn trains an agent of features on a board.
func learn(ctx context.Context, rules game.Rules, learner string, games int, seed uint64, report func(done int)) (*qlearning.Weights, error) {
	grid, ok := game.GridOf(rules)
	if !ok {
		return nil, cli.Usagef("%v is too large to learn; give a board of at most %d×%[2]d cells", rules.Info(), maxGrid)
	}
	o := qlearning.DefaultOptions(games, seed)
	o.Actions = learner == byActions
	return qlearning.Train(ctx, grid, o, func(done, _ int) {
		if report != nil {
			report(done)
		}
	})
}

// learn adds the training of an agent of a series, unless its weights are there, and returns their
// file. Its cost is 0, so it comes first.
func (r *runner) learn(rules game.Rules, label string, seed uint64) (path string) {
	word := boardWord(rules.Info().Name, rules.Info().Size)
	path = filepath.Join(r.out, label+"-"+word+".json")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	r.jobs = append(r.jobs, job{
		what: word + ": training of " + label,
		do: func(ctx context.Context, _ func(share float64)) error {
			if _, err := os.Stat(path); err == nil {
				return nil // another series has trained it
			}
			w, err := learn(ctx, rules, label, trainingGames[label], seed, nil)
			if err != nil {
				return err
			}
			return w.Save(path)
		},
	})
	return path
}

// learn trains the agent of features of a board, and writes its weights.
func (t *training) learn(cmd *cobra.Command, rules game.Rules) error {
	games := t.iterations
	if games == 0 {
		games = 10_000
	}
	p, stop := t.watch(cmd, "training", rules.Info().String())
	p.Begin("games", 0, float64(games))
	w, err := learn(cmd.Context(), rules, t.learner.String(), games, t.seed, func(done int) { p.Update("learning", float64(done)) })
	stop()
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(t.out, 0o755); err != nil {
		return err
	}
	if err := w.Save(t.path(qlearningFile)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "learned from %s; %s has %s\n", cli.Plural(games, "game"), t.path(qlearningFile), cli.Plural(len(w.Values), "weight"))
	return err
}
