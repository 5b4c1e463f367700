package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/internal/player/agents"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
	"backsolve/research/grade"
	"backsolve/research/internal/files"
	"backsolve/research/internal/interval"
	"backsolve/research/selfplay"
	"github.com/spf13/cobra"
)

// benchmark is a frozen set of positions with baselines. A change needs a new name.
type benchmark struct {
	Name      string
	Positions int // of a board, at most
	Boards    []*benchBoard
	Agents    []string // the baselines; names of networks begin with networkAgent
	Seeds     int      // of each baseline
	// Iterations is the number of training iterations of the networks, which play on boards with Network.
	Iterations int

	network     func(game.Info) selfplay.Run
	tables, out string // directories
	threads     int
	log         io.Writer
	sums        map[string]string // in hexadecimal, by path below out
	example     bytes.Buffer      // answers of the first agent with the first seed
}

// networkAgent begins the name of a network with a number of simulations.
const networkAgent = "zero:sims="

type benchBoard struct {
	Name    string // for tbsolve
	Network bool   // trains networks
	File    string
	Source  string                   // of the values: the identity of a table, or the rules
	Drawn   bool                     // from all states
	Splits  []int                    // problems
	Choices int                      // in the test split
	Draws   bool                     // there are some
	Chance  float64                  // of a random move to be right there, in percent
	scores  map[string][]grade.Score // by agent, one for each seed
	env     *agents.Env
	answers probe.Answerer
}

func benchV2() *benchmark {
	return &benchmark{
		Name: "v2", Positions: 10_000, Seeds: 5, Iterations: 10, network: selfplay.DefaultRun,
		Agents: []string{"random", "greedy", "mcts:10", "mcts:100", "mcts:1000", networkAgent + "0", networkAgent + "100"},
		Boards: []*benchBoard{
			{Name: "dawson 26", Network: true}, {Name: "nim 5", Network: true}, {Name: "nim 7"},
			{Name: "notakto 3", Network: true}, {Name: "notakto 4", Network: true}, {Name: "notakto 4x5"}, {Name: "notakto 5", Network: true},
			{Name: "quixo 3"}, {Name: "quixo 4"}, {Name: "quixo 4x5"}, {Name: "tictactoe 3", Network: true}, {Name: "tictactoe 3x4,three"},
		},
	}
}

var (
	//go:embed score.py load.py load_torch.py
	programs embed.FS
	//go:embed bench.md.tmpl
	benchText     string
	benchTemplate = template.Must(template.New("bench").Parse(benchText))
)

func benchCommand(s *shared) *cobra.Command {
	b := benchV2()
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Write the benchmark for players, with baselines",
		Long: `Write the benchmark ` + b.Name + `: up to 10,000 positions of each board with exact values and right
moves, split into train, validation and test so that neither a move nor a symmetry leads
from one to another; programs that read them and score answers; checksums; and report.md, a page with the baselines. Networks are
trained on the way, so it takes many minutes. The files are the same with any number of
threads.

It needs tables with steps: notakto 3, 4, 4x5 and 5, quixo 3, 4 and 4x5, and tictactoe 3
and 3x4,three.`,
		Example: `  lab bench
  python3 bench/v2/score.py bench/v2/example.jsonl`,
		Args: cli.Args(0),
	}
	cmd.Flags().StringVarP(&b.out, "out", "o", filepath.Join("bench", b.Name), "`DIR` new directory of the benchmark")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		b.tables, b.threads, b.log = *s.dir, *s.threads, cmd.ErrOrStderr()
		return b.write(cmd.Context())
	}
	return cmd
}

func (b *benchmark) write(ctx context.Context) error {
	if there, err := os.ReadDir(b.out); err == nil && len(there) > 0 {
		return fmt.Errorf("%s has files already; remove it, or name a new directory", b.out)
	}
	if err := files.Writable(b.out); err != nil {
		return err
	}
	for _, board := range b.Boards { // all are there before work begins
		err := b.open(ctx, board)
		defer board.env.Close()
		if err != nil {
			return err
		}
	}
	b.sums = map[string]string{}
	for _, board := range b.Boards {
		fmt.Fprintln(b.log, board.Name)
		if err := b.measure(ctx, board); err != nil {
			return fmt.Errorf("%s: %w", board.Name, err)
		}
	}
	err := b.file("example.jsonl", b.example.Bytes())
	names, _ := fs.Glob(programs, "*.py") // the pattern is right
	for _, name := range names {
		content, failed := programs.ReadFile(name)
		err = errors.Join(err, failed, b.file(name, content))
	}
	var sums, page bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(b.sums)) {
		fmt.Fprintf(&sums, "%s  %s\n", b.sums[path], path)
	}
	if err := errors.Join(err, b.file("SHA256SUMS", sums.Bytes()), benchTemplate.Execute(&page, b)); err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(b.out, pageName), page.Bytes())
}

// Sum is the checksum of the checksums.
func (b *benchmark) Sum() string { return b.sums["SHA256SUMS"] }

func (b *benchmark) file(path string, content []byte) error {
	b.sums[path] = fmt.Sprintf("%x", sha256.Sum256(content))
	return files.WriteBytes(filepath.Join(b.out, filepath.FromSlash(path)), content)
}

// open opens the values of a board, until its environment is closed.
func (b *benchmark) open(ctx context.Context, board *benchBoard) error {
	rules, err := boardOf(board.Name)
	if board.env, board.Source = (&agents.Env{Rules: rules, Dir: b.tables}), "rules"; err != nil {
		return err
	}
	board.answers, err = board.env.Answerer(ctx, true)
	if t, ok := board.answers.(*probe.Table); ok && err == nil {
		identity := t.Stored().Identity()
		if board.Source = fmt.Sprintf("`%x`", identity[:8]); !t.HasSteps() {
			err = t.NoSteps()
		}
	}
	return err
}

func (b *benchmark) measure(ctx context.Context, board *benchBoard) error {
	s := &grade.Subject{Rules: board.env.Rules, Answers: board.answers, Seed: 1, Threads: b.threads}
	splits, err := s.Problems(ctx, b.Name, b.Positions)
	if err != nil {
		return err
	}
	board.File, board.Drawn = strings.TrimSuffix(probe.FileName(s.Rules.Info()), ".tb"), s.Drawn()
	for i, problems := range splits {
		var lines bytes.Buffer
		for _, p := range problems {
			err = errors.Join(err, cli.WriteJSON(&lines, p))
		}
		if err := errors.Join(err, b.file(grade.Splits[i]+"/"+board.File+".jsonl", lines.Bytes())); err != nil {
			return err
		}
		board.Splits = append(board.Splits, len(problems))
	}
	return b.baselines(ctx, board, s, splits)
}

func (b *benchmark) baselines(ctx context.Context, board *benchBoard, s *grade.Subject, splits [][]grade.Problem) error {
	test, usual := splits[len(splits)-1], majority(splits[0])
	board.Draws = slices.ContainsFunc(test, func(p grade.Problem) bool { return p.Outcome == game.Draw.String() })
	board.scores = map[string][]grade.Score{}
	for seed := range uint64(b.Seeds) {
		s.Seed = seed + 1
		weights, err := b.train(ctx, board, s)
		if err != nil {
			return err
		}
		for _, name := range b.Agents {
			if simulations, ok := strings.CutPrefix(name, networkAgent); !ok {
				s.Agent, err = agents.Parse(ctx, name, board.env)
			} else if n, _ := strconv.Atoi(simulations); weights != nil {
				s.Agent, err = zero.New(s.Rules, weights, n)
			} else {
				continue
			}
			if err != nil {
				return err
			}
			answers, err := s.Solve(ctx, board.File, test)
			if err != nil {
				return err
			}
			var score grade.Score
			for i := range answers {
				a, p := &answers[i], &test[i]
				switch name {
				case "greedy": // sees what ends the game
					if a.Outcome = usual; p.Outcome == game.Win.String() && *p.Steps == 1 {
						a.Outcome = p.Outcome
					}
				case "random":
					a.Outcome = usual
				}
				score.Add(p, a)
				if name == b.Agents[0] && seed == 0 {
					err = errors.Join(err, cli.WriteJSON(&b.example, answers[i]))
				}
			}
			board.Choices, board.Chance = score.Right.All, 100*score.Chance/float64(max(1, score.Right.All))
			if board.scores[name] = append(board.scores[name], score); err != nil {
				return err
			}
		}
	}
	return nil
}

func majority(problems []grade.Problem) (most string) {
	number := map[string]int{}
	for _, p := range problems {
		if number[p.Outcome]++; number[p.Outcome] > number[most] {
			most = p.Outcome
		}
	}
	return most
}

// train trains the network of a board by self-play, without exact values; nil if it has none.
func (b *benchmark) train(ctx context.Context, board *benchBoard, s *grade.Subject) (*zero.Weights, error) {
	if !board.Network {
		return nil, nil
	}
	run := b.network(s.Rules.Info())
	run.Seed, run.Iterations = s.Seed, b.Iterations
	learner, err := selfplay.New(run, b.threads)
	if err != nil {
		return nil, err
	}
	for range run.Iterations {
		if _, err := learner.Step(ctx); err != nil {
			return nil, err
		}
	}
	return learner.Weights()
}

// Share returns the mean share of right moves, strict ones or outcomes, or of the greatest regret,
// over the seeds, in percent with the 95 % interval of Student's t; a hyphen where there is none.
func (b *benchBoard) Share(agent, of string) string {
	var shares []float64
	for _, s := range b.scores[agent] {
		r := map[string]grade.Ratio{"right": s.Right, "strict": s.Strict, "outcomes": s.Outcomes, "regret": {Good: s.Regret, All: 2 * s.Right.All}}[of]
		shares = append(shares, 100*r.Share())
	}
	if shares == nil {
		return "-"
	}
	return interval.Text(interval.Mean(shares, 0, 100))
}
