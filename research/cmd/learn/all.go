package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/player/zero"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/selfplay"
)

// repetition holds the command line of learn all.
type repetition struct {
	kept    string
	data    string
	out     string
	limit   time.Duration
	limited bool // a limit of 0 trains nothing
	threads *int
	dir     *string
	display *progress.Display
}

func allCommand() *cobra.Command {
	r := &repetition{}
	cmd := &cobra.Command{
		Use:   "all [TRAINING...]",
		Short: "Run and measure all trainings of a set",
		Long: `Run the trainings of a set, or the named ones, and measure the last network of each.
Exact values choose no network. The measurements go to --data, for learn report.

The same command resumes the work and measures again only trainings or plans that have
changed. With --limit no iteration starts after that time, and what has been reached is
measured; --limit 0 trains nothing.

Games against networks of other trainings are played after all trainings, if the plan
of the set has them. They need the weights in --out.`,
		Example: `  learn all
  learn all nim-5 nim-6 --limit 5m
  learn all nim-5 --limit 0
  learn all --threads 1`,
		Args: cobra.ArbitraryArgs,
		RunE: r.run,
	}
	f := cmd.Flags()
	keptFlag(cmd, &r.kept, &r.data)
	f.StringVar(&r.out, "out", "learning", "`DIR` directory of the weights and checkpoints of all trainings")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	f.DurationVar(&r.limit, "limit", 0, "start no iteration after this time (default no limit)")
	cli.NoCompletion(cmd, "limit")
	r.threads = threadsFlag(cmd)
	r.dir = cli.DirFlag(f)
	r.display = progress.Flags(cmd)
	cli.Advanced(cmd, "threads", "progress", "quiet")
	return cmd
}

func keptFlag(cmd *cobra.Command, dir, data *string) {
	cmd.Flags().StringVar(dir, "set", filepath.Join("docs", "reports", "learning"), "`DIR` directory of the set: its descriptions and the plots")
	cmd.Flags().StringVar(data, "data", filepath.Join("results", "learning"), "`DIR` directory of what is measured, with the logs")
	cobra.CheckErr(cmd.MarkFlagDirname("set"))
	cobra.CheckErr(cmd.MarkFlagDirname("data"))
}

func (r *repetition) run(cmd *cobra.Command, names []string) error {
	if r.limit < 0 {
		return cli.Usagef("--limit %v: give a time, for example 5m, or 0 to train nothing", r.limit)
	}
	r.limited = cmd.Flags().Changed("limit")
	s, err := loadSet(r.kept, r.data)
	if err != nil {
		return fmt.Errorf("there is no set in %s (%w); name its directory with --set", r.kept, err)
	}
	for _, name := range names {
		if !slices.Contains(s.names(), name) {
			return cli.Usagef("there is no training %q in the set; there are %s", name, strings.Join(s.names(), ", "))
		}
	}
	chosen := slices.DeleteFunc(slices.Clone(s.Runs), func(p plan) bool { return len(names) > 0 && !slices.Contains(names, p.Name) })
	for _, step := range []func(*cobra.Command, *set, plan) error{r.check, r.do, r.meet} {
		for _, p := range chosen {
			if err := step(cmd, s, p); err != nil {
				return fmt.Errorf("%s: %w", p.Name, err)
			}
		}
	}
	return nil
}

// check refuses, before hours of training, what cannot be measured after them.
func (r *repetition) check(cmd *cobra.Command, s *set, p plan) error {
	run, err := s.description(p.Name)
	if err != nil {
		return err
	}
	for _, name := range p.Meets {
		other, err := s.description(name)
		if err != nil {
			return err
		}
		if other.Game != run.Game || other.Size != run.Size {
			return fmt.Errorf("its board is not that of %s, which its plan meets; take that out of the plan", name)
		}
	}
	if have, err := s.results(p.Name); err != nil || len(p.Fixed) == 0 || have.done(p, run.Iterations) {
		return err
	}
	rules, err := parseBoard(run.Game, run.Size)
	if err != nil {
		return err
	}
	env := newEnv(rules, *r.dir, *r.threads)
	defer env.Close()
	_, closeAll, err := fixedAgents(cmd.Context(), env, p.Fixed)
	if err == nil {
		closeAll()
	}
	return err
}

// do completes a training and its measurements, but for its meetings.
func (r *repetition) do(cmd *cobra.Command, s *set, p plan) error {
	run, err := s.description(p.Name)
	if err != nil {
		return err
	}
	have, err := s.results(p.Name)
	if err != nil {
		return err
	}
	if have.done(p, run.Iterations) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: done\n", p.Name)
		return err
	}
	if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", p.Name, p.Title); err != nil {
		return err
	}
	out := filepath.Join(r.out, p.Name)
	if !r.limited || r.limit > 0 {
		if err := r.train(cmd, p, run, out); err != nil {
			return err
		}
	}
	log, err := readLog(filepath.Join(out, logFile))
	if errors.Is(err, fs.ErrNotExist) {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "nothing is trained in %s; give it time with --limit\n", out)
		return err
	}
	if err != nil || have.done(p, len(log)) {
		return err
	}
	k := &kept{Plan: p, Trained: len(log)}
	k.Iteration = last(log, func(iteration int) bool {
		_, err := os.Stat(filepath.Join(out, weightsFile(iteration)))
		return err == nil
	})
	for _, e := range log {
		k.Seconds += e.Seconds
	}
	if err := r.measure(cmd, k, out); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(out, logFile))
	if err != nil {
		return err
	}
	if err := files.Write(s.dataPath(p.Name, logFile), func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
		return err
	}
	return s.keep(k)
}

// train starts or resumes a training.
func (r *repetition) train(cmd *cobra.Command, p plan, run *selfplay.Run, out string) error {
	t := &training{out: out, threads: r.threads, every: p.Every, keep: p.keeps(), dir: r.dir, display: r.display}
	if r.limit > 0 {
		t.until = time.Now().Add(r.limit)
	}
	return t.complete(cmd, run)
}

// measure measures the last network of a training, and rates its networks.
func (r *repetition) measure(cmd *cobra.Command, k *kept, out string) error {
	p := &k.Plan
	n, err := loadNetwork(filepath.Join(out, weightsFile(k.Iteration)))
	if err != nil {
		return err
	}
	env := newEnv(n.rules, *r.dir, *r.threads)
	defer env.Close()
	subject := &grade.Subject{Rules: n.rules, Seed: 1, Threads: *r.threads}
	if p.Expert || p.Champion || len(p.Visits) > 0 {
		if subject, err = newSubject(cmd.Context(), env, true, *r.threads); err != nil {
			return err
		}
	}
	subject.From = n.start
	m := &measures{expert: p.Expert, champion: p.Champion, states: p.States, games: p.Games, seed: 1}
	var measured []entrant
	for _, simulations := range p.Simulations {
		e, err := newEntrant(n, k.Iteration, simulations)
		if err != nil {
			return err
		}
		subject.Agent = e.agent
		m.control = simulations > 0
		found, err := m.of(cmd, subject, r.display)
		if err != nil {
			return err
		}
		k.Grades = append(k.Grades, keptGrade{simulations, found})
		measured = append(measured, e)
	}
	if len(p.Visits) > 0 {
		v := &visiting{numbers: p.Visits, positions: usedMisled, states: p.States}
		if subject.Agent, err = zero.New(n.rules, n.Weights, 0); err != nil {
			return err
		}
		if k.Visits, err = v.of(cmd.Context(), subject); err != nil {
			return err
		}
	}
	return r.rate(cmd, k, out, measured)
}

// rate rates the networks of the tournament, and with the measured one against fixed agents.
func (r *repetition) rate(cmd *cobra.Command, k *kept, out string, measured []entrant) (err error) {
	p := &k.Plan
	t := &tournament{against: p.Fixed, games: usedFixedGames, seed: 1, threads: r.threads, dir: r.dir, display: r.display}
	var networks []entrant
	if p.Elo > 0 {
		if networks, err = entrants(out, p.Elo, 0); err != nil {
			return err
		}
	}
	if len(networks) > 1 {
		if k.Elo, err = t.play(cmd, networks); err != nil {
			return err
		}
	}
	for _, m := range measured {
		if !slices.ContainsFunc(networks, func(n entrant) bool { return n.iteration == m.iteration && n.simulations == m.simulations }) {
			networks = append(networks, m)
		}
	}
	if len(p.Fixed) > 0 {
		k.Fixed, err = t.fixed(cmd.Context(), networks)
	}
	return err
}
