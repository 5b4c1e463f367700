package selfplay

import (
	"encoding/json"
	"errors"
	"fmt"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
)

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
