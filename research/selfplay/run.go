// Package selfplay trains networks by games against themselves, in the manner of
// AlphaZero: games are played by search, networks learn from them, and better ones play
// the next games. What Deep-Notakto did is a manner of its own.
package selfplay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/player/zero"
	"backsolve/player/zero/network"
	"backsolve/research/nn"
)

// Run describes a training: all that decides which networks come of it.
type Run struct {
	// Learner is in which manner it learns, "" for Zero.
	Learner Manner `json:"learner,omitempty"`
	Game    string `json:"game"`
	Size    int    `json:"size"`
	// Seed is that of all chance.
	Seed uint64 `json:"seed"`
	// Iterations is how often games are played and learned from.
	Iterations int           `json:"iterations"`
	Encoding   zero.Encoding `json:"encoding"`
	Network    Network       `json:"network"`
	Search     zero.Search   `json:"search"`
	Games      Games         `json:"games"`
	Training   Training      `json:"training"`
	Acceptance Acceptance    `json:"acceptance"`
	// HeldOut is a share of the states, as the network sees them, that are never learned
	// from.
	HeldOut float64 `json:"held_out,omitempty"`
}

// Manner is a manner of learning.
type Manner string

// The manners.
const (
	// Zero is that of AlphaZero, with what else is asked for.
	Zero Manner = "zero"
	// DQN is that of Deep-Notakto: a dense network without residues, a tree in which each
	// move is visited once before the formula decides, and a queue of positions to learn
	// from, of which the oldest are dropped.
	DQN Manner = "dqn"
)

// Network says what the network looks like between its ends, as network.Shape does.
type Network struct {
	Width    int  `json:"width"`
	Layers   int  `json:"layers"`
	Residual bool `json:"residual"`
	LSTM     bool `json:"lstm,omitempty"`
}

// Games says how the games of an iteration are played.
type Games struct {
	// Number is how many there are.
	Number int `json:"number"`
	// Exploring is the number of moves of a game, of both sides, that are drawn in
	// proportion to the visits; later ones are the most visited.
	Exploring int `json:"exploring"`
	// Noise is the share of Dirichlet's distribution in the probabilities at the root,
	// with the parameter Alpha.
	Noise float64 `json:"noise"`
	Alpha float64 `json:"alpha"`
	// RandomStarts is the share of games that begin after random moves, none of which
	// loses at once where another can be made. Each number of moves is as likely.
	RandomStarts float64 `json:"random_starts"`
	// Strangers is the share of the other games in which, from the start and for a number of
	// plies, each of which is as likely, one of the players moves as random starts do. They lead
	// to where opponents of the network can lead it. What is learned of the network's states by
	// then is the search's value, and not how the game ended.
	Strangers float64 `json:"strangers,omitempty"`
	// Start is the text of the position in which they begin, or from which the random moves
	// are made, "" for the start of the game.
	Start string `json:"start,omitempty"`
}

// Training says how the network learns after the games of an iteration.
type Training struct {
	nn.Options
	// Steps is how many batches it learns from.
	Steps int `json:"steps"`
	// Replay is the number of iterations from whose games these are drawn, each position
	// with the same probability.
	Replay int `json:"replay,omitempty"`
	// Queue is, in the manner of Deep-Notakto, the number of positions from which they are
	// drawn instead: the last ones.
	Queue int `json:"queue,omitempty"`
	// Slow is the number of iterations after which the rate is SlowRate, 0 for never.
	Slow     int     `json:"slow,omitempty"`
	SlowRate float64 `json:"slow_rate,omitempty"`
	// Searched is the share of the search's own value, the mean of the visits at the root, in
	// the value that is learned where it is not proved; the rest is how the game ended.
	Searched float64 `json:"searched,omitempty"`
}

// Rule says when the network that has learned plays the next games.
type Rule string

// The rules.
const (
	// Always: in any case.
	Always Rule = "always"
	// Fixed: where it wins more than the threshold's share of games against the one
	// before.
	Fixed Rule = "fixed"
	// Dynamic: where it wins more than the first player's share of the games that it has
	// learned from as the first player, or more than the second's as the second.
	Dynamic Rule = "dynamic"
)

// Acceptance says when a network that has learned takes the place of the one before; a
// network that does not goes on from there.
type Acceptance struct {
	Rule Rule `json:"rule"`
	// Threshold is that of the rule Fixed.
	Threshold float64 `json:"threshold,omitempty"`
	// Games is the number of games in which both meet, half of them with either side.
	Games int `json:"games,omitempty"`
}

// DefaultRun returns a training of moderate length.
func DefaultRun(board game.Info) Run {
	r := Run{
		Game: board.Name, Size: board.Size, Seed: 1, Iterations: 40,
		Encoding:   zero.Finest(board),
		Network:    Network{Width: 256, Layers: 2, Residual: true},
		Search:     zero.DefaultSearch(50),
		Games:      Games{Number: 256, Noise: 0.25, Alpha: 0.35, RandomStarts: 0.9},
		Training:   Training{Options: nn.Options{Batch: 256, Rate: 1e-3, Decay: 1e-5}, Steps: 200, Replay: 10},
		Acceptance: Acceptance{Rule: Always},
	}
	r.Search.C1, r.Search.Proved = 1.25, true // with AlphaZero's 0.25 it takes longer
	return r
}

// DefaultDQN returns a training in the manner of Deep-Notakto: the board as it is, games
// from the start position alone, in which all moves are drawn by their visits, and nothing
// proved. Its networks learn after every 16 games and not after each.
func DefaultDQN(board game.Info) Run {
	return Run{
		Learner: DQN, Game: board.Name, Size: board.Size, Seed: 1, Iterations: 200,
		Encoding:   zero.Encoding{Canonical: zero.NoGroup},
		Network:    Network{Width: 256, Layers: 2},
		Search:     zero.Search{Simulations: 50, Constant: 1, KeyStates: true, EachOnce: true},
		Games:      Games{Number: 16, Exploring: 1000},
		Training:   Training{Options: nn.Options{Batch: 64, Rate: 1e-3, Decay: 1e-5}, Steps: 20, Queue: 2000},
		Acceptance: Acceptance{Rule: Always},
	}
}

// ParseRun reads a description. All fields of JSON must be known; those that are missing
// are zero. The error is a sentence.
func ParseRun(data []byte) (*Run, error) {
	r := new(Run)
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(r); err != nil {
		return nil, fmt.Errorf("it is no description of a training (%w); learn describe prints one", err)
	}
	if strict.More() {
		return nil, errors.New("there is something behind the description; leave it out")
	}
	return r, r.Check()
}

// Bounds of a run.
const (
	maxIterations = 1_000_000
	maxGames      = 100_000
	maxSteps      = 1_000_000
	maxQueue      = 10_000_000
)

// Check refuses what cannot be done.
func (r *Run) Check() error {
	for _, v := range []struct {
		name                string
		value, least, bound int
	}{
		{"iterations", r.Iterations, 1, maxIterations},
		{"the number of games", r.Games.Number, 1, maxGames},
		{"exploring", r.Games.Exploring, 0, maxGames},
		{"steps", r.Training.Steps, 0, maxSteps},
		{"simulations", r.Search.Simulations, 1, zero.MaxSimulations},
	} {
		if v.value < v.least || v.value > v.bound {
			return fmt.Errorf("%s is %d; give a number from %d to %d", v.name, v.value, v.least, v.bound)
		}
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"noise", r.Games.Noise}, {"random_starts", r.Games.RandomStarts}, {"strangers", r.Games.Strangers}, {"threshold", r.Acceptance.Threshold}, {"held_out", r.HeldOut}, {"searched", r.Training.Searched}} {
		if !(v.value >= 0 && v.value <= 1) {
			return fmt.Errorf("%s is %v; give a number from 0 to 1", v.name, v.value)
		}
	}
	if !(r.Games.Alpha > 0 && r.Games.Alpha <= 1000) && r.Games.Noise > 0 {
		return fmt.Errorf("alpha is %v; give a number above 0", r.Games.Alpha)
	}
	view, err := r.View()
	if err != nil {
		return err
	}
	if _, err := r.begin(view); err != nil {
		return err
	}
	for _, check := range []func() error{r.manner, r.Training.Check, r.Training.checkSlow, r.Search.Check, r.shape(view).Check, r.Acceptance.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// checkSlow refuses half of what makes a training slower.
func (o *Training) checkSlow() error {
	switch {
	case o.Slow < 0 || o.Slow > maxIterations:
		return fmt.Errorf("slow is %d; give a number from 0 to %d", o.Slow, maxIterations)
	case (o.Slow > 0) != (o.SlowRate > 0), !(o.SlowRate >= 0 && o.SlowRate <= 1):
		return fmt.Errorf("slow is %d and slow_rate %v; give a number of iterations and the rate after them, or leave both out", o.Slow, o.SlowRate)
	}
	return nil
}

// rateAfter returns the rate after so many iterations.
func (o *Training) rateAfter(iterations int) float64 {
	if o.Slow > 0 && iterations >= o.Slow {
		return o.SlowRate
	}
	return o.Rate
}

// manner refuses what is not of the manner of learning.
func (r *Run) manner() error {
	switch r.Learner {
	case Zero, "":
		switch {
		case r.Training.Replay < 1 || r.Training.Replay > maxIterations:
			return fmt.Errorf("replay is %d; give a number from 1 to %d", r.Training.Replay, maxIterations)
		case r.Training.Queue != 0:
			return fmt.Errorf("the queue is that of %s; leave it out, or name this learner", DQN)
		}
		return nil
	case DQN:
		switch {
		case r.Training.Queue < 1 || r.Training.Queue > maxQueue:
			return fmt.Errorf("queue is %d; give a number of positions from 1 to %d", r.Training.Queue, maxQueue)
		case r.Training.Replay != 0:
			return fmt.Errorf("%s learns from a queue and not from the last iterations; leave replay out", DQN)
		case r.Network.Residual:
			return fmt.Errorf("the network of %s is not residual; say false", DQN)
		case r.Network.LSTM:
			return fmt.Errorf("the network of %s has no LSTM; leave it out", DQN)
		case !r.Search.EachOnce:
			return fmt.Errorf("%s visits each move once first; set each_once to true", DQN)
		}
		return nil
	}
	return fmt.Errorf("%.40q is no learner; give %s or %s", string(r.Learner), Zero, DQN)
}

func (a *Acceptance) check() error {
	switch a.Rule {
	case Always:
		return nil
	case Fixed, Dynamic:
		if a.Games < 2 || a.Games > maxGames || a.Games%2 != 0 {
			return fmt.Errorf("the number of games between two networks is %d; give an even one from 2 to %d", a.Games, maxGames)
		}
		return nil
	}
	return fmt.Errorf("%.40q is no rule of acceptance; give %s, %s or %s", string(a.Rule), Always, Fixed, Dynamic)
}

// View returns the view of the board.
func (r *Run) View() (zero.View, error) {
	rules, err := games.New(r.Game, r.Size)
	if err != nil {
		return nil, err
	}
	return zero.NewView(rules, r.Encoding)
}

func (r *Run) shape(v zero.View) network.Shape {
	return network.Shape{
		Inputs: v.Inputs(), Actions: v.Actions(),
		Width: r.Network.Width, Layers: r.Network.Layers, Residual: r.Network.Residual, LSTM: r.Network.LSTM,
	}
}
