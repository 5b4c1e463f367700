package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/partition"
	"backsolve/probe"
	"backsolve/retro"
	"backsolve/tablebase"
)

// target is the table that a server is asked about.
type target struct {
	board string
	dir   string
}

func (t *target) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&t.board, "board", "quixo-4", "game and size of the `board` that is asked about")
	f.StringVar(&t.dir, "dir", "", "`directory` with the board's table (default one that is solved for the run, with steps)")
}

// rules returns the rules of the board.
func (t *target) rules() (game.Grid, error) {
	name, size, found := strings.Cut(t.board, "-")
	if !found {
		return nil, cli.Usagef("--board %.40q is not a board; give a game and a size like quixo-4", t.board)
	}
	n, err := cli.ParseSize(size)
	if err != nil {
		return nil, err
	}
	rules, err := games.NewGrid(name, n)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return rules, nil
}

// open opens the board's table, and solves it first where no directory is given.
// The directory is that of the table; cleanUp closes and removes what is not
// needed any more.
func (t *target) open(ctx context.Context) (table *probe.Table, dir string, cleanUp func(), err error) {
	rules, err := t.rules()
	if err != nil {
		return nil, "", nil, err
	}
	dir = t.dir
	remove := func() {}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "load-"); err != nil {
			return nil, "", nil, err
		}
		remove = func() { os.RemoveAll(dir) }
		err = solve(ctx, rules, dir)
	}
	if err != nil {
		remove()
		return nil, "", nil, err
	}
	if table, err = probe.Open(dir, rules); err != nil {
		remove()
		return nil, "", nil, err
	}
	return table, dir, func() { table.Close(); remove() }, nil
}

// mostStates is that of a board which is solved for a run: within seconds.
const mostStates = 1e9

// solve puts the table of a board into a directory, with steps.
func solve(ctx context.Context, rules game.Grid, dir string) error {
	if states, _ := game.StateCount(rules.Info()).Float64(); states > mostStates {
		return cli.Usagef("%s %d is too large to be solved for this; make its table with tbsolve and give its directory with --dir", rules.Name(), rules.Size())
	}
	space, err := partition.New(rules)
	if err != nil {
		return err
	}
	w, err := tablebase.Create(filepath.Join(dir, probe.FileName(rules.Info())), probe.Shape(space, true), false)
	if err != nil {
		return err
	}
	defer w.Close()
	if _, err := retro.Solve(ctx, space, w, retro.Options{Steps: true}); err != nil {
		return fmt.Errorf("the table for the run cannot be solved: %w", err)
	}
	return nil
}
