package tables

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
)

type mine struct {
	sample, threads cli.CountValue
	seed            uint64
}

func mineCommand() *cobra.Command {
	m := &mine{sample: cli.NewCount(100, 1<<30), threads: cli.ThreadsValue()}
	cmd := &cobra.Command{
		Use:     "mine BOARD",
		Short:   "Find puzzles in a table: positions with only one right move",
		GroupID: Group,
		Long: `Find positions in which only one of several moves keeps the win or the draw. For each
number of steps to the end (without steps, of only moves in a row) print the one with
the longest line: the opponent replies with the best moves, and only one move is right
each time. Also print the longest such line, and the longest win and loss of the table.

Positions are drawn at random: --sample from each class and number of marks, or from
each tier, or all if there are fewer. A larger sample finds longer lines. The same seed
finds the same puzzles. Some positions may never occur in a game from the start.

` + cli.TableHelp,
		Example: `  tbsolve mine quixo 4
  tbsolve mine notakto 5 --sample 10000 --seed 7
  tbsolve mine quixo 4 --json | jq .longest_line`,
	}
	readArgument(cmd, m.run)
	cmd.Flags().Lookup("grundy").Hidden = true // puzzles need outcomes
	f := cmd.Flags()
	f.Var(&m.sample, "sample", "number of random states of each class and number of marks")
	f.Uint64Var(&m.seed, "seed", 1, "seed of the sample")
	f.Var(&m.threads, "threads", fmt.Sprintf("number of threads, 1 to %d", cli.MaxThreads))
	cli.Advanced(cmd, "threads")
	return cmd
}

type mined struct {
	Game   string    `json:"game"`
	Size   game.Size `json:"size"`
	Seed   uint64    `json:"seed"`
	Sample int       `json:"sample"`
	*survey.Mined
}

func (m *mine) run(cmd *cobra.Command, table survey.Table) error {
	if t, ok := table.(*probe.Table); ok && (t.Opening() || t.Stored().Shape().Nimbers) {
		return cli.Usagef("%s has only some classes, or nimbers; mine needs a whole table of outcomes", t.Stored().Path())
	}
	p, stop := progress.Begin(cmd, "table", table.Board())
	found, err := survey.Mine(cmd.Context(), table, survey.WalkOptions{
		Sample: uint64(m.sample.Count), Seed: m.seed, Threads: m.threads.Count, Progress: p.Event,
	}, 1)
	stop()
	if err != nil {
		return err
	}
	if board := table.Info(); cli.WantsJSON(cmd) {
		return cli.WriteJSON(cmd.OutOrStdout(), mined{board.Name, game.Size(board.Size), m.seed, m.sample.Count, found})
	}
	return writeMined(cmd.OutOrStdout(), table.Board(), found)
}

func writeMined(w io.Writer, board string, found *survey.Mined) error {
	fmt.Fprintf(w, "%s: only one move is right in %s of %s\n", board, cli.CountText(found.Only), cli.CountOf(found.States, "state", "states"))
	rows := [][]string{{"outcome", "steps", "only moves", "position", "move"}}
	for _, p := range found.Puzzles {
		steps := "-"
		if p.Steps != nil {
			steps = strconv.Itoa(*p.Steps)
		}
		rows = append(rows, []string{p.Outcome, steps, strconv.Itoa(p.OnlyMoves), p.Position, p.Line[0]})
	}
	if len(rows) > 1 {
		fmt.Fprintln(w)
		if err := cli.WriteGrid(w, 0, rows); err != nil {
			return err
		}
	}
	if p := found.LongestLine; p != nil {
		fmt.Fprintf(w, "\nlongest line of only moves: %d, from %s\n  %s\n", p.OnlyMoves, p.Position, strings.Join(p.Line, " "))
	}
	for _, l := range []struct {
		what string
		*survey.Longest
	}{{"win", found.LongestWin}, {"loss", found.LongestLoss}} {
		if l.Longest != nil {
			fmt.Fprintf(w, "longest %s: %s, from %s\n", l.what, cli.Plural(l.Steps, "step"), l.Position)
		}
	}
	return nil
}
