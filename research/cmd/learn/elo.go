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
	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/player/zero"
	"backsolve/research/grade"
	"backsolve/research/selfplay"
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
	// against are the names of fixed agents, none where the networks play each other, and
	// games is how many each plays against each of them.
	against []string
	games   int
	seed    uint64
	threads *int
	dir     *string
	format  *cli.Format
}

const eloLong = `Lets the networks of a training play each other, and rates them by the rule that is
published for Nim: each begins with 1000, and plays against all before it, one game with
either side; K is 32 for a player of more than 20 games, else 16. The ratings say how
networks of one training compare, and nothing of how well they play. Games begin where
those of the training do, by its description.

With --against they play fixed agents instead, and each is rated by its games against
these alone, so that networks of all trainings on a board compare. Who is better by d is
expected to score 1/(1 + 10^(-d/400)) of a game, a draw being half of one; ratings are
those of greatest likelihood. The fixed agents' come from games among them, each against
each, and the first one's is 1000. To each pair half a win and half a loss are added, so
that who wins every game has a finite rating, too. The intervals hold the true rating
with a probability of 95 %: of a fixed agent its distance from the first one, of a
network its place among the fixed agents, as if their ratings were known exactly.

Networks play without chance. Against an agent that does, too, two games are repeated,
which "different" shows, and the interval is narrower than what is known.

The name of an agent that has a comma goes into double quotes: "mcts:100,weighted".

Agents:
`

func eloCommand() *cobra.Command {
	t := &tournament{}
	cmd := &cobra.Command{
		Use:   "elo DIRECTORY",
		Short: "Rate the networks of a training by games against each other, or against fixed agents",
		Long:  eloLong + agents.Help() + "\n" + cli.StatusHelp,
		Example: `  learn elo notakto-4x4
  learn elo notakto-4x4 --every 5 --sims 100
  learn elo notakto-4x4 --every 20 --against random,greedy,mcts:100
  learn elo notakto-4x4 --every 20 --against 'random,mcts:100,"mcts:100,weighted"' --games 400`,
		Args: words(1, "the directory of the training"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: t.run,
	}
	f := cmd.Flags()
	f.IntVar(&t.every, "every", 1, "of each `N` iterations one network plays")
	f.IntVar(&t.simulations, "sims", 0, "`number` of simulations for each move, 0 for the networks alone")
	f.StringSliceVar(&t.against, "against", nil, "fixed `agents` to play against, the first one rated 1000; more by repeating the flag")
	f.IntVar(&t.games, "games", usedFixedGames, "`number` of games of each pair with --against, an even one")
	f.Uint64Var(&t.seed, "seed", 1, "what the chance of the agents comes from")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("against", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return agents.Complete(), cobra.ShellCompDirectiveNoSpace
	}))
	cli.NoCompletion(cmd, "every", "sims", "games", "seed")
	t.threads = threadsFlag(cmd)
	t.dir = cli.DirFlag(f)
	t.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	cli.Advanced(cmd, "seed", "threads")
	return cmd
}

func (t *tournament) run(cmd *cobra.Command, args []string) error {
	err := checkNumbers(number{"threads", *t.threads, 1, maxThreads}, number{"every", t.every, 1, 1_000_000},
		number{"sims", t.simulations, 0, zero.MaxSimulations}, number{"games", t.games, 2, maxGames})
	if err != nil {
		return err
	}
	if len(t.against) > 0 {
		return t.rate(cmd, args[0])
	}
	if cmd.Flags().Changed("games") {
		return cli.Usagef("--games is the number of games against fixed agents, of whom there are none; name some with --against")
	}
	ratings, err := t.play(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if t.format.Word() == cli.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), ratings)
	}
	rows := [][]string{{"iteration", "entered at", "at the end"}}
	for _, r := range ratings {
		rows = append(rows, []string{fmt.Sprint(r.Iteration), fmt.Sprintf("%.0f", r.Entered), fmt.Sprintf("%.0f", r.Final)})
	}
	return cli.WriteGrid(cmd.OutOrStdout(), tabwriter.AlignRight, rows)
}

// entrant is a network of a training that is rated, with a number of simulations.
type entrant struct {
	iteration, simulations int
	agent                  *zero.Agent
}

// ground is where networks play: a board, and the position that games begin with.
type ground struct {
	rules game.Rules
	start game.State
}

// groundOf is where the networks of a training play, by the weights of one.
func groundOf(rules game.Rules, w *zero.Weights) (ground, error) {
	start, err := selfplay.StartOf(&w.Made)
	return ground{rules, start}, err
}

// entrants reads the networks of a training, one of every so many iterations.
func entrants(dir string, every, simulations int) (on ground, all []entrant, err error) {
	for i := every; ; i += every {
		path := filepath.Join(dir, weightsFile(i))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return on, all, nil
		}
		w, rules, err := loadNetwork(path)
		if err != nil {
			return ground{}, nil, err
		}
		if on, err = groundOf(rules, w); err != nil {
			return ground{}, nil, err
		}
		agent, err := zero.New(rules, w, simulations)
		if err != nil {
			return ground{}, nil, err
		}
		all = append(all, entrant{i, simulations, agent})
	}
}

// tooFew is the error for a directory with too few networks to do something with.
func tooFew(dir string, found int, what string) error {
	return fmt.Errorf("%s has %s to %s; name the directory of a training, or another --every", dir, cli.Plural(found, "network"), what)
}

// play plays the tournament of a directory.
func (t *tournament) play(ctx context.Context, dir string) (all []rating, err error) {
	on, networks, err := entrants(dir, t.every, t.simulations)
	if err != nil {
		return nil, err
	}
	if len(networks) < 2 {
		return nil, tooFew(dir, len(networks), "play each other")
	}
	var players []player.Agent
	for _, n := range networks {
		players = append(players, n.agent)
	}
	entered, final, err := grade.Tournament(ctx, on.rules, on.start, players, t.seed, *t.threads)
	if err != nil {
		return nil, err
	}
	for i, n := range networks {
		all = append(all, rating{Iteration: n.iteration, Entered: entered[i], Final: final[i]})
	}
	return all, nil
}
