package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"backsolve/cmd/cli"
	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/agents"
	"backsolve/internal/probe"
	"backsolve/partition"
	"backsolve/research/internal/files"
)

// series measures agents on a board, one after the other; each result is a point of its file.
type series struct {
	Measure    string          `json:"measure"`
	Name       string          `json:"name,omitempty"` // begins that of the file, "" for Measure
	Iterations iterationsValue `json:"iterations"`     // of mcts
	Agents     []string        `json:"agents"`         // besides mcts
	Opponents  []string        `json:"opponents,omitempty"`
	Games      int             `json:"games,omitempty"`
	TurnLimit  int             `json:"turn_limit,omitempty"`
	Replies    bool            `json:"replies,omitempty"` // the opponent begins all games
	States     int             `json:"states,omitempty"`
	Seed       uint64          `json:"seed"`
}

const (
	strengthMeasure = "strength"
	lengthMeasure   = "length"
	accuracyMeasure = "accuracy"
	timeMeasure     = "times"
)

// standardBlunders are the blunder rates of the published ladders.
var standardBlunders = []float64{0, 0.01, 0.05, 0.1, 0.2, 0.5}

var bothPolicies = []player.Policy{player.Optimal, player.Shortest}

func strengthCommand(s *shared) *cobra.Command {
	m := &series{}
	cobra.CheckErr(m.Iterations.Set(standardIterations))
	measure := cli.NewChoice(strengthMeasure, lengthMeasure, accuracyMeasure)
	games, turns, states := cli.NewCount(200, maxGames), cli.NewCount(200, maxTurns), cli.NewCount(1000, maxStates)
	out, force := "", false
	cmd := &cobra.Command{
		Use:   "strength BOARD",
		Short: "Grade agents against perfect play: strength, length, accuracy",
		Long: `Measure agents, mcts with each number of --iterations and those of --agent:

strength  by matches with players who know all values and may blunder with a
          probability: optimal plays any move that keeps the outcome, shortest wins
          soonest or loses latest
length    the number of plies in games that they lose to such players
accuracy  how often their moves are right in random open states: leniently if they
          keep the outcome, strictly if they also win soonest or lose latest

The strength is the score for 100 games, 100·(wins + draws/2)/games. The players take
turns to move first, so equal players score 50. Games with the same number have the same seeds
for all agents, so differences from the first agent are taken game by game.

Results go to a JSON file in --out as soon as they are measured, with the settings,
version, command, machine and checksums. The same command resumes, and adds agents. At
the end they are plotted against iterations and thinking time.`,
		Example: `  lab strength quixo 3
  lab strength quixo 4 --against optimal,optimal:blunder=0.1 --iterations 0-1000/200
  lab strength notakto 5 --iterations '' --agent greedy --agent minimax:depth=2
  lab strength quixo 3 --measure accuracy --states 10000
  lab strength quixo 3 --measure length --replies --against shortest --games 100`,
		Args:              cli.BoardArgs(0, 0),
		ValidArgsFunction: cli.CompleteBoard(cli.TableSizes(s.dir)),
	}
	f := cmd.Flags()
	measure.Register(cmd, "measure", "what to measure: strength, length or accuracy")
	f.Var(&m.Iterations, "iterations", "`LIST` iterations of mcts: numbers and ranges with a step")
	f.StringArrayVar(&m.Agents, "agent", nil, "`AGENT` agent to measure as well; may be repeated")
	f.StringSliceVar(&m.Opponents, "against", nil, "`LIST` opponents (default optimal and shortest, for strength with six probabilities of a blunder)")
	f.Var(&games, "games", "number of games for each point")
	f.Var(&turns, "turn-limit", "number of turns after which a game is drawn")
	f.BoolVar(&m.Replies, "replies", false, "let the opponent move first in all games")
	f.Var(&states, "states", "number of positions for accuracy")
	f.StringVar(&out, "out", "ladder", "`DIR` directory of the results")
	f.BoolVar(&force, "force", false, "discard results of other settings")
	seedFlag(cmd, &m.Seed)
	cli.JSONFlag(f)
	cli.FormatFlag(cmd, cli.Text, cli.JSON, cli.CSV)
	for _, name := range []string{"agent", "against"} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(name, completeAgents))
	}
	cli.Advanced(cmd, "force", "turn-limit")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m.Measure = measure.String()
		if m.Measure == accuracyMeasure {
			m.States = states.Count
		} else {
			m.Games, m.TurnLimit, m.Opponents = games.Count, turns.Count, m.opponents()
		}
		b, _, err := cli.Board(cmd, args, "")
		if err != nil {
			return err
		}
		if err := files.Writable(out); err != nil {
			return err
		}
		r := newRunner(s, cmd, out, force)
		defer r.close()
		env := newEnv(b.Rules(), *s.dir, *s.threads)
		env.Board = b
		r.closers = append(r.closers, env.Close)
		p, err := r.plan(m, env)
		if err != nil {
			return err
		}
		if _, err := r.run(m.Measure, time.Time{}); err != nil {
			return err
		}
		return errors.Join(p.print(cmd.OutOrStdout(), cli.Format(cmd)), p.draw(out))
	}
	return cmd
}

// opponents returns those of a command line, or the published ones.
func (m *series) opponents() (names []string) {
	if m.Opponents != nil {
		return slices.Compact(m.Opponents)
	}
	blunders := standardBlunders
	if m.Measure == lengthMeasure {
		blunders = blunders[:1]
	}
	for _, policy := range bothPolicies {
		for _, blunder := range blunders {
			names = append(names, player.Strength{Policy: policy, Blunder: blunder}.String())
		}
	}
	return names
}

// runner does jobs, and keeps what they need open.
type runner struct {
	*shared
	cmd     *cobra.Command
	out     string // directory of the results
	force   bool
	inputs  map[string]string // checksums of files, by their paths
	stores  map[string]any    // open ones, by their paths
	jobs    []job
	closers []func() error
}

func newRunner(s *shared, cmd *cobra.Command, out string, force bool) *runner {
	return &runner{shared: s, cmd: cmd, out: out, force: force, inputs: map[string]string{}, stores: map[string]any{}}
}

func (r *runner) close() {
	for _, c := range slices.Backward(r.closers) {
		c()
	}
}

// planned is a series on a board whatever the type of its points.
type planned interface {
	print(w io.Writer, format string) error
	draw(dir string) error
}

// plan adds what is missing of a series, after all agents and opponents were tried.
func (r *runner) plan(m *series, env *agents.Env) (planned, error) {
	set, err := m.settings(r.cmd, env)
	if err != nil {
		return nil, err
	}
	contenders, err := r.contenders(m, env)
	if err != nil {
		return nil, err
	}
	switch m.Measure {
	case accuracyMeasure:
		return planOf(r, set, env, contenders, exam)
	case timeMeasure:
		return planOf(r, set, env, contenders, clock)
	case strengthMeasure, lengthMeasure:
		for _, name := range m.Opponents {
			if _, err := r.labelOf(env, name); err != nil {
				return nil, err
			}
		}
		return planOf(r, set, env, contenders, func(st *store[matchPoint], c contender) (jobs []job) {
			for _, opponent := range m.Opponents {
				jobs = append(jobs, match(st, c, opponent)...)
			}
			return jobs
		})
	}
	return nil, cli.Usagef("%q is not a measure; give strength, length, accuracy or times", m.Measure)
}

func planOf[P any](r *runner, set settings, env *agents.Env, contenders []contender, jobs func(*store[P], contender) []job) (*store[P], error) {
	path := filepath.Join(r.out, set.file())
	st, opened := r.stores[path].(*store[P])
	if !opened {
		var err error
		if st, err = openStore[P](path, set, newRun(*r.threads, r.inputs), r.force, env); err != nil {
			return nil, err
		}
		r.closers = append(r.closers, st.close)
		r.stores[path] = st
	} else if !st.Settings.takes(set) {
		return nil, cli.Usagef("two series for %s.json have other settings, %v and %v; give one a name", path, st.Settings, set)
	}
	for _, c := range contenders {
		r.jobs = append(r.jobs, jobs(st, c)...)
	}
	return st, nil
}

func (m *series) settings(cmd *cobra.Command, env *agents.Env) (set settings, err error) {
	info := env.Rules.Info()
	set = settings{
		Measure: cmp.Or(m.Name, m.Measure), Game: info.Name, Size: info.Size, Start: "unknown",
		Games: m.Games, TurnLimit: m.TurnLimit, Replies: m.Replies, States: m.States, Seed: m.Seed,
	}
	if m.Measure == timeMeasure { // no table has a part in them
		set.Start, set.States = "", timed
		return set, nil
	}
	if partition.HasTables(info.Name) {
		table, err := env.Table()
		if err != nil {
			return set, err
		}
		set.Outcomes, set.Table = !table.HasSteps(), fmt.Sprintf("%x", table.Stored().Identity())
		v, err := table.Value(table.Start())
		set.Start = v.String()
		return set, err
	}
	if !slices.Contains(m.Opponents, perfect.String()) {
		return set, nil
	}
	answers, err := env.Answerer(cmd.Context(), false)
	if err != nil {
		return set, err
	}
	a, err := answers.AskState(env.Rules, env.Rules.Start(), probe.NoLine)
	if err == nil {
		set.Start = a.Value.String()
	}
	return set, err
}

// contenders returns the agents of a series. Networks are left out where there are no weights.
func (r *runner) contenders(m *series, env *agents.Env) (all []contender, err error) {
	for _, n := range m.Iterations.numbers {
		name := fmt.Sprintf("mcts:%d", n)
		all = append(all, contender{name, name})
	}
	for _, name := range m.Agents {
		c := contender{name, name}
		if trainingGames[name] > 0 {
			c.name = `qlearning:weights="` + r.learn(env.Rules, name, m.Seed) + `"`
		} else if simulations, ok := strings.CutPrefix(name, networkKind+":"); ok {
			path := filepath.Join(r.out, networkKind+"-"+boardWord(env.Rules.Info().Name, env.Rules.Info().Size)+".weights")
			if _, err := os.Stat(path); err != nil {
				continue
			}
			c.name = `zero:weights="` + path + `",sims=` + simulations
			if _, err := r.labelOf(env, c.name); err != nil {
				return nil, err
			}
		} else if c.label, err = r.labelOf(env, name); err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(other contender) bool { return other.label == c.label }) {
			all = append(all, c)
		}
	}
	return all, nil
}

// labelOf tries an agent and returns its name. It keeps the checksum of its weights.
func (r *runner) labelOf(env *agents.Env, name string) (string, error) {
	if name == itself {
		return name, nil
	}
	a, err := parseAgent(r.cmd.Context(), name, env)
	if err != nil {
		return "", err
	}
	if _, path, ok := strings.Cut(name, "weights="); ok {
		end := ","
		if strings.HasPrefix(path, `"`) {
			path, end = path[1:], `"`
		}
		path, _, _ = strings.Cut(path, end)
		err = r.read(path)
	}
	return a.Name(), errors.Join(err, try(r.cmd.Context(), env, a))
}

func (r *runner) read(path string) error {
	data, err := os.ReadFile(path)
	r.inputs[path] = checksum(data)
	return err
}

func (s settings) file() string { return s.Measure + "-" + s.word() }

// word names the board in a file name: quixo-4x4.
func (s settings) word() string { return boardWord(s.Game, s.Size) }

func boardWord(name string, size int) string {
	if rules, err := games.New(name, size); err == nil && game.Size(size).Cells() != size*size { // a variant, or not square
		return name + "-" + rules.Info().Variant
	}
	return fmt.Sprintf("%s-%dx%[2]d", name, size)
}

// iterationsValue is a flag of numbers and ranges with a step: 0-1000/100,1200; "" for none.
type iterationsValue struct {
	text    string
	numbers []int
}

const standardIterations = "0-1000/100,1200-2000/200,2500-5000/500,6000,8000,10000" // of the published ladders

const maxNumbers = 10_000

func (v *iterationsValue) String() string { return v.text }
func (v *iterationsValue) Type() string   { return "LIST" }

func (v *iterationsValue) Set(text string) error {
	var numbers []int
	for part := range strings.SplitSeq(text, ",") {
		if text == "" {
			break
		}
		from, to, step, err := parseRange(part)
		if err != nil {
			return err
		}
		if (to-from)/step >= maxNumbers-len(numbers) {
			return fmt.Errorf("%q has more than %d numbers; give fewer", text, maxNumbers)
		}
		for n := from; n <= to; n += step {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	v.text, v.numbers = text, slices.Compact(numbers)
	return nil
}

// UnmarshalText reads the numbers of an experiment.
func (v *iterationsValue) UnmarshalText(text []byte) error { return v.Set(string(text)) }

func parseRange(text string) (from, to, step int, err error) {
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return n, n, 1, nil
	}
	var rest string
	n, _ := fmt.Sscanf(text, "%d-%d/%d%s", &from, &to, &step, &rest)
	if n != 3 || from < 0 || to < from || step < 1 {
		return 0, 0, 0, fmt.Errorf("%.40q is not a number of iterations or a range of them; give for example 100,500 or 0-1000/100,2000", text)
	}
	return from, to, step, nil
}
