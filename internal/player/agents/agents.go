// Package agents makes agents from their names on a command line. It is the only list of them.
package agents

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/mcts"
	"backsolve/internal/player/minimax"
	"backsolve/internal/player/qlearning"
	"backsolve/internal/player/ugi"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
)

// Env is the environment that agents play in. Close it after the last game.
type Env struct {
	Rules game.Rules
	// Board has the moves that have been made, or the table file; nil for the whole board.
	Board *probe.Board
	// Dir is the directory of the tables.
	Dir string
	// OnDemand says how positions that no table knows are solved.
	OnDemand probe.OnDemand

	lock  sync.Mutex
	known probe.Answerer // nil until it is opened
	close func() error
}

// open opens the board's answerer once and shares it. Errors come from probe.NewBoard or probe.Board.Known.
func (e *Env) open() (b *probe.Board, known probe.Answerer, err error) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if b = e.Board; b == nil {
		board := e.Rules.Info()
		if b, err = probe.NewBoard(board.Name, board.Size, ""); err != nil {
			return nil, nil, err
		}
	}
	if e.known == nil {
		e.known, e.close, err = b.Known(context.Background(), e.Dir)
	}
	return b, e.known, err
}

// Table returns the board's table of blocks, which is shared. Errors come from probe.NewBoard or probe.Board.OpenTable.
func (e *Env) Table() (*probe.Table, error) {
	b, known, err := e.open()
	if t, ok := known.(*probe.Table); ok || err != nil {
		return t, err
	}
	return b.OpenTable(context.Background(), e.Dir)
}

// Answerer returns the board's answerer, valid until ctx ends, with steps if asked for and possible: its table or
// a strategy, and a search for positions that neither knows. Errors come from probe.Board.Open.
func (e *Env) Answerer(ctx context.Context, steps bool) (probe.Answerer, error) {
	b, known, err := e.open()
	if b == nil {
		return nil, err
	}
	return b.WithSearch(ctx, known, err, probe.OnDemand{Solver: e.OnDemand.Solver, Steps: steps})
}

// Close closes the table.
func (e *Env) Close() error {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.known == nil {
		return nil
	}
	e.known = nil
	return e.close()
}

// Kind is a kind of agents.
type Kind struct {
	// Name begins the names of all agents of the kind.
	Name string
	// Form is their syntax, with optional parts in brackets.
	Form string
	// Example is the name of one.
	Example string
	// Summary says in a few words how they play.
	Summary string

	value string   // the meaning of the first option, if it is a value without a key
	keys  []string // of the other options
	make  func(r *request) (player.Agent, error)
	// load reads the weights of agents that have some, once, and returns their board.
	load func(r *request) (name string, size int, err error)
	// outside says that the agents need something outside this program: a table, or another program.
	outside bool
}

// Kinds lists the kinds from the weakest to the strongest, then those whose strength depends on something else.
func Kinds() []Kind {
	return slices.Concat(learners(), formulas(), experts())
}

func formulas() (kinds []Kind) {
	for _, g := range games.All() {
		for _, f := range g.Formulas {
			kinds = append(kinds, Kind{Name: f.Name, Form: f.Name, Example: f.Name, Summary: f.Summary,
				make: func(r *request) (player.Agent, error) { return player.ByFormula(r.env.Rules, f) }})
		}
	}
	return kinds
}

// learners are the agents that know nothing but the rules, or what they have learned.
func learners() []Kind {
	return []Kind{
		{Name: "random", Form: "random", Example: "random", Summary: "any legal move",
			make: func(r *request) (player.Agent, error) { return player.Random(r.env.Rules), nil }},
		{Name: "greedy", Form: "greedy", Example: "greedy", Summary: "wins at once if it can, and avoids losing at once",
			make: func(r *request) (player.Agent, error) { return player.Greedy(r.env.Rules), nil }},
		{Name: "qlearning", Form: "qlearning:weights=FILE", Example: "qlearning:weights=quixo-4x4.weights.json", Summary: "a player trained by lab train",
			keys: []string{"weights"}, make: makeLearned, load: loadLearned},
		{Name: "minimax", Form: "minimax:depth=N[,time=DURATION]", Example: "minimax:depth=6", Summary: "alpha-beta search to a depth, for a time, or both",
			keys: []string{"depth", "time"}, make: makeMinimax},
		{Name: "mcts", Form: "mcts:N[,OPTION...]", Example: "mcts:10000",
			Summary: "Monte Carlo tree search of N iterations a move; options: keep-tree (one tree for the whole game), time=DURATION (at most), weighted (playouts prefer good moves), exploration=C (instead of √2), all-states (the tree keeps states of playouts too), by-rate (plays the move with the best mean result)",
			value:   "the number of iterations", keys: []string{"keep-tree", "time", "weighted", "exploration", "all-states", "by-rate"}, make: makeMCTS},
		{Name: "zero", Form: "zero:weights=FILE[,sims=N]", Example: "zero:weights=notakto-4x4.weights,sims=100", Summary: "tree search with a network trained by lab train",
			keys: []string{"weights", "sims"}, make: makeZero, load: loadZero},
	}
}

// experts are the agents that know the values of positions, and external ones.
func experts() []Kind {
	return []Kind{
		{Name: "optimal", Form: "optimal[:blunder=P]", Example: "optimal:blunder=0.05", Summary: "any move that keeps the outcome, by the table; with probability P any legal move",
			keys: []string{"blunder"}, make: makePerfect(player.Optimal), outside: true},
		{Name: "shortest", Form: "shortest[:blunder=P]", Example: "shortest", Summary: "the soonest win or the latest loss, by the table; with probability P any legal move",
			keys: []string{"blunder"}, make: makePerfect(player.Shortest), outside: true},
		{Name: "trap", Form: "trap[:blunder=P]", Example: "trap", Summary: "like shortest, or without steps like optimal, with the most chances of an error for the opponent; with probability P any legal move",
			keys: []string{"blunder"}, make: makePerfect(player.Trap), outside: true},
		{Name: "engine", Form: `engine:"COMMAND"[,move-time=DURATION]`, Example: "engine:./engine -t 2,move-time=500ms", Summary: "an external program that speaks UGI",
			value: "the command of the engine", keys: []string{"move-time"}, make: makeEngine, outside: true},
	}
}

func kindNames() (names []string) {
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return names
}

// Parse returns the agent with a name. All agents of an Env share one table, which must stay open
// while they play; engines run until ctx ends. The error is a *game.SyntaxError, which points
// into the name, the error of opening the table, or the reason why the agent cannot be made.
func Parse(ctx context.Context, name string, e *Env) (player.Agent, error) {
	r, err := read(name)
	if err != nil {
		return nil, err
	}
	r.ctx, r.env = ctx, e
	return r.kind.make(r)
}

func makePerfect(policy player.Policy) func(*request) (player.Agent, error) {
	return func(r *request) (player.Agent, error) {
		blunder := r.real("blunder", 0, 1, "a probability, a number from 0 to 1")
		if r.err != nil {
			return nil, r.err
		}
		answers, err := r.env.Answerer(r.ctx, policy == player.Shortest)
		if err != nil {
			return nil, err
		}
		a, err := player.Perfect(r.env.Rules, answers, player.Strength{Policy: policy, Blunder: blunder})
		if !errors.Is(err, player.ErrNoSteps) {
			return a, err
		}
		switch from := answers.(type) {
		case *probe.Table:
			err = from.NoSteps()
		case *probe.StrategyAnswerer:
			err = fmt.Errorf("%s knows no steps; choose %s", from.Title, player.Optimal)
		}
		return nil, fmt.Errorf("%s cannot play: %w", policy, err)
	}
}

func makeMinimax(r *request) (player.Agent, error) {
	depth, limit := r.number("depth", 1, minimax.MaxDepth), r.duration("time")
	if depth == 0 && limit == 0 {
		r.fail(r.wrong(r.end(), "it needs a limit: depth, time or both"))
	}
	if r.err != nil {
		return nil, r.err
	}
	return minimax.New(r.env.Rules, minimax.Options{Depth: depth, Time: limit}), nil
}

func makeMCTS(r *request) (player.Agent, error) {
	o := mcts.Options{
		Iterations: r.number("", 0, mcts.MaxIterations), KeepTree: r.flag("keep-tree"), Time: r.duration("time"), Weighted: r.flag("weighted"),
		AllStates: r.flag("all-states"), ByRate: r.flag("by-rate"),
		Exploration: r.real("exploration", math.SmallestNonzeroFloat64, mcts.MaxExploration, fmt.Sprintf("a number above 0, at most %v", mcts.MaxExploration)),
	}
	if r.err != nil {
		return nil, r.err
	}
	return mcts.New(r.env.Rules, o)
}

func makeLearned(r *request) (player.Agent, error) {
	if _, _, err := loadLearned(r); err != nil {
		return nil, err
	}
	return qlearning.New(r.env.Rules, r.learned)
}

func loadLearned(r *request) (name string, size int, err error) {
	if err := loadOnce(r, &r.learned, qlearning.Load); err != nil {
		return "", 0, err
	}
	return r.learned.Game, r.learned.Size, nil
}

func loadOnce[W any](r *request, weights **W, load func(path string) (*W, error)) error {
	if *weights != nil {
		return nil
	}
	file, err := r.weights()
	if err == nil {
		*weights, err = load(file)
	}
	return err
}

func makeZero(r *request) (player.Agent, error) {
	simulations := zero.DefaultSimulations
	if _, given := r.options["sims"]; given {
		simulations = r.number("sims", 0, zero.MaxSimulations)
	}
	if r.err != nil {
		return nil, r.err
	}
	if _, _, err := loadZero(r); err != nil {
		return nil, err
	}
	return zero.New(r.env.Rules, r.network, simulations)
}

func loadZero(r *request) (name string, size int, err error) {
	if err := loadOnce(r, &r.network, zero.Load); err != nil {
		return "", 0, err
	}
	return r.network.Game, r.network.Size, nil
}

func makeEngine(r *request) (player.Agent, error) {
	limits := ugi.DefaultLimits
	if move := r.duration("move-time"); move > 0 {
		limits.Move = move
	}
	if r.err != nil {
		return nil, r.err
	}
	return ugi.Engine(r.ctx, r.env.Rules, r.text, r.options[""].value, limits)
}

// maxTime bounds the time for a move.
const maxTime = 24 * time.Hour
