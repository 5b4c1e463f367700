package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player/agents"
	"backsolve/research/internal/chart"
	"backsolve/research/internal/files"
)

// seriesCommand grades agents one after the other.
type seriesCommand struct {
	*cobra.Command
	work
	dir        *string
	iterations iterationsValue
	agents     []string
	out        string
	force      bool
	format     *cli.Format
}

const seriesHelp = `

The agents are mcts with each number of --iterations, and those of --agent.

Results go to a JSON file in --out as soon as they are measured. The same command
resumes an interrupted series, and adds agents to a finished one. At the end they are
plotted as SVG against iterations and thinking time. The file records the settings,
version, command and machine.`

// newSeries adds the flags of all series.
func newSeries(cmd *cobra.Command) *seriesCommand {
	s := &seriesCommand{Command: cmd, iterations: newIterations(standardIterations)}
	cmd.Args = cli.BoardArgs(0, 0)
	f := cmd.Flags()
	s.dir = cli.DirFlag(f)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.TableSizes(s.dir))
	f.Var(&s.iterations, "iterations", "`LIST` iterations of mcts: numbers and ranges with a step")
	f.StringArrayVar(&s.agents, "agent", nil, "`AGENT` agent to grade as well; may be repeated")
	f.StringVar(&s.out, "out", "ladder", "`DIR` directory of the results")
	f.BoolVar(&s.force, "force", false, "discard results of other settings")
	s.addFlags(cmd)
	s.format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	cli.NoCompletion(cmd, "iterations")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", completeAgents))
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cli.Advanced(cmd, "force")
	return s
}

// measure checks that all agents and opponents can play and that results can be written. It
// then does the missing jobs of plan, and writes and plots all points of the file.
func measure[P any](s *seriesCommand, args []string, set settings, opponents []string, plan func(*store[P], contender) []job,
	rows func([]P) [][]string, plots func(*data[P]) []plot,
) error {
	b, _, err := cli.Board(s.Command, args, "")
	if err != nil {
		return err
	}
	if err := files.Writable(s.out); err != nil {
		return err
	}
	env := &agents.Env{Rules: b.Rules(), Board: b, Dir: *s.dir}
	defer env.Close()
	contenders, err := s.contenders(env, opponents)
	if err != nil {
		return err
	}
	if set, err = set.of(env, s.seed); err != nil {
		return err
	}
	st, err := openStore[P](filepath.Join(s.out, set.file()), set, newRun(s.threads.Count), s.force, env)
	if err != nil {
		return err
	}
	var jobs []job
	for _, c := range contenders {
		jobs = append(jobs, plan(st, c)...)
	}
	_, err = s.runJobs(s.Command, set.Measure, jobs, time.Time{})
	if err := errors.Join(err, st.close()); err != nil {
		return err
	}
	if err := writePoints(s.OutOrStdout(), s.format.Word(), &st.data, rows(st.Points)); err != nil {
		return err
	}
	plotter := &plotter{dir: s.out}
	for _, p := range plots(&st.data) {
		if err := plotter.both(p); err != nil {
			return err
		}
	}
	return nil
}

// contenders returns the agents. It tries them and their opponents.
func (s *seriesCommand) contenders(env *agents.Env, opponents []string) (all []contender, err error) {
	for _, n := range s.iterations.numbers {
		all = append(all, mcts(n))
	}
	for _, name := range s.agents {
		all = append(all, contender{name: name})
	}
	for _, name := range opponents {
		if _, err := labelOf(s.Command, env, name); err != nil {
			return nil, err
		}
	}
	for i := range all {
		if all[i].label, err = labelOf(s.Command, env, all[i].name); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c contender) bool {
		again := seen[c.label]
		seen[c.label] = true
		return again
	}), nil
}

// labelOf tries an agent and returns its name.
func labelOf(cmd *cobra.Command, env *agents.Env, name string) (string, error) {
	a, err := agents.Parse(cmd.Context(), name, env)
	if err != nil {
		return "", cli.UsageUnlessTable(err)
	}
	return a.Name(), errors.Join(try(cmd.Context(), env, a), a.Close())
}

// of completes settings by what depends on the board.
func (s settings) of(env *agents.Env, seed uint64) (settings, error) {
	table, err := env.Table()
	if err != nil {
		return s, err
	}
	s.Game, s.Size, s.Seed, s.Outcomes = env.Rules.Info().Name, env.Rules.Info().Size, seed, !table.HasSteps()
	s.Table = fmt.Sprintf("%x", table.Stored().Identity())
	v, err := table.Value(table.Start())
	s.Start = v.String()
	return s, err
}

// file returns the name of the file, without a suffix.
func (s settings) file() string { return s.Measure + "-" + boardWord(s.Game, s.Size) }

// plot returns a plot of the points.
func (s settings) plot(suffix, title string, axis chart.Axis, curves []curve) plot {
	return plot{s.file() + suffix, fmt.Sprintf("%s %d×%[2]d: %s", s.Game, s.Size, title), axis, curves}
}

// writePoints writes points as CSV, the whole file as JSON, or rows as text.
func writePoints[P any](w io.Writer, format string, d *data[P], rows [][]string) error {
	switch format {
	case cli.JSON:
		return cli.WriteJSON(w, d)
	case cli.CSV:
		return files.WriteCSV(w, d.Points)
	}
	return cli.WriteGrid(w, 0, rows)
}
