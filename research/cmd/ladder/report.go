package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/research/internal/files"
)

// reporter holds the command line of a report.
type reporter struct {
	work
	dir                  *string
	out, data            string
	iterations           iterationsValue
	boards               []string
	games, turns, states cli.CountValue
	budget               time.Duration
	fromData, force      bool
}

const reportLong = `Measure the ladders of Quixo 3×3, 4×4 and 5×5 and of Notakto 3×3 to 6×6 for which
there are tables, and those of Nim and Othello 4×4, which need none. Write a page with
published observations and figures beside ours, the depth of each ladder, and plots.

The page is ladder.md in --out, with plots and longer tables in the directory ladder
beside it. The data are in --data and are kept: the same command adds missing points,
cheapest first. No point is started after --budget. --from-data plays nothing.
Blundering opponents and reference agents are measured only at 0, 100, 300, 1000,
3000, 10000 and 100000 of the --iterations. Networks are measured on boards for which
--data has weights: network-notakto-4x4.weights.`

func reportCommand() *cobra.Command {
	r := &reporter{
		iterations: newIterations(reportIterations),
		games:      cli.NewCount(200, maxGames), turns: cli.NewCount(200, maxTurns), states: cli.NewCount(1000, maxStates),
	}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Measure all ladders and write a report",
		Long:  reportLong,
		Example: `  ladder report
  ladder report --budget 2h --threads 2
  ladder report --boards quixo-3x3,nim --budget 10m
  ladder report --from-data`,
		Args: cli.Args(0),
		RunE: r.run,
	}
	f := cmd.Flags()
	r.dir = cli.DirFlag(f)
	f.StringVar(&r.out, "out", filepath.Join("docs", "reports"), "`DIR` directory of the page")
	f.StringVar(&r.data, "data", filepath.Join("results", "ladder"), "`DIR` directory of the data")
	f.Var(&r.iterations, "iterations", "`LIST` iterations of mcts: numbers and ranges with a step")
	f.StringSliceVar(&r.boards, "boards", nil, "`LIST` games or boards to measure, for example nim,quixo-3x3 (default all)")
	f.Var(&r.games, "games", "number of games for each point")
	f.Var(&r.turns, "turn-limit", "number of turns after which a game is drawn")
	f.Var(&r.states, "states", "number of positions for each point of accuracy")
	f.DurationVar(&r.budget, "budget", 0, "start no point after this time (default no limit)")
	f.BoolVar(&r.fromData, "from-data", false, "play nothing; make the page and plots from existing data")
	f.BoolVar(&r.force, "force", false, "discard data of other settings")
	r.work.addFlags(cmd)
	cli.NoCompletion(cmd, "iterations", "games", "turn-limit", "states", "budget")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("boards", cobra.FixedCompletions(allBoards(), cobra.ShellCompDirectiveNoFileComp)))
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cobra.CheckErr(cmd.MarkFlagDirname("data"))
	cli.Advanced(cmd, "iterations", "games", "turn-limit", "states", "force")
	return cmd
}

// path returns the file of a measure of a board, without a suffix.
func (r *reporter) path(measure string, b board) string {
	return filepath.Join(r.data, measure+"-"+b.word())
}

func (r *reporter) run(cmd *cobra.Command, _ []string) error {
	for _, word := range r.boards {
		if !slices.Contains(allBoards(), word) {
			return cli.Usagef("%.40q is not a board of the report; give some of %s", word, strings.Join(allBoards(), ", "))
		}
	}
	if r.budget < 0 {
		return cli.Usagef("--budget %v: give a time of more than 0, for example 2h", r.budget)
	}
	if err := errors.Join(files.Writable(r.out), files.Writable(r.data)); err != nil {
		return err
	}
	left := 0
	if !r.fromData {
		var err error
		if left, err = r.measure(cmd); err != nil {
			return err
		}
	}
	g, err := r.load()
	if err != nil {
		return err
	}
	if err := g.write(r.out); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "the time is over: %s left to measure; the same command resumes\n", cli.Plural(left, "point"))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is written\n", filepath.Join(r.out, "ladder.md"))
	return err
}

// measure adds the missing points and returns the number of those that are left.
func (r *reporter) measure(cmd *cobra.Command) (left int, err error) {
	p := &planner{reporter: r, cmd: cmd}
	for _, g := range campaign {
		for _, b := range g.Boards {
			if len(r.boards) > 0 && !slices.Contains(r.boards, b.game) && !slices.Contains(r.boards, b.word()) {
				continue
			}
			if err := p.plan(b, &g); err != nil {
				return 0, errors.Join(err, p.close())
			}
		}
	}
	return p.run()
}

// allBoards returns the games and boards of the report.
func allBoards() (words []string) {
	for _, g := range campaign {
		for _, b := range g.Boards {
			if !slices.Contains(words, b.game) {
				words = append(words, b.game)
			}
			words = append(words, b.word())
		}
	}
	return words
}
