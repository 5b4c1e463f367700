package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/arena"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/selfplay"
)

type trial struct {
	Name      string       `json:"name"`
	Arm       string       `json:"arm"`
	Run       selfplay.Run `json:"run"`
	Plan      plan         `json:"plan"`
	Trained   int          `json:"trained"`   // iterations
	Seconds   float64      `json:"seconds"`   // of training, by the clock
	Iteration int          `json:"iteration"` // of the measured network
	Grades    []keptGrade  `json:"grades"`
	Elo       []rating     `json:"elo,omitempty"`
	Visits    []visited    `json:"visits,omitempty"`
}

type keptGrade struct {
	Simulations int     `json:"simulations"`
	Result      *result `json:"result"`
}

// trialsName is the file of all trainings in the directory of an experiment.
const trialsName = "trainings"

type experimenter struct {
	*runner
	x       *experiment
	trials  *store[trial]
	until   time.Time // no iteration and no point of a series begins after it; zero for no limit
	measure bool      // train nothing
}

func runCommand(s *shared) *cobra.Command {
	var limit time.Duration
	var out string
	cmd := &cobra.Command{
		Use:   "run FILE [NAME...]",
		Short: "Run an experiment that a file describes",
		Long: `Run an experiment, or what it has of the named arms, games or boards, and write results
to a directory. docs/reports/learning.md explains the fields of the file.

An arm of an experiment is a training: a base description with some fields changed, or a
description of its own. Each is trained with each seed, and its last network is measured,
never chosen by exact values. Arms are compared with the first one, seed by seed. A
ladder measures agents on boards, cheapest points first; boards without tables are left
out.

The results are in trainings.json and in a file for each ladder and board, with the
settings, version, command, machine, and checksums of the files that were read; table.csv
has means over the seeds with 95 % intervals. The same command resumes, and measures
again only what has changed. After --limit nothing new is begun; --limit 0
trains nothing.`,
		Example: `  lab run docs/reports/learning/ablation-notakto-3.json --out ablation
  lab run docs/reports/learning/set.json nim-5 nim-6 --out learning --limit 5m
  lab run docs/reports/ladder/ladder.json quixo-3x3 nim --out results/ladder`,
		Args: cli.Args(1, maxArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case limit < 0:
				return cli.Usagef("--limit %v: give a time, for example 5m, or 0 to train nothing", limit)
			case out == "":
				return cli.Usagef("--out is missing; name the directory of the results")
			}
			e := &experimenter{runner: newRunner(s, cmd, out, false)}
			if cmd.Flags().Changed("limit") {
				e.until, e.measure = time.Now().Add(limit), limit == 0
			}
			defer e.close()
			return e.run(args[0], args[1:])
		},
	}
	f := cmd.Flags()
	f.StringVar(&out, "out", "", "`DIR` directory of the results and trainings")
	f.DurationVar(&limit, "limit", 0, "begin nothing after this time (default no limit)")
	return cmd
}

func (e *experimenter) run(path string, names []string) error {
	x, works, err := readExperiment(path)
	if err != nil {
		return &cli.UsageError{Err: err}
	}
	known := x.names()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return cli.Usagef("there is no %q in %s; there are %s", name, path, strings.Join(known, ", "))
		}
	}
	if err := files.Writable(e.out); err != nil {
		return err
	}
	if err := e.read(path); err != nil {
		return err
	}
	e.x = x
	chosen := func(name ...string) bool {
		return len(names) == 0 || slices.ContainsFunc(name, func(n string) bool { return slices.Contains(names, n) })
	}
	wanted := func(w work) bool { return chosen(x.Arms[w.arm].Name) }
	if slices.ContainsFunc(works, wanted) {
		if err := e.train(works, wanted); err != nil {
			return err
		}
	}
	return e.climb(chosen)
}

func (x *experiment) names() (all []string) {
	for _, a := range x.Arms {
		all = append(all, a.Name)
	}
	for _, l := range x.Ladders {
		for _, rules := range l.rules {
			all = append(all, rules.Info().Name, boardWord(rules.Info().Name, rules.Info().Size))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (e *experimenter) climb(chosen func(name ...string) bool) error {
	envs := map[string]*agents.Env{}
	for _, l := range e.x.Ladders {
		for i, text := range l.Boards {
			if info := l.rules[i].Info(); !chosen(info.Name, boardWord(info.Name, info.Size)) {
				continue
			}
			if envs[text] == nil {
				envs[text] = newEnv(l.rules[i], *e.dir, *e.threads)
				e.closers = append(e.closers, envs[text].Close)
			}
			_, err := e.plan(&l.series, envs[text])
			if errors.As(err, new(*probe.MissingError)) {
				fmt.Fprintf(e.cmd.ErrOrStderr(), "%s is left out: %v\n", text, err)
			} else if err != nil {
				return err
			}
		}
	}
	left, err := e.runner.run("experiment", e.until)
	if left > 0 && err == nil {
		_, err = fmt.Fprintf(e.cmd.ErrOrStderr(), "the time is over: %s left to measure; the same command resumes\n", cli.Plural(left, "point"))
	}
	return err
}

// train trains and measures what is wanted, and writes the table of all that is measured.
func (e *experimenter) train(works []work, wanted func(work) bool) (err error) {
	path, set := filepath.Join(e.out, trialsName), settings{Measure: trialsName}
	if e.trials, err = openStore[trial](path, set, newRun(*e.threads, e.inputs), e.force, nil); err != nil {
		return err
	}
	e.closers = append(e.closers, e.trials.close)
	done := make([][]*trial, len(e.x.Arms))
	for _, w := range works {
		var t *trial
		if i := slices.IndexFunc(e.trials.Points, func(t trial) bool { return t.Name == w.name }); i >= 0 {
			t = new(e.trials.Points[i])
		}
		if wanted(w) {
			if t, err = e.trial(&w, t); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
		if t != nil {
			done[w.arm] = append(done[w.arm], t)
		}
	}
	return e.x.write(e.cmd, e.out, done)
}

// trial trains and measures, unless the stored results are up to date; nil if nothing is trained.
func (e *experimenter) trial(w *work, have *trial) (*trial, error) {
	if have.done(w, w.run.Iterations) {
		return have, nil
	}
	if _, err := fmt.Fprintln(e.cmd.OutOrStdout(), w.name); err != nil {
		return nil, err
	}
	keep := w.plan.keeps()
	if e.x.Base != nil && keep == 0 {
		keep = w.run.Iterations
	}
	t := &training{shared: e.shared, out: filepath.Join(e.out, w.name), every: w.plan.Every, keep: keep, until: e.until}
	if !e.measure {
		if err := t.complete(e.cmd, &w.run); err != nil {
			return nil, err
		}
	}
	log, err := files.ReadLines[logged](t.path(logFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(e.cmd.OutOrStdout(), "nothing is trained in %s; give it time with --limit\n", t.out)
		return nil, err
	}
	if err != nil || have.done(w, len(log)) {
		return have, err
	}
	k := &trial{Name: w.name, Arm: e.x.Arms[w.arm].Name, Run: w.run, Plan: w.plan, Trained: len(log)}
	k.Iteration = t.lastSaved(log)
	for _, entry := range log {
		k.Seconds += entry.Seconds
	}
	if err := e.grade(k, t.out); err != nil {
		return nil, err
	}
	e.trials.Points = slices.DeleteFunc(e.trials.Points, func(t trial) bool { return t.Name == k.Name })
	return k, e.trials.add(*k)
}

// done reports whether the measurements are of the last network after a number of iterations.
func (k *trial) done(w *work, iterations int) bool {
	return k != nil && k.Trained == iterations && k.Iteration == iterations && reflect.DeepEqual(k.Run, w.run) && reflect.DeepEqual(k.Plan, w.plan)
}

// lastSaved returns the last iteration with saved weights: a choice by grades would flatter the network.
func (t *training) lastSaved(log []logged) (iteration int) {
	for _, e := range log {
		if _, err := os.Stat(t.path(weightsFile(e.Iteration))); err == nil {
			iteration = e.Iteration
		}
	}
	return iteration
}

func (e *experimenter) grade(k *trial, dir string) error {
	ctx, p := e.cmd.Context(), &k.Plan
	n, err := loadNetwork(filepath.Join(dir, weightsFile(k.Iteration)))
	if err != nil {
		return err
	}
	env := newEnv(n.rules, *e.dir, *e.threads)
	defer env.Close()
	subject := &grade.Subject{Rules: n.rules, Seed: 1, Threads: *e.threads}
	if p.Exact != noMeasure || len(p.Visits) > 0 {
		if subject, err = newSubject(ctx, env, false, *e.threads); err != nil {
			return err
		}
	}
	subject.From = n.start
	if p.Left > 0 {
		subject.Late = p.Left
	}
	for _, simulations := range p.Simulations {
		m, err := newEntrant(n, k.Iteration, simulations)
		if err != nil {
			return err
		}
		subject.Agent = m.agent
		g := &measures{shared: e.shared, expert: p.Exact == "" || p.Exact == expertMeasure, walks: p.Exact == "" || p.Exact == championMeasure, states: p.States, games: p.Games, seed: 1, control: simulations > 0}
		found, err := g.evaluate(e.cmd, subject)
		if err == nil && e.x.Base != nil {
			if g.expert && found.Expert.Won == nil {
				return errors.New("none of the graded states is won; grade more of them")
			}
			err = e.meet(k, subject, n, m, found)
		}
		if err != nil {
			return err
		}
		k.Grades = append(k.Grades, keptGrade{simulations, found})
	}
	if len(p.Visits) > 0 {
		if subject.Agent, err = zero.New(n.rules, n.Weights, 0); err != nil {
			return err
		}
		if k.Visits, err = visits(ctx, subject, p.Visits, p.States); err != nil {
			return err
		}
	}
	if p.Elo == 0 {
		return nil
	}
	networks, err := entrants(dir, p.Elo, 0)
	if len(networks) > 1 && err == nil {
		k.Elo, err = e.rate(e.cmd, networks)
	}
	return err
}

// drawnMoves is how many first moves networks draw, as deterministic ones would repeat one game.
const drawnMoves = 2

// meet plays a network against itself and against the first arm's network with the same seed.
func (e *experimenter) meet(k *trial, s *grade.Subject, n *network, m entrant, found *result) error {
	if k.Plan.Games == 0 {
		return nil
	}
	name := e.x.Arms[0].Name
	first, err := loadNetwork(filepath.Join(e.out, trialName(name, k.Run.Seed), weightsFile(k.Run.Iterations)))
	if err != nil {
		return err
	}
	rival, err := zero.New(n.rules, first.Weights, m.simulations)
	if err != nil {
		return err
	}
	for i, other := range []*zero.Agent{m.agent, rival} {
		g, err := playGames(e.cmd.Context(), []string{"itself, drawing", name}[i], &arena.Match{
			Rules: n.rules, Start: s.Start(), Games: k.Plan.Games, Turns: grade.MostTurns, Seed: 1, Threads: *e.threads,
			Agents: [2]player.Agent{m.agent.Drawing(drawnMoves), other.Drawing(drawnMoves)},
		})
		if err != nil {
			return err
		}
		found.Games = append(found.Games, g)
	}
	return nil
}
