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

// series is a number of agents that are graded one after the other.
type series struct {
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

// newSeriesCommand returns a command with the flags that all series have.
func newSeriesCommand(s *series, cmd *cobra.Command) *cobra.Command {
	s.iterations = newIterations(standardIterations)
	cmd.Args = s.board.argsOf(0)
	cmd.ValidArgsFunction = s.board.completeTables
	f := cmd.Flags()
	s.board.dir = cli.DirFlag(f)
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

// path returns where a series is kept, without a suffix.
func (s *series) path(measure string) string {
	return filepath.Join(s.out, measure+"-"+boardWord(s.board.name(), s.board.size()))
}

// begin reads the arguments and sees to it that the series can be measured: that its
// agents can play, and that its results can be written. The caller closes env.
func (s *series) begin(cmd *cobra.Command, args []string) (env *agents.Env, all []contender, err error) {
	if _, err := s.board.read(cmd, args, 0); err != nil {
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

// contenders returns the agents, after having made each of them once.
func (s *series) contenders(cmd *cobra.Command, env *agents.Env) ([]contender, error) {
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

// labelOf makes an agent, sees whether it can begin, and returns what it calls itself.
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

// newSettings returns what all series of a board have in their settings.
func newSettings(measure string, env *agents.Env, seed uint64) (settings, error) {
	table, err := env.Table()
	if err != nil {
		return settings{}, err
	}
	start, err := startText(table)
	return settings{
		Measure: measure, Game: env.Rules.Info().Name, Size: env.Rules.Info().Size,
		Table: fmt.Sprintf("%x", table.Stored().Identity()), Start: start, Seed: seed,
		Outcomes: !table.HasSteps(),
	}, err
}

// playAll plays a match of each agent against each opponent, but for those whose
// points are there, and returns all points of the file.
func (s *series) playAll(cmd *cobra.Command, args []string, measure string, games, turns int, opponents []string) (_ *data[matchPoint], err error) {
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
	set, err := newSettings(measure, env, s.seed)
	if err != nil {
		return nil, err
	}
	set.Games, set.TurnLimit, set.Replies = games, turns, s.replies
	st, err := openStore[matchPoint](s.path(measure), set, newRun(s.threads.Count), s.force)
	if err != nil {
		return nil, err
	}
	m := matches{env, st, s.threads.Count}
	var jobs []job
	for _, c := range contenders {
		for _, opponent := range opponents {
			if j, missing := m.job(c, opponent); missing {
				jobs = append(jobs, j)
			}
		}
	}
	return finish(s, cmd, measure, st, jobs)
}

// finish does the jobs of a series, closes its file and returns what is in it.
func finish[P any](s *series, cmd *cobra.Command, measure string, st *store[P], jobs []job) (*data[P], error) {
	_, err := s.runJobs(cmd, measure, jobs, time.Time{})
	if closeErr := st.close(); err == nil {
		err = closeErr
	}
	return &st.data, err
}
