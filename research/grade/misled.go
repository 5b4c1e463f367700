package grade

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"backsolve/game"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
)

// Opinion is a network's evaluation of a position, beside the exact one.
type Opinion struct {
	State game.State
	Worth game.Outcome // for the player to move
	Value float32      // the network's, from −1 to 1
	// Favourite is the first of the most probable moves. It is Right if it keeps the value.
	Favourite zero.Share
	Right     bool
	// Keeping are the searched moves that keep the value.
	Keeping []zero.Share

	rated []probe.Rated // all moves
}

// Kept returns the probability of the moves that keep the value.
func (o *Opinion) Kept() float64 { return sumOf(o.Keeping) }

func sumOf(moves []zero.Share) (sum float64) {
	for _, m := range moves {
		sum += float64(m.Fraction)
	}
	return sum
}

// Opinion asks the agent's network about an open position.
func (a *Subject) Opinion(s game.State) (*Opinion, error) {
	agent := a.network()
	if agent == nil {
		return nil, errors.New("only agents with a network show how they choose a move")
	}
	value, rated, err := a.Answers.Rate(a.Rules, s, nil)
	if err != nil {
		return nil, err
	}
	o := &Opinion{State: s, Worth: value.Outcome, rated: rated}
	var moves []zero.Share
	o.Value, moves = agent.Priors(s)
	for _, m := range moves {
		keeps := keepsValue(value.Outcome, rated, m.Move)
		if keeps {
			o.Keeping = append(o.Keeping, m)
		}
		if m.Fraction > o.Favourite.Fraction {
			o.Favourite, o.Right = m, keeps
		}
	}
	return o, nil
}

func keepsValue(worth game.Outcome, rated []probe.Rated, m game.Move) bool {
	at := place(rated, m)
	return at >= 0 && rated[at].Outcome == worth
}

// Misled returns up to number positions in which the network is most sure of a move that gives
// away the value, the most probable move first. It chooses from the states of Expert, one of
// those that the agent plays alike.
func (a *Subject) Misled(ctx context.Context, states, number int) ([]*Opinion, error) {
	positions, err := a.positions(ctx, states)
	if err != nil {
		return nil, err
	}
	positions, _ = a.alike(positions)
	all := make([]*Opinion, len(positions))
	err = a.each(ctx, len(positions), func(i int) error {
		o, err := a.Opinion(positions[i])
		if err == nil && !o.Right && o.Favourite.Fraction > 0 {
			all[i] = o
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o *Opinion) bool { return o == nil })
	slices.SortStableFunc(all, func(a, b *Opinion) int { return cmp.Compare(b.Favourite.Fraction, a.Favourite.Fraction) })
	return all[:min(number, len(all))], nil
}

// Snapshot is a search after a number of simulations.
type Snapshot struct {
	Simulations int     `json:"simulations"`
	Kept        float64 `json:"keeping"` // the share of the moves that keep the value
	Proved      bool    `json:"proved"`  // the value was proved by then
}

// Follow searches the position of an opinion of the agent in one tree, and returns snapshots after
// ascending numbers of simulations.
func (a *Subject) Follow(ctx context.Context, o *Opinion, numbers []int) (all []Snapshot, err error) {
	found, err := a.network().Study(ctx, o.State, numbers)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		kept := slices.DeleteFunc(f.Shares, func(m zero.Share) bool { return !keepsValue(o.Worth, o.rated, m.Move) })
		all = append(all, Snapshot{f.Simulations, sumOf(kept), f.Proved})
	}
	return all, nil
}
