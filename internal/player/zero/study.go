package zero

import (
	"context"

	"backsolve/game"
)

// Share is a searched move with its fraction of the probability or of the visits.
type Share struct {
	Move     game.Move
	Fraction float32
}

// Snapshot is the state of a search after a number of simulations.
type Snapshot struct {
	Simulations int
	// Proved says that the value of the position was proved by then, which ended the search.
	Proved bool
	// Shares are the shares of Visits: 0 for moves proved to lose, and equal for moves proved to keep the value.
	Shares []Share
}

// Priors returns what the network alone says of a position that is not over: its value for the player to move, and
// the probabilities of the moves that are searched: one of several to the same state, and not those that lose at once.
func (a *Agent) Priors(s game.State) (value float32, moves []Share) {
	m := a.acquireState()
	defer a.releaseState(m)
	state, move := a.view.Of(s)
	value = m.setRoot(state)
	return value, m.shares(move)
}

func (m *searchState) shares(move func(action int) game.Move) (all []Share) {
	for _, v := range m.tree.Visits(nil) {
		all = append(all, Share{move(v.Action), v.Share})
	}
	return all
}

// Study searches a position in one tree, and returns a snapshot after each of the given numbers
// of simulations, in ascending order, instead of the agent's own.
func (a *Agent) Study(ctx context.Context, s game.State, numbers []int) (all []Snapshot, err error) {
	state, move, err := See(a.view, s)
	if err != nil {
		return nil, err
	}
	// A separate tree: later moves do not need one this large.
	m := &searchState{NewTree(a.view, a.options), NewEvaluator(a.view, a.weights.Network, 1, memory, 1)}
	m.tree.Reset(state)
	one, made := []searching{{tree: m.tree}}, -1 // the root is evaluated before the first simulation
	for _, number := range numbers {
		one[0].left, made = number-made, number
		if err := sideBySide(ctx, m.evaluator, one); err != nil {
			return nil, err
		}
		_, proved := m.tree.Decided()
		all = append(all, Snapshot{Simulations: number, Proved: proved, Shares: m.shares(move)})
	}
	return all, nil
}
