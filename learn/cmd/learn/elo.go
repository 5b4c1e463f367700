package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/learn/grade"
	"backsolve/learn/selfplay"
	"backsolve/player"
	"backsolve/player/zero"
)

// rating is what came of a network in the tournament of a training.
type rating struct {
	Iteration int `json:"iteration"`
	// Entered is the rating after its games against those before it, Final that at the end.
	Entered float64 `json:"entered"`
	Final   float64 `json:"final"`
}

// tournament is one as it is asked for on the command line.
type tournament struct {
	every, simulations int
	seed               uint64
	threads            *int
	format             *cli.Format
}

func eloCommand() *cobra.Command {
	t := &tournament{}
	cmd := &cobra.Command{
		Use:   "elo DIRECTORY",
		Short: "Rate the networks of a training by games against each other",
		Long: `Lets the networks of a training play each other, and rates them by the rule that is
published for Nim: each begins with 1000, and plays against all before it, one game with
either side, from the start that the training has by its description; K is 32 for a player
of more than 20 games, else 16. The ratings say how networks of one training compare, and nothing of how well they play.

` + cli.StatusHelp,
		Example: `  learn elo notakto-4x4
  learn elo notakto-4x4 --every 5 --sims 100`,
		Args: words(1, "the directory of the training"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: t.run,
	}
	f := cmd.Flags()
	f.IntVar(&t.every, "every", 1, "of each `N` iterations one network plays")
	f.IntVar(&t.simulations, "sims", 0, "`number` of simulations for each move, 0 for the networks alone")
	f.Uint64Var(&t.seed, "seed", 1, "what the chance of the agents comes from")
	for _, name := range []string{"every", "sims", "seed"} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
	t.threads = threadsFlag(cmd)
	t.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	cli.Advanced(cmd, "seed", "threads")
	return cmd
}

func (t *tournament) run(cmd *cobra.Command, args []string) error {
	for _, err := range []error{
		checkNumber("threads", *t.threads, 1, maxThreads), checkNumber("every", t.every, 1, 1_000_000), checkNumber("sims", t.simulations, 0, zero.MaxSimulations),
	} {
		if err != nil {
			return err
		}
	}
	ratings, err := t.play(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if t.format.Word() == cli.JSON {
		return writeJSON(cmd.OutOrStdout(), ratings)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "iteration\tentered at\tat the end\t")
	for _, r := range ratings {
		fmt.Fprintf(w, "%d\t%.0f\t%.0f\t\n", r.Iteration, r.Entered, r.Final)
	}
	return w.Flush()
}

// play plays the tournament of a directory.
func (t *tournament) play(ctx context.Context, dir string) ([]rating, error) {
	var all []rating
	var agents []player.Agent
	var rules game.Rules
	var start game.State
	for i := t.every; ; i += t.every {
		path := filepath.Join(dir, weightsFile(i))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			break
		}
		w, err := zero.Load(path)
		if err != nil {
			return nil, err
		}
		if rules == nil {
			if rules, err = parseBoard(w.Game, fmt.Sprint(w.Size)); err != nil {
				return nil, err
			}
			if start, err = selfplay.StartOf(&w.Made); err != nil {
				return nil, err
			}
		}
		agent, err := zero.New(rules, w, t.simulations)
		if err != nil {
			return nil, err
		}
		agents, all = append(agents, agent), append(all, rating{Iteration: i})
	}
	if len(agents) < 2 {
		return nil, fmt.Errorf("%s has %s to play each other; name the directory of a training, or another --every", dir, counted(len(agents), "network"))
	}
	entered, final, err := grade.Tournament(ctx, rules, start, agents, t.seed, *t.threads)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Entered, all[i].Final = entered[i], final[i]
	}
	return all, nil
}
