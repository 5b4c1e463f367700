package grade

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"backsolve/game"
	"backsolve/internal/matrix"
	"backsolve/player/zero"
	"backsolve/probe"
)

// Studier is implemented by agents that search with a network, and show how.
type Studier interface {
	// Priors returns what the network alone says of a position that is not over: its value
	// for the player to move, and the probabilities of the moves that are searched.
	Priors(s game.State) (value float32, moves []zero.Share)
	// Study returns what a search has found after each of some numbers of simulations.
	Study(ctx context.Context, s game.State, numbers []int) ([]zero.Snapshot, error)
}

// errNoStudy: an agent has nothing to look into.
var errNoStudy = errors.New("only agents with a network show how they come to a move")

// Opinion is what a network alone says of a position, beside the truth.
type Opinion struct {
	State game.State
	// Worth is the outcome for the player to move under best play.
	Worth game.Outcome
	// Value is the network's, from −1 to 1.
	Value float32
	// Favourite is the move of greatest probability, the first of several, and Right says
	// that it keeps the value.
	Favourite zero.Share
	Right     bool
	// Keeping are the moves that keep the value, of those that are searched.
	Keeping []zero.Share

	rated []probe.Rated // all moves, by the truth
}

// Kept is the probability of the moves that keep the value.
func (o *Opinion) Kept() float64 { return sumOf(o.Keeping) }

func sumOf(moves []zero.Share) (sum float64) {
	for _, m := range moves {
		sum += float64(m.Fraction)
	}
	return sum
}

// Opinion asks the agent's network about a position that is not over.
func (a *Subject) Opinion(s game.State) (*Opinion, error) {
	agent, ok := a.Agent.(Studier)
	if !ok {
		return nil, errNoStudy
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

// keepsValue reports whether a move is as good as a position is.
func keepsValue(worth game.Outcome, rated []probe.Rated, m game.Move) bool {
	at := place(rated, m)
	return at >= 0 && rated[at].Outcome == worth
}

// Misled returns the positions in which the network is most sure of a move that gives away
// the value: so many, or fewer where there are no more, those with the greatest
// probability first. Of positions that are alike to the agent it has one. It looks at the
// states that Expert looks at.
func (a *Subject) Misled(ctx context.Context, states, number int) ([]*Opinion, error) {
	positions, err := a.positions(ctx, states)
	if err != nil {
		return nil, err
	}
	positions, _ = a.alike(positions)
	all, errs := make([]*Opinion, len(positions)), make([]error, len(positions))
	matrix.Share(len(positions), a.Threads, func(first, end int) {
		for i := first; i < end && ctx.Err() == nil; i++ {
			o, err := a.Opinion(positions[i])
			if errs[i] = err; err == nil && !o.Right && o.Favourite.Fraction > 0 {
				all[i] = o
			}
		}
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o *Opinion) bool { return o == nil })
	slices.SortStableFunc(all, func(a, b *Opinion) int { return cmp.Compare(b.Favourite.Fraction, a.Favourite.Fraction) })
	return all[:min(number, len(all))], nil
}

// Snapshot is what a search has found of a position after a number of simulations.
type Snapshot struct {
	Simulations int
	// Kept is the share of the moves that keep the value in the search's policy.
	Kept float64
	// Proved says that the position's value was proved by then.
	Proved bool
}

// Follow lets the agent search a position of which it has an opinion, in one tree, and
// returns what it has found after each of some ascending numbers of simulations.
func (a *Subject) Follow(ctx context.Context, o *Opinion, numbers []int) ([]Snapshot, error) {
	agent, ok := a.Agent.(Studier)
	if !ok {
		return nil, errNoStudy
	}
	found, err := agent.Study(ctx, o.State, numbers)
	if err != nil {
		return nil, err
	}
	var all []Snapshot
	for _, f := range found {
		kept := slices.DeleteFunc(f.Shares, func(m zero.Share) bool { return !keepsValue(o.Worth, o.rated, m.Move) })
		all = append(all, Snapshot{f.Simulations, sumOf(kept), f.Proved})
	}
	return all, nil
}
