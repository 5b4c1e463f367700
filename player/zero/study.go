package zero

import (
	"context"

	"backsolve/game"
)

// Share is a move that is searched, with its part of a whole.
type Share struct {
	Move game.Move
	Part float32
}

// Stage is what a search has found after a number of simulations.
type Stage struct {
	Simulations int
	// Proved says that the value of the position was proved by then, which has ended the
	// search.
	Proved bool
	// Shares are those of the visits, as Visits has them: moves that are proved to lose
	// have none, and where the value is proved those that keep it have the same.
	Shares []Share
}

// Priors returns what the network alone says of a position that is not over: its value for
// the player to move, and the probabilities of the moves that are searched. Of moves to
// positions that are the same to the network only one is, and of moves that lose at once
// none may be.
func (a *Agent) Priors(s game.State) (value float32, moves []Share) {
	m := a.take()
	defer a.give(m)
	state, move := a.view.Of(s)
	value = m.look(state)
	return value, m.shares(move)
}

// shares returns those of the root's moves.
func (m *mind) shares(move func(action int) game.Move) (all []Share) {
	for _, v := range m.tree.Visits(nil) {
		all = append(all, Share{move(v.Action), v.Share})
	}
	return all
}

// Study searches a position in one tree, and returns what it has found after each of some
// numbers of simulations, which must ascend. The search is that of a move, however many
// simulations the agent makes for one.
func (a *Agent) Study(ctx context.Context, s game.State, numbers []int) (stages []Stage, err error) {
	state, move, err := See(a.view, s)
	if err != nil {
		return nil, err
	}
	// A tree of its own: nobody else needs one that has grown so large.
	m := &mind{NewTree(a.view, a.options), NewEvaluator(a.view, a.weights.Network, 1, memory, 1)}
	m.tree.Reset(state)
	made := -1 // the root is evaluated before the first simulation
	for _, number := range numbers {
		proved := false
		for ; made < number; made++ {
			if _, proved = m.tree.Decided(); proved {
				break
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			m.simulate()
		}
		if !proved {
			_, proved = m.tree.Decided()
		}
		stages = append(stages, Stage{Simulations: number, Proved: proved, Shares: m.shares(move)})
	}
	return stages, nil
}
