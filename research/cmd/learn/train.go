package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/cmd/cli/progress"
	"backsolve/internal/durable"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/zero"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/selfplay"
)

// The files of a training, beside the weights after each iteration.
const (
	runFile        = "run.json"
	checkpointFile = "checkpoint"
	logFile        = "log.jsonl"
)

func weightsFile(iteration int) string { return fmt.Sprintf("%04d.weights", iteration) }

// training holds the command line of learn train and learn resume.
type training struct {
	out        string
	iterations int
	threads    *int
	every      int // iterations between grades, 0 for none
	dir        *string
	display    *progress.Display
	keep       int       // iterations between weights that are kept, besides the last; 0 for all
	until      time.Time // no iteration begins after it but the first; zero for no limit
}

func (t *training) addFlags(cmd *cobra.Command) {
	t.threads = threadsFlag(cmd)
	cmd.Flags().IntVar(&t.every, "grade", 0, "grade the network alone in 1,000 states every N iterations, 0 for never")
	cli.NoCompletion(cmd, "grade")
	t.dir = cli.DirFlag(cmd.Flags())
	t.display = progress.Flags(cmd)
	cli.Advanced(cmd, "threads", "progress", "quiet")
}

func trainCommand() *cobra.Command {
	t := &training{}
	cmd := &cobra.Command{
		Use:   "train FILE",
		Short: "Start a training",
		Long: `Train a network as described by a file, and write the results to a directory: weights
and a checkpoint after each iteration. learn resume continues an interrupted training.`,
		Example: `  learn train notakto-4x4.json --out notakto-4x4
  learn train notakto-4x4.json --out notakto-4x4 --grade 5 --dir tables`,
		Args: cli.Args(1),
		RunE: t.train,
	}
	cmd.Flags().StringVar(&t.out, "out", "", "`DIR` new directory of the results")
	cobra.CheckErr(cmd.MarkFlagDirname("out"))
	t.addFlags(cmd)
	return cmd
}

func resumeCommand() *cobra.Command {
	t := &training{}
	cmd := &cobra.Command{
		Use:   "resume DIR",
		Short: "Resume or extend a training",
		Long: `Resume a training after its last finished iteration. The weights are the same as
without the interruption.`,
		Example: `  learn resume notakto-4x4
  learn resume notakto-4x4 --iterations 100`,
		Args: cli.Args(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: t.resume,
	}
	cmd.Flags().IntVar(&t.iterations, "iterations", 0, "total number of iterations (default as described)")
	cli.NoCompletion(cmd, "iterations")
	t.addFlags(cmd)
	return cmd
}

func (t *training) check() error { return checkNumbers(number{"grade", t.every, 0, 1_000_000}) }

func (t *training) train(cmd *cobra.Command, args []string) error {
	if err := t.check(); err != nil {
		return err
	}
	if t.out == "" {
		return cli.Usagef("--out is missing; name the directory of the results")
	}
	run, err := readDescription(args[0])
	if err != nil {
		return err
	}
	return t.start(cmd, run)
}

// complete starts or resumes the training that is described.
func (t *training) complete(cmd *cobra.Command, run *selfplay.Run) error {
	if _, err := os.Stat(t.path(checkpointFile)); errors.Is(err, fs.ErrNotExist) {
		return t.start(cmd, run)
	}
	begun, err := readDescription(t.path(runFile))
	if err != nil {
		return err
	}
	t.iterations = run.Iterations
	if begun.Iterations = run.Iterations; *begun != *run {
		return fmt.Errorf("the training in %s has another description; remove that directory, or name another with --out", t.out)
	}
	return t.resume(cmd, []string{t.out})
}

func (t *training) start(cmd *cobra.Command, run *selfplay.Run) error {
	if err := durable.MkdirAll(t.out, 0o755); err != nil {
		return err
	}
	return t.locked(func() error {
		if _, err := os.Stat(t.path(checkpointFile)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has a training already; resume it with learn resume %s, or choose another directory", t.out, t.out)
		}
		l, err := selfplay.New(*run, *t.threads)
		if err != nil {
			return err
		}
		if err := t.keepRun(l); err != nil {
			return err
		}
		if err := l.Save(t.path(checkpointFile)); err != nil {
			return err
		}
		return t.run(cmd, l)
	})
}

func (t *training) resume(cmd *cobra.Command, args []string) error {
	if err := t.check(); err != nil {
		return err
	}
	t.out = args[0]
	return t.locked(func() error {
		l, err := selfplay.Load(t.path(checkpointFile), *t.threads)
		if err != nil {
			return err
		}
		if t.iterations > 0 {
			l.Run.Iterations = t.iterations
			if err := l.Run.Check(); err != nil {
				return &cli.UsageError{Err: err}
			}
			if err := t.keepRun(l); err != nil {
				return err
			}
		}
		if l.Iteration >= l.Run.Iterations {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "the training is at its end, after %s; make it longer with --iterations\n", cli.Plural(l.Iteration, "iteration"))
			return err
		}
		return t.run(cmd, l)
	})
}

func (t *training) path(name string) string { return filepath.Join(t.out, name) }

// locked does work with the directory locked.
func (t *training) locked(work func() error) error {
	lock, err := durable.Lock(t.path("training"))
	if err != nil {
		return err
	}
	defer lock.Unlock()
	return work()
}

func (t *training) keepRun(l *selfplay.Learner) error { return files.WriteJSON(t.path(runFile), l.Run) }

// run does the iterations that are left.
func (t *training) run(cmd *cobra.Command, l *selfplay.Learner) error {
	rules, err := parseBoard(l.Run.Game, l.Run.Size)
	if err != nil {
		return err
	}
	env := newEnv(rules, *t.dir, *t.threads)
	defer env.Close()
	var subject *grade.Subject
	if t.every > 0 {
		if subject, err = t.newSubject(cmd.Context(), env, l); err != nil {
			return err
		}
	}
	log, err := t.openLog(l.Iteration)
	if err != nil {
		return err
	}
	defer log.Close()
	p := progress.New("training", fmt.Sprintf("%s %d", l.Run.Game, l.Run.Size))
	p.Begin("iterations", float64(l.Iteration), float64(l.Run.Iterations))
	stop := t.display.Show(cmd, p)
	defer func() { stop() }()
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
			if entry.Grade, err = gradeAlone(cmd.Context(), subject, w, gradedStates); err != nil {
				return err
			}
		}
		if err := cli.WriteJSON(log, entry); err != nil {
			return err
		}
		if err := l.Save(t.path(checkpointFile)); err != nil {
			return err
		}
		if err := writeText(cmd.OutOrStdout(), "iteration", entry); err != nil {
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

// openLog opens the log behind the finished iterations. It drops what a killed process wrote
// after its last checkpoint.
func (t *training) openLog(done int) (*os.File, error) {
	f, err := durable.Open(t.path(logFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	end := int64(0)
	for lines := json.NewDecoder(f); ; {
		var entry struct {
			Iteration int `json:"iteration"`
		}
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

// graded has the share of won states in which the network alone keeps the win, and that of
// decided states whose value has the right sign. Held-out states are left out, but not of the
// random mover's share.
type graded struct {
	Won    int     `json:"won"`
	Policy float64 `json:"policy"`
	Random float64 `json:"random"`
	Sign   float64 `json:"sign"`
}

// newSubject returns what graded networks play on the way.
func (t *training) newSubject(ctx context.Context, env *agents.Env, l *selfplay.Learner) (*grade.Subject, error) {
	s, err := newSubject(ctx, env, false, *t.threads)
	if err != nil {
		return nil, err
	}
	s.Seed = l.Run.Seed
	s.From, err = l.Run.Start()
	return s, err
}

const gradedStates = 1000

// gradeAlone grades a network without search.
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

// shareOf returns n/all, 0 if all is 0.
func shareOf(n, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(n) / float64(all)
}
