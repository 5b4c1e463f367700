package selfplay

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/player/zero/network"
)

// anyBoard is implemented by views of games in which every board is a position, and which
// therefore can cycle.
type anyBoard interface {
	Random(r *rand.Rand) zero.State
}

func (r *Run) checkBoards() error {
	if _, err := r.images(); err != nil {
		return err
	}
	view, err := r.View()
	if err != nil {
		return err
	}
	_, any := view.(anyBoard)
	cycles, ok := view.(interface{ Cycles() bool })
	switch {
	case (any || ok && cycles.Cycles()) && r.Games.Limit == 0:
		return fmt.Errorf("games of %s can cycle; give a limit, the number of plies after which a game is a draw", r.Game)
	case !any && r.Games.RandomBoards > 0:
		return fmt.Errorf("random_boards is for games of which every board is a position, which %s is not; leave it out", r.Game)
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
		Width: r.Network.Width, Layers: r.Network.Layers, Residual: r.Network.Residual, LSTM: r.Network.LSTM,
		Convolution: network.Convolution{Layers: r.Network.Convolutions, Channels: r.Network.Channels},
	}
	if planar, ok := v.(zero.Planar); ok && s.Convolution.Layers > 0 {
		s.Convolution.Rows, s.Convolution.Columns = planar.Cells()
	}
	return s
}

// images returns the view that has the images of positions to learn from, nil for none. The error
// is a sentence.
func (r *Run) images() (zero.Symmetric, error) {
	if r.Training.Images == "" {
		return nil, nil
	}
	e := r.Encoding
	if e.Canonical != "" && e.Canonical != zero.NoGroup {
		return nil, fmt.Errorf("canonical images are one state already; leave out images, or set canonical to %s", zero.NoGroup)
	}
	e.Canonical = r.Training.Images
	of := *r
	of.Encoding = e
	v, err := of.View()
	if err != nil {
		return nil, fmt.Errorf("images: %w", err)
	}
	if symmetric, ok := v.(zero.Symmetric); ok {
		return symmetric, nil
	}
	return nil, fmt.Errorf("images are turned boards, which %s has none of here; leave them out", r.Game)
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

// StartOf returns the first position of the training that made a network; by default the
// start of the game.
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
