package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/anygame/commands"
	"backsolve/cmd/cli"
	"backsolve/cmd/solving"
	"backsolve/game"
	"backsolve/game/examples"
	"backsolve/game/games"
	"backsolve/internal/durable"
	"backsolve/internal/machine"
	"backsolve/partition"
	"backsolve/plan"
	"backsolve/probe"
	"backsolve/retro/generic"
	"backsolve/solve"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// board is a line of tbsolve list. Its field names are those of the JSON array.
type board struct {
	Game   string    `json:"game"`
	Size   game.Size `json:"size"`
	States *big.Int  `json:"states"` // of the whole game

	// What a solve without and with steps takes; null where none is possible.
	Outcomes  *cost `json:"outcomes"`
	WithSteps *cost `json:"with_steps"`
	// Obstacle is why the board cannot be solved here and now, "" if it can.
	Obstacle string `json:"obstacle"`

	Table solve.State `json:"table"`

	name string // of the board, for people
}

// cost is what a solve is estimated to take.
type cost struct {
	Table  int64 `json:"table_bytes"`
	Memory int64 `json:"memory_bytes"`
}

func listCommand() *cobra.Command {
	var format *cli.Format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List boards and tables",
		GroupID: groupTables,
		Long: `List the boards of each game: the number of states, the size of the table and the
memory of a solve, without and with steps, and the tables in --dir. Figures with
steps are estimates. Boards that are not square, variants and games of tbsolve
game follow if they have a table there, finished or not.`,
		Example: `  tbsolve list
  tbsolve list --dir /data/tables --json`,
		Args:              cli.Args(0),
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	dir := cli.DirFlag(cmd.Flags())
	format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := errors.Join(cli.LocalDir(*dir), probe.CheckDir(*dir)); err != nil {
			return err
		}
		var boards []board
		for _, g := range games.All() {
			sizes := append(g.Sizes(), probe.SizesIn(*dir, g.Name, tablebase.PartialSuffix)...)
			slices.Sort(sizes)
			for _, n := range slices.Compact(sizes) {
				if grid, ok := game.GridOf(g.New(n)); ok && partition.HasTables(g.Name) {
					boards = append(boards, describe(grid, *dir))
				}
			}
		}
		for _, name := range commands.Names(examples.All()...) {
			if b, found := describeGame(name, *dir); found {
				boards = append(boards, b)
			}
		}
		return cli.Print(cmd, format, boards, writeBoards)
	}
	return cmd
}

func describe(rules game.Grid, dir string) board {
	b := board{name: fmt.Sprintf("%s %v", rules.Name(), game.Size(rules.Size())), Game: rules.Name(), Size: game.Size(rules.Size()), States: game.StateCount(rules.Info())}
	space, err := partition.New(rules)
	if err != nil {
		b.Obstacle = "too many states"
		b.Table.State = "none"
		return b
	}
	b.Outcomes, b.WithSteps = costOf(space, false), costOf(space, true)
	if limit := machine.StandardMemory(machine.AvailableMemory()); limit > 0 && b.Outcomes.Memory > limit {
		b.Obstacle = "more memory than is available"
	} else if free := machine.FreeDisk(dir); free != machine.Unknown && b.Outcomes.Table > free {
		b.Obstacle = "more disk space than is free"
	}
	if b.Table = solve.StateOf(rules, 0, dir); b.Table.Err != nil {
		b.Table.Reason = cli.Sentence(b.Table.Err)
	}
	return b
}

// describeGame describes a game of tbsolve game if its table, or an unfinished one, is in the directory.
func describeGame(name, dir string) (b board, found bool) {
	b = board{name: name, Game: name, Size: 1}
	for _, suffix := range []string{"", tablebase.PackedSuffix} {
		path := filepath.Join(dir, probe.SparseFileName(name)+suffix)
		t, err := sparse.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		b.Table = solve.State{State: "solved", HasSteps: true, Bytes: machine.FileSize(path)}
		if err != nil {
			b.Table.State, b.Table.Reason = "unusable", cli.Sentence(err)
			return b, true
		}
		defer t.Close()
		if t.Packed() > 0 {
			b.Table.State = "packed"
		}
		b.States = big.NewInt(t.States())
		return b, true
	}
	work := filepath.Join(dir, probe.SparseFileName(name)) + generic.WorkSuffix
	files, err := os.ReadDir(work)
	if err != nil {
		return b, false
	}
	b.Table = solve.State{State: "unfinished", HasSteps: true, Running: durable.Held(work)}
	for _, f := range files {
		b.Table.Bytes += machine.FileSize(filepath.Join(work, f.Name()))
	}
	return b, true
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

// statesText writes all digits where they fit a column.
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
	if b.Obstacle != "" {
		return "not solvable here: " + b.Obstacle
	}
	return "-"
}
