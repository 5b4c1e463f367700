package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"path/filepath"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/tbsolve/machine"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// board is a line of tbsolve list. Its field names are those of the JSON array.
type board struct {
	Game   string   `json:"game"`
	Size   int      `json:"size"`
	States *big.Int `json:"states"` // of the whole game

	// What a solve without and with steps takes; null where none is possible.
	Outcomes  *cost `json:"outcomes"`
	WithSteps *cost `json:"with_steps"`
	// Obstacle is why the board cannot be solved here and now, "" if it can.
	Obstacle string `json:"obstacle"`

	Table tableState `json:"table"`
}

// cost is what a solve is reckoned to take.
type cost struct {
	Table  int64 `json:"table_bytes"`
	Memory int64 `json:"memory_bytes"`
}

// tableState says which table of a board there is.
type tableState struct {
	State    string `json:"state"` // none, solved, packed, unfinished or unusable
	HasSteps bool   `json:"has_steps"`
	// HasNimbers says that nimbers are known, from this table or one beside it.
	HasNimbers bool   `json:"has_nimbers,omitempty"`
	Classes    int    `json:"classes,omitempty"` // where only so many of the emptiest are there, or of the fullest are finished
	Bytes      int64  `json:"bytes"`             // of the file, as far as it is written
	Reason     string `json:"reason"`            // why it is unusable
}

func listCommand() *cobra.Command {
	var format *cli.Format
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List what can be solved and which tables there are",
		GroupID: groupTables,
		Long: `List the games and their boards: the number of states, what a table takes on
disk and a solve in memory, without and with steps, and which tables there are.
Figures with steps are estimates.

` + statuses,
		Example: `  tbsolve list
  tbsolve list --dir /data/tables --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usagef("list takes no arguments; give a directory with --dir")
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	dir := cli.DirFlag(cmd.Flags())
	format = cli.FormatFlags(cmd, cli.Text, cli.JSON)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := cli.LocalDir(*dir); err != nil {
			return err
		}
		var boards []board
		for _, g := range games.All() {
			for _, n := range g.Sizes() {
				if grid, ok := game.GridOf(g.New(n)); ok && partition.HasTables(g.Name) {
					boards = append(boards, describe(grid, *dir))
				}
			}
		}
		if format.Word() == cli.JSON {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(boards)
		}
		return writeBoards(cmd.OutOrStdout(), boards)
	}
	return cmd
}

func describe(rules game.Grid, dir string) board {
	b := board{Game: rules.Name(), Size: rules.Size(), States: game.StateCount(rules.Info())}
	space, err := partition.New(rules)
	if err != nil {
		b.Obstacle = "too many states"
		if errors.Is(err, partition.ErrUncut) {
			b.Obstacle = "no tables of this size yet"
		}
		b.Table.State = "none"
		return b
	}
	b.Outcomes, b.WithSteps = costOf(space, false), costOf(space, true)
	if limit, _ := memoryLimit(0, machine.AvailableMemory()); limit > 0 && b.Outcomes.Memory > limit {
		b.Obstacle = "more memory than is available"
	} else if free := machine.FreeDisk(dir); free != machine.Unknown && b.Outcomes.Table > free {
		b.Obstacle = "more disk space than is free"
	}
	b.Table = findTable(rules, 0, dir)
	return b
}

func costOf(space partition.Space, steps bool) *cost {
	return &cost{retro.TableBytes(space, retro.Options{Steps: steps}, false), retro.Need(space, retro.Options{Steps: steps})}
}

// findTable looks what there is of a board, after the taken cells are marked, in a
// directory.
func findTable(rules game.Grid, taken uint64, dir string) tableState {
	path := filepath.Join(dir, probe.FileNameAfter(rules.Info(), taken))
	table, err := probe.OpenAfter(dir, rules, taken)
	if err == nil {
		defer table.Close()
		return stateOf(table)
	}
	missing, noDir := (*probe.MissingError)(nil), (*probe.DirError)(nil)
	if !errors.As(err, &missing) && !errors.As(err, &noDir) {
		bytes := fileSize(path)
		if bytes == 0 {
			bytes = fileSize(path + tablebase.PackedSuffix)
		}
		return tableState{State: "unusable", Bytes: bytes, Reason: cli.Sentence(err)}
	}
	for _, path := range []string{path, path + tablebase.PackedSuffix} {
		if u, err := tablebase.FindUnfinished(path); err == nil {
			return tableState{State: "unfinished", HasSteps: u.Shape.Steps, Classes: u.Classes, Bytes: u.Bytes}
		} else if size := fileSize(partialPath(path)); size > 0 {
			return tableState{State: "unfinished", Bytes: size}
		}
	}
	return tableState{State: "none"}
}

// stateOf describes a table that is open.
func stateOf(table *probe.Table) tableState {
	s := tableState{State: "solved", HasSteps: table.HasSteps(), HasNimbers: table.HasNimbers(), Bytes: table.Stored().Bytes()}
	if table.Opening() {
		s.Classes = table.Classes()
	}
	if packed := table.Stored().Packed(); packed > 0 {
		s.State, s.Bytes = "packed", packed
	}
	return s
}

func writeBoards(w io.Writer, boards []board) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "GAME\tSTATES\tDISK\tMEMORY\tDISK WITH STEPS\tMEMORY WITH STEPS\tTABLE")
	for _, b := range boards {
		fmt.Fprintf(t, "%s %d\t%s\t%s\t%s\t%s\n", b.Game, b.Size, statesText(b.States), b.Outcomes, b.WithSteps, b.tableText())
	}
	return t.Flush()
}

// String returns the two columns of a cost.
func (c *cost) String() string {
	if c == nil {
		return "-\t-"
	}
	return bytesText(c.Table) + "\t" + bytesText(c.Memory)
}

// statesText writes all digits where they fit a column.
func statesText(n *big.Int) string {
	if text := humanize.BigComma(n); len(text) <= len("847,288,609,443") {
		return text
	}
	return fmt.Sprintf("%.3g", new(big.Float).SetInt(n))
}

func (b *board) tableText() string {
	if text := b.Table.text(); text != "" {
		return text
	}
	if b.Obstacle != "" {
		return "not solvable here: " + b.Obstacle
	}
	return "-"
}

// text says which table there is, nothing where there is none.
func (t *tableState) text() string {
	steps := "without steps"
	if t.HasSteps {
		steps = "with steps"
	}
	if t.HasNimbers {
		steps += ", with nimbers"
	}
	switch t.State {
	case "solved", "packed":
		if t.Classes > 0 {
			steps += fmt.Sprintf(", the %d emptiest classes alone", t.Classes)
		}
		if t.State == "packed" {
			steps += ", packed"
		}
		return fmt.Sprintf("solved %s, %s", steps, bytesText(t.Bytes))
	case "unfinished":
		if t.Classes == 0 {
			return fmt.Sprintf("unfinished, %s so far", bytesText(t.Bytes))
		}
		return fmt.Sprintf("unfinished %s, %s, %s so far", steps, countOf(uint64(t.Classes), "class", "classes"), bytesText(t.Bytes))
	case "unusable":
		return "unusable: " + t.Reason
	}
	return ""
}
