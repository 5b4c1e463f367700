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
	"sync"
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
	Sums        map[string]string // checksums in hexadecimal, by path below out
	example     bytes.Buffer      // answers of the first agent with the first seed
	store       *store[baseline]
}

// baselinesName is the file of the baselines, which an interrupted benchmark resumes from.
const baselinesName = "baselines"

// baseline is the score of an agent with one seed.
type baseline struct {
	Board string      `json:"board"`
	Test  string      `json:"test"` // SHA-256 of its split
	Agent string      `json:"agent"`
	Seed  uint64      `json:"seed"`
	Score grade.Score `json:"score"`
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
	subject *grade.Subject
	test    []grade.Problem
	testSum string // of its file
	usual   string // the most frequent outcome in training
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
from one to another; programs that read them and score answers; checksums; and
report.md, a page with the baselines. Networks are trained on the way, so it takes many
minutes; the same command resumes. The files are the same with any number of threads.

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
	path := filepath.Join(b.out, baselinesName)
	_, missing := os.Stat(path + ".json")
	if there, err := os.ReadDir(b.out); err == nil && len(there) > 0 && missing != nil {
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
	var err error
	if b.store, err = openStore[baseline](path, settings{Measure: baselinesName + " of " + b.Name}, newRun(b.threads, nil), false, nil); err != nil {
		return err
	}
	defer b.store.close()
	b.Sums = map[string]string{}
	for _, board := range b.Boards {
		if err := b.measure(ctx, board); err != nil {
			return fmt.Errorf("%s: %w", board.Name, err)
		}
	}
	err = b.file("example.jsonl", b.example.Bytes())
	names, _ := fs.Glob(programs, "*.py") // the pattern is right
	for _, name := range names {
		content, failed := programs.ReadFile(name)
		err = errors.Join(err, failed, b.file(name, content))
	}
	var sums, page bytes.Buffer
	for _, path := range slices.Sorted(maps.Keys(b.Sums)) {
		fmt.Fprintf(&sums, "%s  %s\n", b.Sums[path], path)
	}
	if err := errors.Join(err, b.file("SHA256SUMS", sums.Bytes()), benchTemplate.Execute(&page, b)); err != nil {
		return err
	}
	return files.WriteBytes(filepath.Join(b.out, pageName), page.Bytes())
}

func checksum(content []byte) string { return fmt.Sprintf("%x", sha256.Sum256(content)) }

func (b *benchmark) file(path string, content []byte) error {
	b.Sums[path] = checksum(content)
	return files.WriteBytes(filepath.Join(b.out, filepath.FromSlash(path)), content)
}

// open opens the values of a board, until its environment is closed.
func (b *benchmark) open(ctx context.Context, board *benchBoard) error {
	rules, err := boardOf(board.Name)
	if board.env, board.Source = (&agents.Env{Rules: rules, Dir: b.tables}), "rules"; err != nil {
		return err
	}
	if board.subject, err = newSubject(ctx, board.env, true, b.threads); err != nil {
		return err
	}
	if t, ok := board.subject.Answers.(*probe.Table); ok {
		identity := t.Stored().Identity()
		if board.Source = fmt.Sprintf("`%x`", identity[:8]); !t.HasSteps() {
			return t.NoSteps()
		}
	}
	return nil
}

func (b *benchmark) measure(ctx context.Context, board *benchBoard) error {
	s := board.subject
	splits, err := s.Problems(ctx, b.Name, b.Positions)
	if err != nil {
		return err
	}
	board.File, board.Drawn = strings.TrimSuffix(probe.FileName(s.Rules.Info()), ".tb"), s.Drawn()
	parts := make([]bytes.Buffer, len(splits))
	for i, problems := range splits {
		err = errors.Join(err, files.WriteLines(&parts[i], problems))
		board.Splits = append(board.Splits, len(problems))
	}
	last := len(splits) - 1
	board.test, board.usual, board.testSum = splits[last], majority(splits[0]), checksum(parts[last].Bytes())
	board.Draws = slices.ContainsFunc(board.test, func(p grade.Problem) bool { return p.Outcome == game.Draw.String() })
	examples, failed := b.answer(ctx, board, b.Agents[0], nil)
	board.scores = map[string][]grade.Score{}
	for err = errors.Join(err, failed, files.WriteLines(&b.example, examples)); err == nil && s.Seed <= uint64(b.Seeds); s.Seed++ {
		fmt.Fprintf(b.log, "%s, seed %d\n", board.Name, s.Seed)
		err = b.baselines(ctx, board)
	}
	for i := range parts { // after the first baselines, which say whose files these are
		if err == nil {
			err = b.file(grade.Splits[i]+"/"+board.File+".jsonl", parts[i].Bytes())
		}
	}
	return err
}

// baselines measures all agents with the seed of the subject, unless the store has their scores.
func (b *benchmark) baselines(ctx context.Context, board *benchBoard) error {
	seed := board.subject.Seed
	trained := sync.OnceValues(func() (*zero.Weights, error) { return b.train(ctx, board.subject) })
	for _, name := range b.Agents {
		if !board.Network && strings.HasPrefix(name, networkAgent) {
			continue
		}
		i := slices.IndexFunc(b.store.Points, func(p baseline) bool { return p.Test == board.testSum && p.Agent == name && p.Seed == seed })
		if i < 0 {
			answers, err := b.answer(ctx, board, name, trained)
			if err != nil {
				return err
			}
			point := baseline{Board: board.File, Test: board.testSum, Agent: name, Seed: seed}
			for i := range answers {
				point.Score.Add(&board.test[i], &answers[i])
			}
			if err := b.store.add(point); err != nil {
				return err
			}
			i = len(b.store.Points) - 1
		}
		score := b.store.Points[i].Score
		board.Choices, board.Chance = score.Right.All, 100*score.Chance/float64(max(1, score.Right.All))
		board.scores[name] = append(board.scores[name], score)
	}
	return nil
}

// answer returns an agent's answers to the test split of a board.
func (b *benchmark) answer(ctx context.Context, board *benchBoard, name string, trained func() (*zero.Weights, error)) (answers []grade.Answer, err error) {
	s := board.subject
	if simulations, ok := strings.CutPrefix(name, networkAgent); ok {
		var weights *zero.Weights
		if weights, err = trained(); err == nil {
			n, _ := strconv.Atoi(simulations)
			s.Agent, err = zero.New(s.Rules, weights, n)
		}
	} else {
		s.Agent, err = agents.Parse(ctx, name, board.env)
	}
	if err == nil {
		answers, err = s.Solve(ctx, board.File, board.test)
	}
	for i := range answers {
		switch p := &board.test[i]; name {
		case "greedy": // sees what ends the game
			if answers[i].Outcome = board.usual; p.Outcome == game.Win.String() && *p.Steps == 1 {
				answers[i].Outcome = p.Outcome
			}
		case "random":
			answers[i].Outcome = board.usual
		}
	}
	return answers, err
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

// train trains a network by self-play, without exact values.
func (b *benchmark) train(ctx context.Context, s *grade.Subject) (*zero.Weights, error) {
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
