package zero

import (
	"context"

	"backsolve/game"
)

// searching is the search of one position, perhaps of several side by side. It waits when it needs an evaluation.
type searching struct {
	tree    *Tree
	move    func(action int) game.Move
	left    int // simulations, and one for the root
	waiting bool
	leaf    State
}

// keptAside bounds the bytes that an agent keeps between calls of Moves: there may be hundreds of agents.
const keptAside = 4 << 20

// Moves returns a move for each position, the same as a new player's first move. It searches them side by side, so
// that the network evaluates many states at once. Calls wait for each other.
func (a *Agent) Moves(ctx context.Context, positions []game.State) (moves []game.Move, err error) {
	a.aside.Lock()
	defer a.aside.Unlock()
	if a.evaluator == nil {
		a.evaluator = NewEvaluator(a.view, a.weights.Network, 1, keptAside, 1)
	}
	e := a.evaluator
	e.pass = e.network.NewPass(min(max(len(positions), 1), maxBatch), false)
	defer func() { e.pass = nil }()
	searches := make([]searching, e.pass.Rows())
	for len(positions) > 0 {
		now := searches[:min(len(positions), len(searches))]
		for i := range now {
			if err := a.begin(&now[i], positions[i]); err != nil {
				return nil, err
			}
		}
		if err := sideBySide(ctx, e, now); err != nil {
			return nil, err
		}
		for _, s := range now {
			moves = append(moves, s.move(s.tree.Best()))
		}
		positions = positions[len(now):]
	}
	return moves, nil
}

func (a *Agent) begin(s *searching, position game.State) error {
	state, move, err := See(a.view, position)
	if err != nil {
		return err
	}
	if s.tree == nil {
		s.tree = NewTree(a.view, a.options)
	}
	s.tree.Reset(state)
	s.move, s.left, s.waiting = move, a.options.Simulations+1, false
	return nil
}

// sideBySide runs searches that wait for each batch together.
func sideBySide(ctx context.Context, e *Evaluator, searches []searching) error {
	var wanted []State
	for {
		wanted = wanted[:0]
		for i := range searches {
			if s := &searches[i]; s.run(ctx, e) {
				wanted = append(wanted, s.leaf)
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(wanted) == 0 {
			return nil
		}
		e.Evaluate(wanted)
	}
}

// run ends with the search or ctx, or reports that it waits for the evaluation of its leaf.
func (s *searching) run(ctx context.Context, e *Evaluator) (waits bool) {
	for ; s.left > 0 && ctx.Err() == nil; s.left-- {
		if !s.waiting {
			if _, decided := s.tree.Decided(); decided {
				return false
			}
			if s.leaf, s.waiting = s.tree.Select(); !s.waiting {
				continue
			}
		}
		v, known := e.Lookup(s.leaf)
		if !known {
			return true
		}
		s.tree.Expand(v)
		s.waiting = false
	}
	return false
}
