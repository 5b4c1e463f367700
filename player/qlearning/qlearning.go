// Package qlearning is the agent that has learned to play from games against
// itself: Q-learning with a linear value of the board.
package qlearning

import (
	"context"
	"errors"

	"backsolve/game"
	"backsolve/player"
)

// Options say how the weights are learned. DefaultOptions has what is usual.
type Options struct {
	// Games is the number of games, from 1 on.
	Games int `json:"games"`
	// Seed is that of all chance.
	Seed uint64 `json:"seed"`
	// Epsilon is the probability of a random move, 0 to 1.
	Epsilon float64 `json:"epsilon"`
	// Alpha is the learning rate of the first game, above 0, and Decay the factor
	// by which it falls with each game, above 0 to 1.
	Alpha float64 `json:"alpha"`
	Decay float64 `json:"decay"`
	// Gamma is the discount for each ply, 0 to 1.
	Gamma float64 `json:"gamma"`
	// Noise is the width of the chance that is added to values, so that equal ones
	// are not always ordered alike; 0 or a little more.
	Noise float64 `json:"noise"`
}

// DefaultOptions returns the usual options: ε 0.01, α 0.5 falling by 0.9995 a
// game, γ 0.99999, noise 10⁻⁶.
func DefaultOptions(games int, seed uint64) Options {
	return Options{Games: games, Seed: seed, Epsilon: 0.01, Alpha: 0.5, Decay: 0.9995, Gamma: 0.99999, Noise: 1e-6}
}

// Weights are what was learned of a board.
type Weights struct {
	Game    string    `json:"game"`
	Size    int       `json:"size"`
	Options Options   `json:"options"`
	Values  []float64 `json:"weights"`
}

// Train learns weights. progress may be nil; else it is called after games, by
// one goroutine, with the number done. The error is what is wrong with the
// options or the cause of ctx.
func Train(ctx context.Context, rules game.Rules, o Options, progress func(done, total int)) (*Weights, error) {
	return nil, errors.New("qlearning is in the making")
}

// Load reads weights that Save wrote. The error says what is wrong with the
// file.
func Load(path string) (*Weights, error) {
	return nil, errors.New("qlearning is in the making")
}

// Save writes the weights to a file, which is whole or not there.
func (w *Weights) Save(path string) error {
	return errors.New("qlearning is in the making")
}

// New returns the agent of a board that plays by weights, named
// qlearning:weights=FILE where they were loaded from a file and qlearning
// elsewhere. The error says why the weights are not of the board.
func New(rules game.Rules, w *Weights) (player.Agent, error) {
	return nil, errors.New("qlearning is in the making")
}
