// Package qlearning is an agent that has learned from games against itself: Q-learning, with the
// value of a move linear in 4n + 7 features of the n×n board after it.
package qlearning

import (
	"context"
	"fmt"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

// Options say how the weights are learned. DefaultOptions returns the usual ones.
type Options struct {
	// Games is the number of games, from 1 on.
	Games int `json:"games"`
	// Seed determines all random choices.
	Seed uint64 `json:"seed"`
	// Epsilon is the probability of a random move, 0 to 1.
	Epsilon float64 `json:"epsilon"`
	// Alpha is the learning rate of the first game, and Decay its factor for each game, above 0 to 1.
	Alpha float64 `json:"alpha"`
	Decay float64 `json:"decay"`
	// Gamma is the discount for each ply, 0 to 1.
	Gamma float64 `json:"gamma"`
	// Noise is the most that chance adds to a value, to order equal ones, 0 to 1.
	Noise float64 `json:"noise"`
	// Actions gives each action its own weights, and learns backwards, as Chan's program does.
	Actions bool `json:"actions,omitempty"`
}

// DefaultOptions returns ε 0.01, α 0.5 falling by 0.9995 a game, γ 0.99999, noise 10⁻⁶.
func DefaultOptions(games int, seed uint64) Options {
	return Options{Games: games, Seed: seed, Epsilon: 0.01, Alpha: 0.5, Decay: 0.9995, Gamma: 0.99999, Noise: 1e-6}
}

func (o Options) check() error {
	if o.Games < 1 {
		return fmt.Errorf("%d is not a number of games to learn from; give one from 1 on", o.Games)
	}
	for _, v := range []struct {
		name      string
		value     float64
		aboveZero bool
	}{
		{"epsilon", o.Epsilon, false}, {"alpha", o.Alpha, true}, {"decay", o.Decay, true},
		{"gamma", o.Gamma, false}, {"noise", o.Noise, false},
	} {
		switch {
		case v.aboveZero && !(v.value > 0 && v.value <= 1):
			return fmt.Errorf("%s is %v; give a number above 0 and not above 1", v.name, v.value)
		case !(v.value >= 0 && v.value <= 1):
			return fmt.Errorf("%s is %v; give a number from 0 to 1", v.name, v.value)
		}
	}
	return nil
}

// New returns an agent that plays the move of greatest value: qlearning:weights=FILE, without a file qlearning. The
// error says why the weights do not fit the board.
func New(rules game.Rules, w *Weights) (player.Agent, error) {
	board := rules.Info()
	grid, ok := game.GridOf(rules)
	if !ok {
		return nil, fmt.Errorf("weights are of boards of at most 8×8 cells, which %v is not; choose another agent", board)
	}
	if w.Game != board.Name || w.Size != board.Size {
		return nil, fmt.Errorf("the weights are of %s %d×%d, not of %v; train some on that board", w.Game, w.Size, w.Size, board)
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("the weights cannot be played with: %w; train new ones", err)
	}
	return &agent{grid, w}, nil
}

type agent struct {
	rules   game.Grid
	weights *Weights
}

func (a *agent) Name() string {
	if a.weights.path == "" {
		return "qlearning"
	}
	return "qlearning:weights=" + a.weights.path
}

func (a *agent) Begin(seed uint64) (player.Player, error) {
	v := newValuer(a.rules, a.weights.Options, player.NewRand(seed))
	copy(v.weights, a.weights.Values)
	return &learned{v, a.rules}, nil
}

type learned struct {
	valuer *valuer
	rules  game.Grid
}

// Think looks at the positions after each move, which is too quick to need limits.
func (l *learned) Think(_ context.Context, s game.State, _ *player.Search) (game.Move, error) {
	p := s.(game.Position)
	if _, over := l.rules.Terminal(p); over {
		return game.Move{}, player.ErrOver
	}
	m, _ := l.valuer.best(search.MasksOf(p))
	return m, nil
}

func (*learned) Close() error { return nil }
