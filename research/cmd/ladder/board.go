package main

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player/agents"
	"backsolve/probe"
)

// boardArgs are the arguments that name what is played: quixo 4.
type boardArgs struct {
	rules game.Rules
	dir   *string // of the tables
}

// read reads the first two of a command's arguments, which name the board, and returns
// those after them, of which there must be so many.
func (b *boardArgs) read(cmd *cobra.Command, args []string, others int) (rest []string, err error) {
	example, _, _ := strings.Cut(strings.TrimSpace(cmd.Example), "\n")
	if args, err = cli.BoardWords(args); err != nil {
		return nil, cli.Usagef("%w; an example is: %s", err, example)
	}
	if len(args) != 2+others {
		what := "a game and the size of its board"
		if others > 0 {
			what = "a game, the size of its board and two agents"
		}
		return nil, cli.Usagef("%s takes %s; an example is: %s", cmd.CommandPath(), what, example)
	}
	if _, err := games.Lookup(args[0]); err != nil {
		return nil, cli.Usagef("%w; an example is: %s", err, example)
	}
	n, err := cli.ParseSize(args[1])
	if err != nil {
		return nil, err
	}
	if b.rules, err = games.New(args[0], n); err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return args[2:], nil
}

// argsOf returns the check of a command's arguments, which name the board and so many
// agents.
func (b *boardArgs) argsOf(others int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		_, err := b.read(cmd, args, others)
		return err
	}
}

// completeBoard completes a game, and a size at which it can be played.
func completeBoard(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return cli.CompleteTable("", nil), cobra.ShellCompDirectiveNoFileComp
	case 1:
		if g, err := games.Lookup(args[0]); err == nil {
			return sizes(g.MinSize, g.MaxSize), cobra.ShellCompDirectiveNoFileComp
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

func sizes(least, most int) (texts []string) {
	for n := least; n <= most; n++ {
		texts = append(texts, strconv.Itoa(n))
	}
	return texts
}

// completeTables completes a game, and a size of which there is a table.
func (b *boardArgs) completeTables(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return cli.CompleteTable(*b.dir, args), cobra.ShellCompDirectiveNoFileComp
}

// name and size are those of the board.
func (b *boardArgs) name() string { return b.rules.Info().Name }
func (b *boardArgs) size() int    { return b.rules.Info().Size }

// grid returns the rules of a board that is a grid.
func (b *boardArgs) grid() (game.Grid, error) {
	grid, ok := game.GridOf(b.rules)
	if !ok {
		return nil, cli.Usagef("%v is too large to learn; give a board of at most 8×8 cells", b.rules.Info())
	}
	return grid, nil
}

// env returns what agents of the board are made for.
func (b *boardArgs) env() *agents.Env { return &agents.Env{Rules: b.rules, Dir: *b.dir} }

// startText says what the empty board of a table is worth: win in 21.
func startText(t *probe.Table) (string, error) {
	v, err := t.Value(t.Start())
	return v.String(), err
}
