// Command lab trains players, and measures them and games by exact values.
package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/partition"
)

func main() { cli.Main(newRoot(), status) }

func status(err error) int {
	switch {
	case errors.Is(err, partition.ErrTooLarge):
		return cli.StatusUsage
	case errors.As(err, new(*probe.MissingError)):
	case errors.Is(err, probe.ErrUnknown), errors.Is(err, partition.ErrNoTables):
		return cli.StatusFailed // an agent cannot play
	}
	return cli.TableStatus(err)
}

// shared has the flags of all commands.
type shared struct {
	dir     *string // of the tables
	threads *int
}

func newRoot() *cobra.Command {
	cobra.CheckErr(examples.Add())
	root := &cobra.Command{
		Use:   "lab",
		Short: "Train players of board games, and measure them by exact values",
		Long: `lab trains players by self-play, plays matches, and grades players and games by exact
values: by the tables of tbsolve, by formulas, or by search near the end.

An experiment is a file. lab run does what it describes, resumes, and leaves results
with the version, the machine, the seeds, the command line and checksums of inputs; lab
plot draws them.`,
		Example: `  lab match quixo 3 mcts:1000 optimal
  lab strength quixo 4 --out results
  lab train notakto 4 --out notakto-4x4
  lab grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100
  lab run docs/reports/learning/ablation-notakto-3.json --out ablation
  lab survey quixo 4`,
	}
	s := &shared{}
	all := &cobra.Command{} // holds the flags of all commands
	s.dir = cli.DirFlag(all.Flags())
	threads := cli.ThreadsValue()
	s.threads = &threads.Count
	all.Flags().Var(&threads, "threads", "number of threads; results do not depend on it")
	progress.Flags(all, all.Flags())
	cli.Advanced(all, "threads", "progress", "quiet")
	root.PersistentFlags().AddFlagSet(all.Flags())
	cli.AddTopic(root, "agents", "Agents", agents.Help())
	root.AddCommand(trainCommand(s), gradeCommand(s), matchCommand(s), strengthCommand(s), eloCommand(s), runCommand(s), plotCommand(s),
		exportCommand(s), surveyCommand(s), atlasCommand(s), benchCommand(s))
	return root
}

func seedFlag(cmd *cobra.Command, seed *uint64) {
	cmd.Flags().Uint64Var(seed, "seed", 1, "seed of all random choices")
	cli.Advanced(cmd, "seed")
}

// watch shows the progress of work until stop is called.
func (s *shared) watch(cmd *cobra.Command, kind, title, unit string, done, total float64) (p *progress.Progress, stop func()) {
	p = progress.New(kind, title)
	p.Begin(unit, done, total)
	return p, p.Show(cmd)
}

func completeAgents(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return agents.CompleteName(begun), cobra.ShellCompDirectiveNoSpace
}

var completeDirs = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)

func parseBoard(name string, size int) (game.Rules, error) {
	rules, err := games.New(name, size)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return rules, nil
}

// parseAgent parses the name of an agent; the error is one of usage, or of a table.
func parseAgent(ctx context.Context, name string, env *agents.Env) (player.Agent, error) {
	a, err := agents.Parse(ctx, name, env)
	return a, cli.UsageUnlessTable(err)
}

type number struct {
	flag               string
	value, least, most int
}

// checkNumbers refuses the first value of a flag that is out of bounds.
func checkNumbers(all ...number) error {
	for _, n := range all {
		if n.value < n.least || n.value > n.most {
			return cli.Usagef("--%s %d: give a number from %d to %d", n.flag, n.value, n.least, n.most)
		}
	}
	return nil
}

const (
	maxGames  = 1_000_000
	maxTurns  = 100_000
	maxStates = 100_000_000
	maxArgs   = 1000
)
