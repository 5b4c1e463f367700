package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/player/agents"
	"backsolve/research/internal/files"
)

// seriesCommand grades agents one after the other.
type seriesCommand struct {
	board boardArgs
	work
	iterations iterationsValue
	agents     []string
	replies    bool // in all games
	out        string
	force      bool
	format     *cli.Format
}

const seriesHelp = `

The agents are mcts with each number of --iterations, and those of --agent.

Results go to a CSV file in --out as soon as they are measured. The same command
resumes an interrupted series, and adds agents to a finished one. At the end the
results are also written as JSON, and plotted as SVG against iterations and thinking
time. The files record the settings, version, command and machine.`

// newSeriesCommand adds the flags of all series.
func newSeriesCommand(s *seriesCommand, cmd *cobra.Command) *cobra.Command {
	s.iterations = newIterations(standardIterations)
	cmd.Args = cli.BoardArgs(0, 0)
	f := cmd.Flags()
	s.board.dir = cli.DirFlag(f)
	cmd.ValidArgsFunction = cli.CompleteBoard(cli.TableSizes(s.board.dir))
	f.Var(&s.iterations, "iterations", "`LIST` iterations of mcts: numbers and ranges with a step")
	f.StringArrayVar(&s.agents, "agent", nil, "`AGENT` agent to grade as well; may be repeated")
	f.StringVar(&s.out, "out", "ladder", "`DIR` directory of the results")
	f.BoolVar(&s.force, "force", false, "discard results of other settings")
	s.work.addFlags(cmd)
	s.format = cli.FormatFlags(cmd, cli.Text, cli.JSON, cli.CSV)
	cli.NoCompletion(cmd, "iterations")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("agent", completeAgents))
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	cli.Advanced(cmd, "force")
	return cmd
}

// file returns the name of a series' files, without a suffix.
func (s *seriesCommand) file(measure string) string {
	return measure + "-" + boardWord(s.board.name(), s.board.size())
}

func (s *seriesCommand) plots() *plotter { return &plotter{dir: s.out} }

// begin parses the arguments and checks that all agents can play and that results can be
// written. The caller closes env.
func (s *seriesCommand) begin(cmd *cobra.Command, args []string) (env *agents.Env, all []contender, err error) {
	if _, err := s.board.read(cmd, args, ""); err != nil {
		return nil, nil, err
	}
	env = s.board.env()
	if err = files.Writable(s.out); err == nil {
		all, err = s.contenders(cmd, env)
	}
	if err != nil {
		return nil, nil, errors.Join(err, env.Close())
	}
	return env, all, nil
}

// contenders returns the agents, each of which could begin a game.
func (s *seriesCommand) contenders(cmd *cobra.Command, env *agents.Env) ([]contender, error) {
	var names []string
	for _, n := range s.iterations.numbers {
		names = append(names, fmt.Sprintf("mcts:%d", n))
	}
	var all []contender
	for _, name := range slices.Concat(names, s.agents) {
		label, err := labelOf(cmd, env, name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(c contender) bool { return c.label == label }) {
			all = append(all, contender{name, label})
		}
	}
	return all, nil
}

// labelOf tries an agent and returns its name.
func labelOf(cmd *cobra.Command, env *agents.Env, name string) (string, error) {
	a, err := agents.Parse(cmd.Context(), name, env)
	if err != nil {
		return "", cli.UsageUnlessTable(err)
	}
	if err := try(cmd.Context(), env, a); err != nil {
		return "", err
	}
	return a.Name(), a.Close()
}

// of completes settings by what depends on the board.
func (s settings) of(env *agents.Env, seed uint64) (settings, error) {
	table, err := env.Table()
	if err != nil {
		return s, err
	}
	s.Game, s.Size, s.Seed, s.Outcomes = env.Rules.Info().Name, env.Rules.Info().Size, seed, !table.HasSteps()
	s.Table = fmt.Sprintf("%x", table.Stored().Identity())
	s.Start, err = startText(table)
	return s, err
}

// playAll adds the missing matches of each agent against each opponent, and returns all points
// of the file.
func (s *seriesCommand) playAll(cmd *cobra.Command, args []string, name string, m *matchFlags, blunders []string) (*data[matchPoint], error) {
	opponents, err := m.opponents(blunders)
	if err != nil {
		return nil, err
	}
	env, contenders, err := s.begin(cmd, args)
	if err != nil {
		return nil, err
	}
	defer env.Close()
	for _, opponent := range opponents {
		if _, err := labelOf(cmd, env, opponent); err != nil {
			return nil, err
		}
	}
	set := settings{Measure: name, Games: m.games.Count, TurnLimit: m.turns.Count, Replies: s.replies}
	return measure(s, cmd, env, set, func(series series[matchPoint], add func(job, bool)) {
		for _, c := range contenders {
			for _, opponent := range opponents {
				add(match(series, c, opponent))
			}
		}
	})
}

// measure does the missing jobs that plan adds, and returns all points of the file.
func measure[P any](s *seriesCommand, cmd *cobra.Command, env *agents.Env, set settings, plan func(series[P], func(j job, missing bool))) (*data[P], error) {
	set, err := set.of(env, s.seed)
	if err != nil {
		return nil, err
	}
	st, err := openStore[P](filepath.Join(s.out, s.file(set.Measure)), set, newRun(s.threads.Count), s.force)
	if err != nil {
		return nil, err
	}
	var jobs []job
	plan(series[P]{env, st, s.threads.Count}, func(j job, missing bool) {
		if missing {
			jobs = append(jobs, j)
		}
	})
	_, err = s.runJobs(cmd, set.Measure, jobs, time.Time{})
	return &st.data, errors.Join(err, st.close())
}
