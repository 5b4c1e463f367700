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

// board is a board of the report.
type board struct {
	game string
	size int
}

func (b board) word() string { return boardWord(b.game, b.size) }

// reportBoards are the boards of the report, those of a game by size.
var reportBoards = []board{{"quixo", 3}, {"quixo", 4}, {"quixo", 5}, {"notakto", 3}, {"notakto", 4}, {"notakto", 5}, {"notakto", 6}}

// learned is what the agent is called that plays by the weights of the report.
const learned = "qlearning"

// trainingGames are those from which it learns: after them its learning rate is as
// good as 0.
const trainingGames = 20_000

// coarse are the iterations of the matches against opponents who blunder.
var coarse = []int{0, 100, 300, 1000, 3000, 10000, 100000}

// leastBlunder is that against which Q-learning was published, too.
const leastBlunder = 0.01

// planner finds out what is missing for the report, and keeps the files of its data
// open.
type planner struct {
	*reporter
	cmd  *cobra.Command
	jobs []job
	// closers close what was opened.
	closers []func() error
}

// plan adds what is missing of a board. It leaves out one without a table.
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
	if err := p.strengths(b, env, table.HasSteps()); err != nil {
		return err
	}
	if err := p.lengths(b, env, table.HasSteps()); err != nil {
		return err
	}
	if err := p.accuracies(b, env); err != nil {
		return err
	}
	if b.game == "notakto" {
		return p.players(b, env)
	}
	return nil
}

// run does what is missing, the cheapest first, so that little time brings a point of
// each kind, and closes the files. It returns the number of points that are left.
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

func (p *planner) add(j job, missing bool) {
	if missing {
		p.jobs = append(p.jobs, j)
	}
}

// weights is the file of the weights of a board.
func (p *planner) weights(b board) string {
	return filepath.Join(p.data, learned+"-"+b.word()+".json")
}

// train adds the training, before all that costs something.
func (p *planner) train(b board, grid game.Grid) {
	path := p.weights(b)
	if _, err := os.Stat(path); err == nil {
		return
	}
	p.jobs = append(p.jobs, job{
		what: b.word() + ": training of " + learned,
		do: func(ctx context.Context, tell func(share float64)) error {
			w, err := qlearning.Train(ctx, grid, qlearning.DefaultOptions(trainingGames, p.seed), nil)
			if err != nil {
				return err
			}
			return w.Save(path)
		},
	})
}

// climbers are mcts with some iterations, and the other agents of the report.
func (p *planner) climbers(b board, iterations []int, others bool) (all []contender) {
	for _, n := range iterations {
		name := fmt.Sprintf("mcts:%d", n)
		all = append(all, contender{name, name})
	}
	if !others {
		return all
	}
	return append(all, contender{"greedy", "greedy"}, contender{"minimax:depth=4", "minimax:depth=4"}, p.learner(b))
}

func (p *planner) learner(b board) contender {
	return contender{`qlearning:weights="` + p.weights(b) + `"`, learned}
}

// fewer are those of the iterations that are coarse.
func (p *planner) fewer() []int {
	return slices.DeleteFunc(slices.Clone(p.iterations.numbers), func(n int) bool { return !slices.Contains(coarse, n) })
}

func (p *planner) strengths(b board, env *agents.Env, steps bool) error {
	st, err := openFor[matchPoint](p, b, env, "strength")
	if err != nil {
		return err
	}
	m := &matches{env, st, p.threads.Count}
	policies := []player.Policy{player.Optimal}
	if steps {
		policies = append(policies, player.Shortest)
	}
	for _, policy := range policies {
		for _, blunder := range standardBlunders {
			iterations := p.iterations.numbers
			if blunder > 0 {
				iterations = p.fewer()
			}
			opponent := player.Strength{Policy: policy, Blunder: blunder}.String()
			climbers := p.climbers(b, iterations, blunder == 0)
			if blunder == leastBlunder {
				climbers = append(climbers, p.learner(b))
			}
			for _, c := range climbers {
				p.add(m.job(c, opponent))
			}
		}
	}
	return nil
}

func (p *planner) accuracies(b board, env *agents.Env) error {
	st, err := openFor[accuracyPoint](p, b, env, "accuracy")
	if err != nil {
		return err
	}
	e := &exams{env, st, p.threads.Count}
	for _, c := range p.climbers(b, p.iterations.numbers, true) {
		p.add(e.job(c))
	}
	return nil
}

// players adds the matches of the comparison of players: each against random, greedy
// and itself.
func (p *planner) players(b board, env *agents.Env) error {
	st, err := openFor[matchPoint](p, b, env, "players")
	if err != nil {
		return err
	}
	m := &matches{env, st, p.threads.Count}
	searching := slices.DeleteFunc(p.fewer(), func(n int) bool { return n == 0 })
	for _, c := range append(p.climbers(b, searching, true), contender{"random", "random"}, contender{"optimal", "optimal"}) {
		for _, opponent := range []string{"random", "greedy", itself} {
			p.add(m.job(c, opponent))
		}
	}
	return nil
}

// openFor opens the file of a measure of a board.
func openFor[P any](p *planner, b board, env *agents.Env, measure string) (*store[P], error) {
	set, err := newSettings(measure, env, p.seed)
	if err != nil {
		return nil, err
	}
	switch measure {
	case "accuracy":
		set.States = p.states.Count
	case heldMeasure:
		// As many as the agent has replied in of the others.
		set.Games, set.TurnLimit, set.Replies = max(1, p.games.Count/2), p.turns.Count, true
	default:
		set.Games, set.TurnLimit = p.games.Count, p.turns.Count
	}
	st, err := openStore[P](p.path(measure, b), set, newRun(p.threads.Count), p.force)
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, st.close)
	return st, nil
}
