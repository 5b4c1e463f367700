// Command learn trains networks by self-play and grades agents with exact tables.
package main

import (
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player/agents"
)

func main() { cli.Main(newRoot(), cli.TableStatus) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "learn",
		Short: "Train networks by self-play, and grade agents with exact tables",
		Long: `learn trains policy-value networks by self-play, like AlphaZero, and grades agents of
any kind with exact tables: how often their moves keep the value, and whether any
opponent can beat them.

A small file describes a training. Its directory contains the description, the weights
after each iteration, a log, and a checkpoint from which it resumes. The same
description gives the same weights, bit for bit, whatever the number of threads and
interruptions.`,
		Example: `  learn describe notakto 4 > notakto-4x4.json
  learn train notakto-4x4.json --out notakto-4x4
  learn resume notakto-4x4 --iterations 80
  learn grade notakto 4 zero:weights=notakto-4x4/0040.weights,sims=100
  learn all --limit 5m && learn report`,
	}
	cli.AddTopic(root, "agents", "Agents", agents.Help())
	root.AddCommand(describeCommand(), trainCommand(), resumeCommand(), exportCommand(), gradeCommand(), visitsCommand(), eloCommand(), curvesCommand(), experimentCommand(), allCommand(), reportCommand())
	return root
}

// parseBoard returns the rules of a board that a file names.
func parseBoard(name string, size int) (game.Rules, error) {
	rules, err := games.New(name, size)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return rules, nil
}

// threadsFlag adds --threads and returns its value.
func threadsFlag(cmd *cobra.Command) *int {
	threads := cli.ThreadsValue()
	cmd.Flags().Var(&threads, "threads", "number of threads")
	cli.NoCompletion(cmd, "threads")
	return &threads.Count
}

// number is the value of a flag with its bounds.
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
