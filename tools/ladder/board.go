package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player/agents"
	"backsolve/probe"
)

// boardFlags are the flags that say what is played.
type boardFlags struct {
	game string
	size int
	dir  *string // of the tables
}

// addWithTables adds the flags, with that for the directory of the tables.
func (b *boardFlags) addWithTables(cmd *cobra.Command) {
	b.add(cmd)
	b.dir = cli.DirFlag(cmd.Flags())
}

func (b *boardFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&b.game, "game", "", "`game` to play: notakto or quixo")
	f.IntVar(&b.size, "size", 0, "`n` of the n×n board")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("game", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, g := range games.All() {
			names = append(names, g.Name+"\t"+g.Summary)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}))
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("size", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		g, err := games.Lookup(b.game)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var sizes []string
		for n := g.MinSize; n <= g.MaxSize; n++ {
			sizes = append(sizes, strconv.Itoa(n))
		}
		return sizes, cobra.ShellCompDirectiveNoFileComp
	}))
}

// rules returns the rules of the board.
func (b *boardFlags) rules() (game.Rules, error) {
	switch {
	case b.game == "":
		return nil, cli.Usagef("--game is missing; give for example --game quixo --size 4")
	case b.size == 0:
		return nil, cli.Usagef("--size is missing; give for example --game %s --size 4", b.game)
	}
	rules, err := games.New(b.game, b.size)
	if err != nil {
		return nil, &cli.UsageError{Err: err}
	}
	return rules, nil
}

// grid returns the rules of a board that is a grid.
func (b *boardFlags) grid() (game.Grid, error) {
	rules, err := b.rules()
	if err != nil {
		return nil, err
	}
	grid, ok := game.GridOf(rules)
	if !ok {
		return nil, cli.Usagef("%v is too large to learn; give a board of at most 8×8 cells", rules.Info())
	}
	return grid, nil
}

// env returns what agents of the board are made for.
func (b *boardFlags) env() (*agents.Env, error) {
	rules, err := b.rules()
	if err != nil {
		return nil, err
	}
	return &agents.Env{Rules: rules, Dir: *b.dir}, nil
}

// startText says what the empty board of a table is worth: win in 21.
func startText(t *probe.Table) (string, error) {
	outcome, steps, err := t.Lookup(t.Start())
	return probe.Value{Outcome: outcome, Steps: steps}.String(), err
}
