package main

import (
	"slices"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/player/agents"
	"backsolve/probe"
)

// boardArgs are the board that arguments name, quixo 4, and the directory of its tables.
type boardArgs struct {
	board *probe.Board
	rules game.Rules
	dir   *string
}

// read reads the board, after the moves of --after, and returns the other arguments.
func (b *boardArgs) read(cmd *cobra.Command, args []string, after string) (others []string, err error) {
	if b.board, others, err = cli.Board(cmd, args, after); err == nil {
		b.rules = b.board.Rules()
	}
	return others, err
}

// sizesUpTo returns the sizes of a game up to one.
func sizesUpTo(most int) cli.Sizes {
	return func(g game.Game) []int {
		return slices.DeleteFunc(g.Sizes(), func(n int) bool { return n > most })
	}
}

func (b *boardArgs) name() string { return b.rules.Info().Name }
func (b *boardArgs) size() int    { return b.rules.Info().Size }

func (b *boardArgs) grid() (game.Grid, error) {
	grid, ok := game.GridOf(b.rules)
	if !ok {
		return nil, cli.Usagef("%v is too large to learn; give a board of at most 8×8 cells", b.rules.Info())
	}
	return grid, nil
}

func (b *boardArgs) env() *agents.Env {
	return &agents.Env{Rules: b.rules, Board: b.board, Dir: *b.dir}
}

// startText formats the value of the empty board: win in 21.
func startText(t *probe.Table) (string, error) {
	v, err := t.Value(t.Start())
	return v.String(), err
}
