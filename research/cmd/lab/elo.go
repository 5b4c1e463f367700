package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/player/zero"
	"backsolve/research/grade"
)

// rating is the result of a network in the tournament of a training.
type rating struct {
	Iteration int     `json:"iteration"`
	Entered   float64 `json:"entered"` // after its games against earlier networks
	Final     float64 `json:"final"`
	// Where each network enters with the rating of its predecessor, as in the published program.
	InheritedEntered float64 `json:"inherited_entered"`
	InheritedFinal   float64 `json:"inherited_final"`
}

// tournament holds the command line of lab elo.
type tournament struct {
	*shared
	every, simulations int
	format             *cli.Format
}

const eloLong = `Play the networks of a training against each other: each plays one game on each side
against all earlier ones. K is 32 after more than 20 games, else 16, as published for
Nim. The same games are rated twice. In one rating each network enters with 1000. In the
other, "inherited", it enters with the rating of its predecessor, and K is 32 for both
if either has 20 games. That is the rule of the published program, where networks also
play with search and every iteration is rated: --sims 50. Such ratings grow with the
number of networks. Games start as in the training; no tree is kept between moves.

How strong a network is beside other agents is for lab strength.`

func eloCommand(s *shared) *cobra.Command {
	t := &tournament{shared: s}
	cmd := &cobra.Command{
		Use:   "elo DIR",
		Short: "Rate the networks of a training by games",
		Long:  eloLong,
		Example: `  lab elo notakto-4x4
  lab elo notakto-4x4 --every 5 --sims 100`,
		Args:              cli.Args(1),
		ValidArgsFunction: completeDirs,
		RunE:              t.run,
	}
	f := cmd.Flags()
	f.IntVar(&t.every, "every", 1, "use the network of every Nth iteration")
	f.IntVar(&t.simulations, "sims", 0, "number of simulations for each move, 0 for the networks alone")
	t.format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	return cmd
}

func (t *tournament) run(cmd *cobra.Command, args []string) error {
	if err := checkNumbers(number{"every", t.every, 1, 1_000_000}, number{"sims", t.simulations, 0, zero.MaxSimulations}); err != nil {
		return err
	}
	networks, err := entrants(args[0], t.every, t.simulations)
	if err != nil {
		return err
	}
	if len(networks) < 2 {
		return fmt.Errorf("%s has %s to rate, and the least number is 2; name the directory of a training, or another --every", args[0], cli.Plural(len(networks), "network"))
	}
	out, err := t.play(cmd, networks)
	if err != nil {
		return err
	}
	return writeOut(cmd, t.format, "elo", out)
}

// entrant is a network to be rated, with a number of simulations.
type entrant struct {
	*network
	iteration, simulations int
	agent                  *zero.Agent
}

func newEntrant(n *network, iteration, simulations int) (entrant, error) {
	agent, err := zero.New(n.rules, n.Weights, simulations)
	return entrant{n, iteration, simulations, agent}, err
}

// entrants reads a network of each of every so many iterations of a training.
func entrants(dir string, every, simulations int) (all []entrant, err error) {
	for i := every; ; i += every {
		n, err := loadNetwork(filepath.Join(dir, weightsFile(i)))
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		e, err := newEntrant(n, i, simulations)
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
}

// play rates networks by games against each other.
func (t *tournament) play(cmd *cobra.Command, networks []entrant) (all []rating, err error) {
	var players []grade.Mover
	for _, n := range networks {
		players = append(players, n.agent)
	}
	p := progress.New("rating", fmt.Sprintf("%s %d", networks[0].Game, networks[0].Size))
	p.Begin("pairs", 0, float64(len(networks)*(len(networks)-1)/2))
	stop := p.Show(cmd)
	level, inherited, err := grade.Tournament(cmd.Context(), networks[0].rules, networks[0].start, players, *t.threads, func(agent, pairs int) {
		p.Update(fmt.Sprintf("iteration %d", networks[agent].iteration), float64(pairs))
	})
	stop()
	if err != nil {
		return nil, err
	}
	for i, n := range networks {
		all = append(all, rating{n.iteration, level.Entered[i], level.Final[i], inherited.Entered[i], inherited.Final[i]})
	}
	return all, nil
}
