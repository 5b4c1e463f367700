package minimax

import (
	"context"
	"math/rand/v2"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

// A win in k plies is worth win − k, a loss k − win. An evaluation is between surelyLost and surelyWon.
const (
	win        = 3 * search.MaxEvaluation
	surelyWon  = 2 * search.MaxEvaluation
	surelyLost = -surelyWon
)

// checkEvery is states between two looks at context and clock: a millisecond on the largest boards.
const checkEvery = 1 << 8

type searcher[S comparable] struct {
	*agent[S]
	rand    *rand.Rand
	table   table[S]
	history history
	lists   [MaxDepth]list[S] // the children looked at, by the plies from the root
	moves   []game.Move

	ctx      context.Context
	deadline time.Time // zero for none
	states   int
	stopped  bool
	limits   *player.Search
	found    player.Searched // the best move of the greatest depth
}

func newSearcher[S comparable](a *agent[S], r *rand.Rand) *searcher[S] {
	return &searcher[S]{agent: a, rand: r, table: newTable(a.core)}
}

// Think returns the best move of the greatest depth, or else of the moves looked at.
func (s *searcher[S]) Think(ctx context.Context, p game.State, limits *player.Search) (game.Move, error) {
	root := s.core.Of(p)
	if _, over := s.core.Terminal(root); over {
		return game.Move{}, player.ErrOver
	}
	s.begin(ctx, limits)
	move, _ := s.deepen(root)
	s.report()
	return move, nil
}

func (s *searcher[S]) report() {
	s.found.Nodes = s.states
	s.limits.Tell(s.found)
}

func (*searcher[S]) Close() error { return nil }

func (s *searcher[S]) begin(ctx context.Context, limits *player.Search) {
	s.limits, s.found = limits, player.Searched{}
	s.ctx, s.states, s.stopped = ctx, 0, false
	s.history.fade()
	s.deadline = time.Time{}
	if s.options.Time > 0 {
		s.deadline = time.Now().Add(s.options.Time)
	}
}

// deepen searches one depth after another, up to a limit or a forced end of that depth. A forced end may show
// before, from a table entry of a deeper search; then a sooner one may still be found.
func (s *searcher[S]) deepen(root S) (best game.Move, worth int) {
	children := s.expand(root, 0)
	s.rand.Shuffle(len(children), func(i, j int) { children[i], children[j] = children[j], children[i] })
	limit := MaxDepth
	if s.options.Depth > 0 {
		limit = s.options.Depth
	}
	if s.limits.MaxDepth > 0 {
		limit = min(limit, s.limits.MaxDepth)
	}
	for depth := 1; depth <= limit && !s.stopped; depth++ {
		i, w := s.bestAtRoot(children, depth)
		if s.stopped && depth > 1 {
			break
		}
		best, worth = children[i].move, w
		s.found.Depth, s.found.Best = depth, best
		front := children[i] // before the others, which keep their order
		copy(children[1:], children[:i])
		children[0] = front
		s.stopped = s.stopped || win-max(worth, -worth) <= depth || s.outOfTime()
	}
	return best, worth
}

// bestAtRoot returns the best child of the root, the first of several, and its worth.
func (s *searcher[S]) bestAtRoot(children list[S], depth int) (best, worth int) {
	worth = -win - 1
	for i := range children {
		if w := -s.worth(&children[i], depth-1, 1, -win, -worth); w > worth {
			best, worth = i, w
		}
		if s.stopped {
			break
		}
	}
	return best, worth
}

// worth is for the child's player, a bound outside of alpha to beta. ply is the distance from the root.
// It is undefined once the search is stopped.
func (s *searcher[S]) worth(c *child[S], depth, ply, alpha, beta int) int {
	if s.states++; s.states%checkEvery == 0 {
		s.stopped = s.stopped || s.outOfTime()
		s.report()
	}
	s.stopped = s.stopped || s.limits.MaxNodes > 0 && s.states >= s.limits.MaxNodes
	switch {
	case c.over:
		return search.Sign(c.outcome) * (win - ply)
	case depth == 0:
		return s.evaluate(c.state)
	case s.stopped:
		return 0
	}
	place := s.table.place(c.state)
	known := place.find(c.state)
	if w, ok := known.cutoff(depth, ply, alpha, beta); ok {
		return w
	}
	found, worth := s.search(c.state, known, depth, ply, alpha, beta)
	if !s.stopped {
		place.put(found.withWorth(worth, ply))
	}
	return worth
}

// search looks at likely good children first, until one is worth beta. The entry lacks the worth.
func (s *searcher[S]) search(state S, known entry[S], depth, ply, alpha, beta int) (found entry[S], worth int) {
	children := s.expand(state, ply)
	s.rank(children, known)
	found, worth = entry[S]{state: state, depth: uint8(depth), bound: most}, -win
	for i := range children {
		children.bringBest(i)
		w := -s.worth(&children[i], depth-1, ply+1, -beta, -max(alpha, worth))
		if s.stopped {
			return found, 0
		}
		if w > worth {
			worth, found.move = w, children[i].move
		}
		if worth >= beta {
			found.bound = least
			s.history[found.move.From&63][found.move.To&63] += int64(depth * depth)
			return found, worth
		}
	}
	if worth > alpha {
		found.bound = exact
	}
	return found, worth
}

func (s *searcher[S]) outOfTime() bool {
	return s.ctx.Err() != nil || !s.deadline.IsZero() && time.Now().After(s.deadline)
}
