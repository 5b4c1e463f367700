package tables

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/internal/machine"
	"backsolve/internal/plan"
	"backsolve/internal/probe"
	"backsolve/internal/solve"
	"backsolve/partition"
	"backsolve/tablebase"
)

type board struct {
	Game   string    `json:"game"`
	Size   game.Size `json:"size"`
	States *big.Int  `json:"states"` // of the whole game, null where only a table tells

	// What a solve without and with steps takes; null where none is possible, or only a plan tells.
	Outcomes  *cost  `json:"outcomes"`
	WithSteps *cost  `json:"with_steps"`
	Why       string `json:"why"` // it cannot be solved here and now, "" if it can

	Table solve.State `json:"table"`

	name string // of the board, for people
}

type cost struct {
	Table  int64 `json:"table_bytes"`
	Memory int64 `json:"memory_bytes"`
}

func listCommand(known []game.Game) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List boards and tables",
		GroupID: Group,
		Long: `List the boards of each game: the number of states, the size of the table and the
memory of a solve, without and with steps, and the tables in --dir. Figures with
steps are estimates. Boards that are not square, and variants, follow if they have a
table there, finished or not. For a game that is defined by its positions, such as
connect4-4x4, tbsolve GAME --plan estimates what it takes.`,
		Example: `  tbsolve list
  tbsolve list --dir /data/tables --json`,
		Args:              cli.Args(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir := cli.Dir(cmd)
			if err := errors.Join(cli.LocalDir(dir), probe.CheckDir(dir)); err != nil {
				return err
			}
			var boards []board
			for _, g := range slices.Concat(known, probe.RulesIn(dir, known)) {
				if rules, listed := g.New(g.MinSize).(custom.Listed); listed {
					boards = append(boards, describeGame(rules, dir))
					continue
				}
				sizes := append(g.Sizes(), probe.SizesIn(dir, g.Name, tablebase.PartialSuffix)...)
				slices.Sort(sizes)
				for _, n := range slices.Compact(sizes) {
					if grid, ok := game.GridOf(g.New(n)); ok && partition.HasTables(g.Name) {
						boards = append(boards, describe(grid, dir))
					}
				}
			}
			for i := range boards {
				if err := boards[i].Table.Err; err != nil {
					boards[i].Table.Reason = cli.Sentence(err)
				}
			}
			return cli.Print(cmd, boards, writeBoards)
		},
	}
}

func describe(rules game.Grid, dir string) board {
	b := board{name: fmt.Sprintf("%s %v", rules.Name(), game.Size(rules.Size())), Game: rules.Name(), Size: game.Size(rules.Size()), States: game.StateCount(rules.Info())}
	space, err := partition.New(rules)
	if err != nil {
		b.Why = "too many states"
		b.Table.State = "none"
		return b
	}
	b.Outcomes, b.WithSteps = costOf(space, false), costOf(space, true)
	if limit := machine.StandardMemory(machine.AvailableMemory()); limit > 0 && b.Outcomes.Memory > limit {
		b.Why = "more memory than is available"
	} else if free := machine.FreeDisk(dir); free != machine.Unknown && b.Outcomes.Table > free {
		b.Why = "more disk space than is free"
	}
	b.Table = solve.StateOf(rules, 0, dir)
	return b
}

func describeGame(rules custom.Listed, dir string) board {
	g := solve.Game{Dir: dir, Rules: rules}
	b := board{name: g.Name(), Game: g.Name(), Size: game.Size(rules.Info().Size)}
	var states int64
	if b.Table, states = g.State(); states > 0 {
		b.States = big.NewInt(states)
	}
	return b
}

func costOf(space *partition.Space, steps bool) *cost {
	p := plan.New(space, plan.Options{Steps: steps})
	return &cost{p.Table(), p.Memory()}
}

func writeBoards(w io.Writer, boards []board) error {
	grid := [][]string{{"GAME", "STATES", "DISK", "MEMORY", "DISK WITH STEPS", "MEMORY WITH STEPS", "TABLE"}}
	for _, b := range boards {
		grid = append(grid, []string{b.name, statesText(b.States), b.Outcomes.String(), b.WithSteps.String(), b.tableText()})
	}
	return cli.WriteGrid(w, 0, grid)
}

// String returns the two columns of a cost.
func (c *cost) String() string {
	if c == nil {
		return "-\t-"
	}
	return cli.BytesText(c.Table) + "\t" + cli.BytesText(c.Memory)
}

func statesText(n *big.Int) string {
	if n == nil {
		return "-"
	}
	if text := humanize.BigComma(n); len(text) <= len("847,288,609,443") {
		return text
	}
	return fmt.Sprintf("%.3g", new(big.Float).SetInt(n))
}

func (b *board) tableText() string {
	if text := solving.TableText(&b.Table); text != "" {
		return text
	}
	if b.Why != "" {
		return "not solvable here: " + b.Why
	}
	return "-"
}
