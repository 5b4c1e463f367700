// Command ladder grades agents: by matches between them, and against players who know all
// values and blunder with a given probability.
package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game/examples"
	"backsolve/internal/player/agents"
)

func main() { cli.Main(newRoot(), cli.TableStatus) }

func newRoot() *cobra.Command {
	cobra.CheckErr(examples.Add())
	root := &cobra.Command{
		Use:   "ladder",
		Short: "Grade agents against each other and against perfect play",
		Long: `ladder plays agents against each other and grades them with exact tables: their
strength against perfect and blundering players, the share of their right moves, and
how long they hold out.`,
		Example: `  ladder match quixo 3 mcts:1000 optimal
  ladder strength quixo 4 --out results
  ladder accuracy notakto 5 --agent greedy --iterations 100,1000
  ladder report`,
	}
	cli.AddTopic(root, "agents", "Agents", agents.Help())
	root.AddCommand(matchCommand(), gamesCommand(), strengthCommand(), accuracyCommand(), lengthCommand(), trainCommand(), reportCommand())
	return root
}

// work has the flags of commands that play.
type work struct {
	seed    uint64
	threads cli.CountValue
	display *progress.Display
}

func (w *work) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	w.threads = cli.ThreadsValue()
	f.Uint64Var(&w.seed, "seed", 1, "seed of all random choices; the games do not depend on the number of threads")
	f.Var(&w.threads, "threads", "number of games to play at once")
	w.display = progress.Flags(cmd)
	cli.NoCompletion(cmd, "seed", "threads")
	cli.Advanced(cmd, "seed", "threads", "progress", "quiet")
}

// watch shows the progress of work until stop is called.
func (w *work) watch(cmd *cobra.Command, kind, title string) (p *progress.Progress, stop func()) {
	p = progress.New(kind, title)
	return p, w.display.Show(cmd, p)
}

func completeAgents(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return agents.CompleteName(begun), cobra.ShellCompDirectiveNoSpace
}

// boardWord names a board in a file name: quixo-4x4.
func boardWord(name string, n int) string { return fmt.Sprintf("%s-%dx%[2]d", name, n) }
