package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player"
	"backsolve/player/agents"
	"backsolve/player/qlearning"
	"backsolve/probe"
)

type board struct {
	game string
	size int
}

func (b board) word() string { return boardWord(b.game, b.size) }

// reportBoards are the boards of the report, those of a game by size.
var reportBoards = []board{{"quixo", 3}, {"quixo", 4}, {"quixo", 5}, {"notakto", 3}, {"notakto", 4}, {"notakto", 5}, {"notakto", 6}}

// learned is the label of the agent trained for the report.
const learned = "qlearning"

// trainingGames bring its learning rate close to 0.
const trainingGames = 20_000

// coarse are the iterations against opponents that blunder.
var coarse = []int{0, 100, 300, 1000, 3000, 10000, 100000}

// leastBlunder is one with published figures of Q-learning.
const leastBlunder = 0.01

// planner collects the jobs of a report and keeps its files open.
type planner struct {
	*reporter
	cmd     *cobra.Command
	jobs    []job
	closers []func() error
}

// plan adds what is missing of a board, unless it has no table.
func (p *planner) plan(b board) error {
	grid, err := games.NewGrid(b.game, b.size)
	if err != nil {
		return err
	}
	env := &agents.Env{Rules: game.Opaque[game.Position](grid), Dir: *p.dir}
	table, err := env.Table()
	if missing := (*probe.MissingError)(nil); errors.As(err, &missing) {
		fmt.Fprintf(p.cmd.ErrOrStderr(), "%s is left out: %v\n", b.word(), err)
		return nil
	}
	if err != nil {
		return err
	}
	p.closers = append(p.closers, env.Close)
	p.train(b, grid)
	if err := errors.Join(p.strengths(b, env, table.HasSteps()), p.lengths(b, env, table.HasSteps()), p.accuracies(b, env)); err != nil || b.game != "notakto" {
		return err
	}
	return p.players(b, env)
}

// run does the jobs, the cheapest first so that a short run brings points of each kind, and
// closes the files. It returns the number of jobs that are left.
func (p *planner) run() (left int, err error) {
	slices.SortStableFunc(p.jobs, func(a, b job) int { return cmp.Compare(a.cost, b.cost) })
	left, err = p.runJobs(p.cmd, "report", p.jobs, p.deadline())
	return left, errors.Join(err, p.close())
}

func (p *planner) close() (err error) {
	for _, c := range slices.Backward(p.closers) {
		err = errors.Join(err, c())
	}
	p.closers = nil
	return err
}

func (p *planner) weights(b board) string {
	return filepath.Join(p.data, learned+"-"+b.word()+".json")
}

// train adds the training. Its cost is 0, so it comes first.
func (p *planner) train(b board, grid game.Grid) {
	path := p.weights(b)
	if _, err := os.Stat(path); err == nil {
		return
	}
	p.jobs = append(p.jobs, job{
		what: b.word() + ": training of " + learned,
		do: func(ctx context.Context, _ func(share float64)) error {
			w, err := qlearning.Train(ctx, grid, qlearning.DefaultOptions(trainingGames, p.seed), nil)
			if err != nil {
				return err
			}
			return w.Save(path)
		},
	})
}

// climbers returns mcts with the iterations, and if asked the other agents of the report.
func (p *planner) climbers(b board, iterations []int, others bool) (all []contender) {
	for _, n := range iterations {
		all = append(all, mcts(n))
	}
	if !others {
		return all
	}
	return append(all, contender{"greedy", "greedy"}, contender{"minimax:depth=4", "minimax:depth=4"}, p.learner(b))
}

func (p *planner) learner(b board) contender {
	return contender{`qlearning:weights="` + p.weights(b) + `"`, learned}
}

// fewer returns the coarse ones of the iterations.
func (p *planner) fewer() []int {
	return slices.DeleteFunc(slices.Clone(p.iterations.numbers), func(n int) bool { return !slices.Contains(coarse, n) })
}

func (p *planner) strengths(b board, env *agents.Env, steps bool) error {
	st, err := openFor[matchPoint](p, b, env, "strength")
	if err != nil {
		return err
	}
	policies := bothPolicies
	if !steps {
		policies = policies[:1]
	}
	for _, policy := range policies {
		for _, blunder := range standardBlunders {
			iterations := p.iterations.numbers
			if blunder > 0 {
				iterations = p.fewer()
			}
			climbers := p.climbers(b, iterations, blunder == 0)
			if blunder == leastBlunder {
				climbers = append(climbers, p.learner(b))
			}
			p.matches(st, climbers, player.Strength{Policy: policy, Blunder: blunder}.String())
		}
	}
	return nil
}

func (p *planner) matches(st series[matchPoint], climbers []contender, opponents ...string) {
	for _, c := range climbers {
		for _, opponent := range opponents {
			p.jobs = append(p.jobs, match(st, c, opponent)...)
		}
	}
}

// lengths adds the matches in which mcts moves second against a perfect player: shortest if the
// table has steps.
func (p *planner) lengths(b board, env *agents.Env, steps bool) error {
	st, err := openFor[matchPoint](p, b, env, "length")
	if err != nil {
		return err
	}
	opponent := perfect
	if steps {
		opponent = quick
	}
	p.matches(st, p.climbers(b, p.iterations.numbers, false), opponent.String())
	return nil
}

func (p *planner) accuracies(b board, env *agents.Env) error {
	st, err := openFor[accuracyPoint](p, b, env, "accuracy")
	if err != nil {
		return err
	}
	for _, c := range p.climbers(b, p.iterations.numbers, true) {
		p.jobs = append(p.jobs, exam(st, c)...)
	}
	return nil
}

// players adds the matches of each agent against random, greedy and itself.
func (p *planner) players(b board, env *agents.Env) error {
	st, err := openFor[matchPoint](p, b, env, "players")
	if err != nil {
		return err
	}
	searching := slices.DeleteFunc(p.fewer(), func(n int) bool { return n == 0 })
	climbers := append(p.climbers(b, searching, true), contender{"random", "random"}, contender{"optimal", "optimal"})
	p.matches(st, climbers, "random", "greedy", itself)
	return nil
}

// openFor opens the series of a measure of a board with a table.
func openFor[P any](p *planner, b board, env *agents.Env, measure string) (series[P], error) {
	set := settings{Measure: measure, Games: p.games.Count, TurnLimit: p.turns.Count}
	switch measure {
	case "accuracy":
		set = settings{Measure: measure, States: p.states.Count}
	case "length": // as many games as the agent moves second in otherwise
		set.Games, set.Replies = max(1, p.games.Count/2), true
	}
	set, err := set.of(env, p.seed)
	if err != nil {
		return series[P]{}, err
	}
	return openSeries[P](p, b, env, set)
}

func openSeries[P any](p *planner, b board, env *agents.Env, set settings) (series[P], error) {
	st, err := openStore[P](p.path(set.Measure, b), set, newRun(p.threads.Count), p.force)
	if err != nil {
		return series[P]{}, err
	}
	p.closers = append(p.closers, st.close)
	return series[P]{env, st, p.threads.Count}, nil
}
