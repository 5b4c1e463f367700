// Package selfplay trains networks by self-play, like AlphaZero or like Deep-Notakto: games are played
// by search, a network learns from them, and better networks play the next games.
package selfplay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
	"backsolve/internal/strict"
	"backsolve/research/nn"
)

// Run describes a training. The same description gives the same networks.
type Run struct {
	Learner    Algorithm     `json:"learner,omitempty"` // "" for Zero
	Game       string        `json:"game"`
	Size       int           `json:"size"`
	Seed       uint64        `json:"seed"`       // of all randomness
	Iterations int           `json:"iterations"` // rounds of play and learning
	Encoding   zero.Encoding `json:"encoding"`
	Network    Network       `json:"network"`
	Search     zero.Search   `json:"search"`
	Games      Games         `json:"games"`
	Training   Training      `json:"training"`
	Acceptance Acceptance    `json:"acceptance"`
	HeldOut    float64       `json:"held_out,omitempty"` // share of states, as seen, that are never learned from
}

// Algorithm is a learning algorithm.
type Algorithm string

// The algorithms.
const (
	// Zero is AlphaZero's, with the options of Run.
	Zero Algorithm = "zero"
	// DQN is Deep-Notakto's: a dense network, a search that visits each move once before the
	// formula decides, and a bounded queue of positions to learn from.
	DQN Algorithm = "dqn"
)

// Network gives the hidden layers, as network.Shape does.
type Network struct {
	Width        int     `json:"width"`
	Layers       int     `json:"layers"`
	Widths       []int   `json:"widths,omitempty"` // of these layers
	Residual     bool    `json:"residual"`
	LSTM         bool    `json:"lstm,omitempty"`
	Initial      Initial `json:"initial,omitempty"`      // parameters, "" for normally distributed ones
	Convolutions int     `json:"convolutions,omitempty"` // layers of 3×3 kernels in front of them
	Channels     int     `json:"channels,omitempty"`     // outputs of each layer for a cell
}

// Initial is a distribution of first parameters.
type Initial string

// Uniform is PyTorch's initialization.
const Uniform Initial = "uniform"

// Games says how the games of an iteration are played.
type Games struct {
	Number    int     `json:"number"`
	Every     int     `json:"every,omitempty"`   // iterations that learn from the same games, 0 for one
	Exploring int     `json:"exploring"`         // plies drawn by the visits; then the most visited move is played
	Noise     float64 `json:"noise"`             // share of Dirichlet noise in the priors of the root
	Alpha     float64 `json:"alpha"`             // its parameter
	Renewed   bool    `json:"renewed,omitempty"` // for each simulation
	// RandomStarts is the share of games that begin with random moves, their number uniform.
	// None of these loses at once unless all moves do.
	RandomStarts float64 `json:"random_starts"`
	// RandomBoards is the share of the random starts that are any board instead, on which each
	// tile is equally often blank, the mover's and the opponent's.
	RandomBoards float64 `json:"random_boards,omitempty"`
	Limit        int     `json:"limit,omitempty"` // plies after which a game is a draw; games that can cycle need it
	// OffPolicy is the share of the other games in which, for a uniformly random number of plies, one player
	// moves as in random starts, so that training visits states that opponents can reach. Until then the
	// network learns the search's value, not the end of the game.
	OffPolicy float64 `json:"off_policy,omitempty"`
	Start     string  `json:"start,omitempty"` // the position before any random moves; "" for the game's start
}

// Training says how the network learns after the games of an iteration.
type Training struct {
	nn.Options
	// Steps is the number of batches, or with Whole the number of positions divided by Batch.
	Steps    int     `json:"steps"`
	Whole    bool    `json:"whole,omitempty"`
	Replay   int     `json:"replay,omitempty"` // last iterations from whose positions Zero draws, uniformly
	Queue    int     `json:"queue,omitempty"`  // last positions from which DQN draws
	Slow     int     `json:"slow,omitempty"`   // iterations after which the rate is SlowRate, 0 for never
	SlowRate float64 `json:"slow_rate,omitempty"`
	Tenth    int     `json:"tenth,omitempty"` // number of iterations after which the rate falls to a tenth, repeatedly; 0 for never
	// Searched is the share of the search's value, the mean over the root's visits, in target
	// values that are not proved. The rest is the end of the game.
	Searched float64    `json:"searched,omitempty"`
	Images   zero.Group `json:"images,omitempty"` // symmetries, one of which turns a position before learning; "" for none
}

// Rule says when a trained network plays the next games.
type Rule string

// The rules.
const (
	// Always accepts every network.
	Always Rule = "always"
	// Fixed accepts a network that wins more than the threshold's share against its predecessor.
	Fixed Rule = "fixed"
	// Dynamic accepts one that as first or second player wins more than that player in training.
	Dynamic Rule = "dynamic"
)

// Acceptance says when a trained network replaces its predecessor; if not, that is trained on.
type Acceptance struct {
	Rule      Rule    `json:"rule"`
	Threshold float64 `json:"threshold,omitempty"` // of Fixed
	Games     int     `json:"games,omitempty"`     // between the two; each begins half of them
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
	if board.Board == game.AsText || board.Board == game.OnRows {
		r.Games.Limit = 200
	}
	r.Search.C1, r.Search.Proved = 1.25, true // with AlphaZero's 0.25 it takes longer
	if board.MoveKind == game.Pushes {
		r.Search.KeyStates, r.Search.Graph, r.Search.Discount = true, true, 0.98
		r.Games.Limit, r.Games.RandomBoards = 60, 0.5
	}
	return r
}

// DefaultDQN returns a training like Deep-Notakto's: no symmetries, random starts, key states or
// proofs, and all moves drawn by their visits. Networks learn after every 16 games, there after each.
func DefaultDQN(board game.Info) Run {
	return Run{
		Learner: DQN, Game: board.Name, Size: board.Size, Seed: 1, Iterations: 200,
		Encoding:   zero.Encoding{Canonical: zero.NoGroup},
		Network:    Network{Width: 256, Layers: 2},
		Search:     zero.Search{Simulations: 50, Constant: 1, EachOnce: true},
		Games:      Games{Number: 16, Exploring: 1000, Limit: DefaultRun(board).Games.Limit},
		Training:   Training{Options: nn.Options{Batch: 64, Rate: 1e-3, Decay: 1e-5}, Steps: 20, Queue: 2000},
		Acceptance: Acceptance{Rule: Always},
	}
}

// ParseRun reads a description in JSON, without unknown fields. The error is a sentence.
func ParseRun(data []byte) (*Run, error) {
	r := new(Run)
	if err := strict.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("it is not the description of a training (%w); lab train --describe prints one", err)
	}
	return r, r.Check()
}

const (
	maxIterations = 1_000_000
	maxGames      = 100_000
	maxSteps      = 1_000_000
	maxQueue      = 10_000_000
)

// Check returns a sentence that says which field is wrong.
func (r *Run) Check() error {
	_, err := r.board()
	return err
}

// board is a training's board with what follows from it.
type board struct {
	view   zero.View
	start  zero.State     // of the games
	images zero.Symmetric // of positions to learn from, or nil
}

// board returns the board of a description. Errors come from Check.
func (r *Run) board() (b board, err error) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	for _, v := range []struct {
		name               string
		value, least, most float64
	}{
		{"iterations", float64(r.Iterations), 1, maxIterations},
		{"the number of games", float64(r.Games.Number), 1, maxGames},
		{"every", float64(r.Games.Every), 0, maxIterations},
		{"exploring", float64(r.Games.Exploring), 0, maxGames},
		{"steps", float64(r.Training.Steps), 0, maxSteps},
		{"simulations", float64(r.Search.Simulations), 1, zero.MaxSimulations},
		{"slow", float64(r.Training.Slow), 0, maxIterations},
		{"tenth", float64(r.Training.Tenth), 0, maxIterations},
		{"noise", r.Games.Noise, 0, 1},
		{"random_starts", r.Games.RandomStarts, 0, 1},
		{"random_boards", r.Games.RandomBoards, 0, 1},
		{"off_policy", r.Games.OffPolicy, 0, 1},
		{"limit", float64(r.Games.Limit), 0, maxGames},
		{"threshold", r.Acceptance.Threshold, 0, 1},
		{"held_out", r.HeldOut, 0, 1},
		{"searched", r.Training.Searched, 0, 1},
	} {
		if !(v.value >= v.least && v.value <= v.most) {
			return b, fmt.Errorf("%s is %s; give a number from %s to %s", v.name, number(v.value), number(v.least), number(v.most))
		}
	}
	if !(r.Games.Alpha > 0 && r.Games.Alpha <= 1000) && r.Games.Noise > 0 {
		return b, fmt.Errorf("alpha is %v; give a number above 0", r.Games.Alpha)
	}
	if b.view, err = r.View(); err != nil {
		return b, err
	}
	if b.start, err = r.begin(b.view); err != nil {
		return b, err
	}
	switch initial := r.Network.Initial; {
	case initial != "" && initial != Uniform:
		return b, fmt.Errorf("%.40q is not a distribution of first parameters; give %s, or leave it out", string(initial), Uniform)
	case r.Training.Whole && r.Training.Steps != 0:
		return b, fmt.Errorf("steps is %d, and whole makes as many as there are positions for; leave one out", r.Training.Steps)
	}
	boards := func() error { return r.checkBoards(&b) }
	for _, check := range []func() error{r.checkLearner, boards, r.Training.Check, r.Training.checkSlow, r.Search.Check, r.shape(b.view).Check, r.Acceptance.check} {
		if err := check(); err != nil {
			return b, err
		}
	}
	return b, nil
}

func (o *Training) checkSlow() error {
	switch {
	case o.Slow > 0 && o.Tenth > 0:
		return fmt.Errorf("slow is %d and tenth %d; leave one out", o.Slow, o.Tenth)
	case (o.Slow > 0) != (o.SlowRate > 0) || !(o.SlowRate >= 0 && o.SlowRate <= 1):
		return fmt.Errorf("slow is %d and slow_rate %v; give a number of iterations and the rate after them, or leave both out", o.Slow, o.SlowRate)
	}
	return nil
}

func (o *Training) rateAfter(iterations int) float64 {
	if o.Slow > 0 && iterations >= o.Slow {
		return o.SlowRate
	}
	if o.Tenth > 0 {
		return o.Rate * math.Pow10(-iterations/o.Tenth)
	}
	return o.Rate
}

// checkLearner refuses options of the other algorithm.
func (r *Run) checkLearner() error {
	switch dqn := r.Learner == DQN; {
	case !dqn && r.Learner != Zero && r.Learner != "":
		return fmt.Errorf("%.40q is not a learner; give %s or %s", string(r.Learner), Zero, DQN)
	case !dqn && (r.Training.Replay < 1 || r.Training.Replay > maxIterations):
		return fmt.Errorf("replay is %d; give a number from 1 to %d", r.Training.Replay, maxIterations)
	case !dqn && r.Training.Queue != 0:
		return fmt.Errorf("only %s has a queue; leave it out, or choose that learner", DQN)
	case dqn && (r.Training.Queue < 1 || r.Training.Queue > maxQueue):
		return fmt.Errorf("queue is %d; give a number of positions from 1 to %d", r.Training.Queue, maxQueue)
	case dqn && r.Training.Replay != 0:
		return fmt.Errorf("%s learns from a queue and not from the last iterations; leave replay out", DQN)
	case dqn && r.Network.Residual:
		return fmt.Errorf("the network of %s is not residual; set residual to false", DQN)
	case dqn && r.Network.LSTM:
		return fmt.Errorf("the network of %s has no LSTM; leave it out", DQN)
	case dqn && !r.Search.EachOnce:
		return fmt.Errorf("%s visits each move once first; set each_once to true", DQN)
	}
	return nil
}

func (a *Acceptance) check() error {
	switch {
	case a.Rule == Always:
	case a.Rule != Fixed && a.Rule != Dynamic:
		return fmt.Errorf("%.40q is not a rule of acceptance; give %s, %s or %s", string(a.Rule), Always, Fixed, Dynamic)
	case a.Games < 2 || a.Games > maxGames || a.Games%2 != 0:
		return fmt.Errorf("the number of games between two networks is %d; give an even number from 2 to %d", a.Games, maxGames)
	}
	return nil
}

// anyBoard is a view of a game in which every board is a position, and which therefore can cycle.
type anyBoard interface {
	Random(r *rand.Rand) zero.State
}

func (r *Run) checkBoards(b *board) (err error) {
	b.images, err = r.images()
	_, any := b.view.(anyBoard)
	cycles, ok := b.view.(interface{ Cycles() bool })
	switch {
	case err != nil:
		return err
	case (any || ok && cycles.Cycles()) && r.Games.Limit == 0:
		return fmt.Errorf("games of %s can cycle; give a limit, the number of plies after which a game is a draw", r.Game)
	case !any && r.Games.RandomBoards > 0:
		return fmt.Errorf("random_boards needs a game in which every board is a position, and %s is not one; leave it out", r.Game)
	}
	return nil
}

// View returns the network's view of the board.
func (r *Run) View() (zero.View, error) {
	rules, err := games.New(r.Game, r.Size)
	if err != nil {
		return nil, err
	}
	return zero.NewView(rules, r.Encoding)
}

func (r *Run) shape(v zero.View) network.Shape {
	s := network.Shape{
		Inputs: v.Inputs(), Actions: v.Actions(),
		Width: r.Network.Width, Layers: max(r.Network.Layers, len(r.Network.Widths)), Widths: r.Network.Widths, Residual: r.Network.Residual, LSTM: r.Network.LSTM,
		Convolution: network.Convolution{Layers: r.Network.Convolutions, Channels: r.Network.Channels},
	}
	if planar, ok := v.(zero.Planar); ok && s.Convolution.Layers > 0 {
		s.Convolution.Rows, s.Convolution.Columns = planar.Cells()
	}
	return s
}

// images returns the view that has the images of positions, nil for none. The error is a sentence.
func (r *Run) images() (zero.Symmetric, error) {
	if r.Training.Images == "" {
		return nil, nil
	}
	if c := r.Encoding.Canonical; c != "" && c != zero.NoGroup {
		return nil, fmt.Errorf("canonical images are one state already; leave out images, or set canonical to %s", zero.NoGroup)
	}
	turned := *r
	turned.Encoding.Canonical = r.Training.Images
	v, err := turned.View()
	if err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	if symmetric, ok := v.(zero.Symmetric); ok {
		return symmetric, nil
	}
	return nil, fmt.Errorf("images are turned boards, and %s has none here; leave them out", r.Game)
}

// Start returns the first position of the games, before random moves. The error is a sentence.
func (r *Run) Start() (game.State, error) {
	rules, err := games.New(r.Game, r.Size)
	if err != nil {
		return nil, err
	}
	if r.Games.Start == "" {
		return rules.Start(), nil
	}
	s, err := rules.Parse(r.Games.Start)
	if err != nil {
		return nil, fmt.Errorf("the start cannot be read: %w", err)
	}
	return s, nil
}

// begin returns the network's view of the first position. The error is a sentence.
func (r *Run) begin(view zero.View) (zero.State, error) {
	s, err := r.Start()
	if err != nil {
		return zero.State{}, err
	}
	state, _, err := zero.See(view, s)
	switch {
	case errors.Is(err, player.ErrOver):
		return zero.State{}, fmt.Errorf("no game can start from %q, where it is over; give a position with a legal move, or leave the start out", r.Games.Start)
	case err != nil:
		return zero.State{}, fmt.Errorf("no game can start from %q: %w of the game; give a position that follows it, or leave the start out", r.Games.Start, err)
	}
	return state, nil
}

// StartOf returns the first position of the training that made a network.
func StartOf(m *zero.Made) (game.State, error) {
	r := &Run{}
	if len(m.Run) > 0 {
		if err := json.Unmarshal(m.Run, r); err != nil {
			return nil, fmt.Errorf("the description of the training that made the weights cannot be read (%w); train new ones", err)
		}
	}
	r.Game, r.Size = m.Game, m.Size
	return r.Start()
}
