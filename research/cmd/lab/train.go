package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/durable"
	"backsolve/internal/player/qlearning"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/selfplay"
	"backsolve/tablebase"
)

// The files of a training, beside the weights after each iteration.
const (
	runFile        = "run.json"
	checkpointFile = "checkpoint"
	logFile        = "log.jsonl"
)

func weightsFile(iteration int) string { return fmt.Sprintf("%04d.weights", iteration) }

type training struct {
	*shared
	out        string
	iterations int
	seed       uint64
	learner    *cli.Choice
	every      int       // iterations between grades, 0 for none
	keep       int       // iterations between weights that are kept, besides the last; 0 for all
	until      time.Time // no iteration begins after it but the first; zero for no limit
}

func trainCommand(s *shared) *cobra.Command {
	t := &training{shared: s, learner: cli.NewChoice(string(selfplay.Zero), string(selfplay.DQN), learned, byActions)}
	describe := false
	cmd := &cobra.Command{
		Use:   "train BOARD|FILE|DIR",
		Short: "Train a player by self-play, or resume a training",
		Long: `Train a network as a file describes it, or for a board with settings of moderate length,
and write weights and a checkpoint after each iteration to the directory --out. The same
command, or the directory alone, resumes an interrupted training with the same weights in
the end, bit for bit, whatever the number of threads. --describe prints a description, to
be edited; docs/reports/learning.md explains its fields.

The learner is zero, like AlphaZero, or dqn, like Deep-Notakto; or qlearning, weights of
features for the state after a move, or qlearning-actions, for each action and learned
backwards over a game, as in Chan's program. These learn from --iterations games.`,
		Example: `  lab train notakto 4 --out notakto-4x4
  lab train notakto 4 --describe > notakto-4x4.json
  lab train notakto-4x4.json --out notakto-4x4 --grade 5 --dir tables
  lab train notakto-4x4 --iterations 100
  lab train quixo 4 --learner qlearning --iterations 100000 --out quixo-4x4`,
		Args:              cli.Args(1, 2),
		ValidArgsFunction: cli.CompleteBoard(game.Game.Sizes),
	}
	f := cmd.Flags()
	f.StringVar(&t.out, "out", "", "`DIR` directory of the results")
	t.learner.Register(cmd, "learner", "learning algorithm: zero, dqn, qlearning or qlearning-actions")
	f.BoolVar(&describe, "describe", false, "print the description instead of training")
	f.IntVar(&t.iterations, "iterations", 0, "total number of iterations (default as described)")
	f.IntVar(&t.every, "grade", 0, "grade the network alone in 1,000 states every N iterations, 0 for never")
	seedFlag(cmd, &t.seed)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return t.train(cmd, args, describe) }
	return cmd
}

func (t *training) train(cmd *cobra.Command, args []string, describe bool) error {
	if err := checkNumbers(number{"grade", t.every, 0, 1_000_000}, number{"iterations", t.iterations, 0, 1_000_000_000}); err != nil {
		return err
	}
	if at, err := os.Stat(args[0]); err == nil && at.IsDir() && len(args) == 1 && !describe {
		t.out = args[0]
		return t.complete(cmd, nil)
	}
	run, rules, err := t.described(cmd, args)
	if err != nil {
		return err
	}
	switch {
	case describe && run != nil:
		e := json.NewEncoder(cmd.OutOrStdout())
		e.SetIndent("", "  ")
		return e.Encode(run)
	case t.out == "":
		return cli.Usagef("--out is missing; name the directory of the results")
	case run == nil:
		return t.learn(cmd, rules)
	}
	return t.complete(cmd, run)
}

// described returns the description of a training, nil of one without a network.
func (t *training) described(cmd *cobra.Command, args []string) (run *selfplay.Run, rules game.Rules, err error) {
	if filepath.Ext(args[0]) != "" && !strings.Contains(args[0], probe.FileSuffix) && len(args) == 1 {
		if cmd.Flags().Changed("learner") {
			return nil, nil, cli.Usagef("--learner is for a board; %s names its own", args[0])
		}
		if run, err = readDescription(args[0]); err != nil {
			return nil, nil, err
		}
	} else {
		board, others, err := cli.Board(cmd, args, "")
		if err == nil && len(others) > 0 {
			err = cli.WrongArgs(cmd)
		}
		if err != nil && len(args) == 1 {
			err = fmt.Errorf("%w; there is no directory %s to go on with, either", err, args[0])
		}
		if err != nil {
			return nil, nil, err
		}
		if run, rules = t.standard(board.Info()), board.Rules(); run == nil {
			return nil, rules, nil
		}
	}
	if cmd.Flags().Changed("seed") {
		run.Seed = t.seed
	}
	if t.iterations > 0 {
		run.Iterations = t.iterations
	}
	if err := run.Check(); err != nil {
		return nil, nil, &cli.UsageError{Err: err}
	}
	return run, nil, nil
}

// standard returns the description for a board, nil if no network is trained.
func (t *training) standard(board game.Info) *selfplay.Run {
	switch t.learner.String() {
	case string(selfplay.Zero):
		return new(selfplay.DefaultRun(board))
	case string(selfplay.DQN):
		return new(selfplay.DefaultDQN(board))
	}
	return nil
}

func readDescription(path string) (*selfplay.Run, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the description cannot be read: %w; lab train --describe prints one", err)
	}
	run, err := selfplay.ParseRun(data)
	if err != nil {
		return nil, &cli.UsageError{Err: fmt.Errorf("%s: %w", path, err)}
	}
	return run, nil
}

// complete starts or resumes the described training, or the directory's training if run is nil.
func (t *training) complete(cmd *cobra.Command, run *selfplay.Run) error {
	if err := durable.MkdirAll(t.out, 0o755); err != nil {
		return err
	}
	lock, err := durable.Lock(t.path("training"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	l, err := t.load(run)
	if err != nil {
		return err
	}
	if t.iterations > l.Iteration { // it never becomes shorter
		l.Run.Iterations = t.iterations
		if err := l.Run.Check(); err != nil {
			return &cli.UsageError{Err: err}
		}
		if err := files.WriteJSON(t.path(runFile), l.Run); err != nil {
			return err
		}
	}
	if l.Iteration >= l.Run.Iterations {
		_, err := fmt.Fprintf(cmd.OutOrStdout(), "the training is at its end, after %s; make it longer with --iterations\n", cli.Plural(l.Iteration, "iteration"))
		return err
	}
	return t.run(cmd, l)
}

// load returns the training of the directory, a new one where there is none.
func (t *training) load(run *selfplay.Run) (*selfplay.Learner, error) {
	if _, err := os.Stat(t.path(checkpointFile)); err != nil && run != nil {
		l, err := selfplay.New(*run, *t.threads)
		if err == nil {
			err = files.WriteJSON(t.path(runFile), l.Run)
		}
		if err == nil {
			err = l.Save(t.path(checkpointFile))
		}
		return l, err
	}
	l, err := selfplay.Load(t.path(checkpointFile), *t.threads)
	if err != nil || run == nil {
		return l, err
	}
	t.iterations = run.Iterations
	begun := l.Run
	if begun.Iterations = run.Iterations; !reflect.DeepEqual(begun, *run) {
		err = fmt.Errorf("the training in %s has another description; remove that directory, or name another with --out", t.out)
	}
	return l, err
}

func (t *training) path(name string) string { return filepath.Join(t.out, name) }

func (t *training) run(cmd *cobra.Command, l *selfplay.Learner) error {
	rules, err := parseBoard(l.Run.Game, l.Run.Size)
	if err != nil {
		return err
	}
	env := newEnv(rules, *t.dir, *t.threads)
	defer env.Close()
	var subject *grade.Subject
	if t.every > 0 {
		if subject, err = newSubject(cmd.Context(), env, false, *t.threads); err != nil {
			return err
		}
		subject.Seed = l.Run.Seed
		if subject.From, err = l.Run.Start(); err != nil {
			return err
		}
	}
	log, err := t.openLog(l.Iteration)
	if err != nil {
		return err
	}
	defer log.Close()
	p, stop := t.watch(cmd, "training", fmt.Sprintf("%s %d", l.Run.Game, l.Run.Size), "iterations", float64(l.Iteration), float64(l.Run.Iterations))
	defer stop()
	for over := false; l.Iteration < l.Run.Iterations && !over; {
		p.Update(fmt.Sprintf("iteration %d", l.Iteration+1), float64(l.Iteration))
		report, err := l.Step(cmd.Context())
		if err != nil {
			return err
		}
		entry := &logged{Report: report}
		w, err := l.Weights()
		if err != nil {
			return err
		}
		over = !t.until.IsZero() && time.Now().After(t.until)
		if t.keep == 0 || l.Iteration%t.keep == 0 || l.Iteration == l.Run.Iterations || over {
			if err := w.Save(t.path(weightsFile(l.Iteration))); err != nil {
				return err
			}
		}
		if t.every > 0 && l.Iteration%t.every == 0 {
			if entry.Grade, err = gradeAlone(cmd.Context(), subject, w, 1000); err != nil {
				return err
			}
		}
		if err := cli.WriteJSON(log, entry); err != nil {
			return err
		}
		if err := l.Save(t.path(checkpointFile)); err != nil {
			return err
		}
		if err := writeText(cmd.OutOrStdout(), "iteration", entry, 0); err != nil {
			return err
		}
	}
	end := "done"
	if l.Iteration < l.Run.Iterations {
		end = fmt.Sprintf("the time is over after %d of %s", l.Iteration, cli.Plural(l.Run.Iterations, "iteration"))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s; the weights are in %s\n", end, t.path(weightsFile(l.Iteration)))
	return err
}

// openLog opens the log after the finished iterations, without anything a killed process wrote later.
func (t *training) openLog(done int) (*os.File, error) {
	f, err := durable.Open(t.path(logFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	end := int64(0)
	for lines := json.NewDecoder(f); ; {
		var entry struct{ Iteration int }
		if err := lines.Decode(&entry); err != nil || entry.Iteration > done {
			break
		}
		end = lines.InputOffset() + 1 // the end of the line
	}
	if err := f.Truncate(end); err != nil {
		f.Close()
		return nil, err
	}
	_, err = f.Seek(end, io.SeekStart)
	return f, err
}

type logged struct {
	*selfplay.Report
	Grade *graded `json:"grade,omitempty"`
}

// graded has the share of won states in which the network alone keeps the win, and the share of right signs.
// Held-out states are left out, but not of the random mover's share.
type graded struct {
	Won    int     `json:"won"`
	Policy float64 `json:"policy"`
	Random float64 `json:"random"`
	Sign   float64 `json:"sign"`
}

func gradeAlone(ctx context.Context, s *grade.Subject, w *zero.Weights, states int) (g *graded, err error) {
	if s.Agent, err = zero.New(s.Rules, w, 0); err != nil {
		return nil, err
	}
	x, err := s.Expert(ctx, states, nil)
	if err != nil {
		return nil, err
	}
	random, _ := x.Won.Random()
	won, policy, signed, sign := x.Won.States, x.Won.Policy, x.All.Signed, x.All.Sign
	if x.HeldOut != nil {
		won, policy = won-x.HeldOutWon.States, policy-x.HeldOutWon.Policy
		signed, sign = signed-x.HeldOut.Signed, sign-x.HeldOut.Sign
	}
	return &graded{Won: won, Policy: shareOf(policy, won), Random: random, Sign: shareOf(sign, signed)}, nil
}

func shareOf(n, all int) float64 { return grade.Ratio{Good: n, All: all}.Share() }

const (
	// learned and byActions are the agents that learn weights of features: those of the state
	// after a move, or as published for each action, learned backwards over a game.
	learned   = "qlearning"
	byActions = "qlearning-actions"
	// networkKind begins the labels of networks in a series, before the number of simulations.
	networkKind   = "network"
	qlearningFile = "weights.json"
)

// trainingGames bring the learning rates of the agents of a series close to 0.
var trainingGames = map[string]int{learned: 20_000, byActions: 8_000}

func learn(ctx context.Context, rules game.Rules, learner string, games int, seed uint64, tell func(tablebase.Event)) (*qlearning.Weights, error) {
	grid, ok := game.GridOf(rules)
	if !ok {
		return nil, cli.Usagef("features are learned for boards of at most 8×8 cells, and %v is not one; train a network, or give another board", rules.Info())
	}
	o := qlearning.DefaultOptions(games, seed)
	o.Actions = learner == byActions
	return qlearning.Train(ctx, grid, o, tell)
}

// learn adds the training of a series' agent, of cost 0 and so first, unless its weights are there.
func (r *runner) learn(rules game.Rules, label string, seed uint64) (path string) {
	word := boardWord(rules.Info().Name, rules.Info().Size)
	path = filepath.Join(r.out, label+"-"+word+".json")
	what := word + ": training of " + label
	if _, err := os.Stat(path); err == nil || slices.ContainsFunc(r.jobs, func(j job) bool { return j.what == what }) {
		return path
	}
	r.jobs = append(r.jobs, job{
		what: what,
		do: func(ctx context.Context, _ func(share float64)) error {
			w, err := learn(ctx, rules, label, trainingGames[label], seed, nil)
			if err != nil {
				return err
			}
			return w.Save(path)
		},
	})
	return path
}

func (t *training) learn(cmd *cobra.Command, rules game.Rules) error {
	games := cmp.Or(t.iterations, 10_000)
	p, stop := t.watch(cmd, "training", rules.Info().String(), "games", 0, float64(games))
	w, err := learn(cmd.Context(), rules, t.learner.String(), games, t.seed, p.Event)
	stop()
	if err != nil {
		return err
	}
	if err := durable.MkdirAll(t.out, 0o755); err != nil {
		return err
	}
	if err := w.Save(t.path(qlearningFile)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "learned from %s; %s has %s\n", cli.Plural(games, "game"), t.path(qlearningFile), cli.Plural(len(w.Values), "weight"))
	return err
}
