package mcts

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"backsolve/game"
	"backsolve/internal/player"
)

// keptPerIteration bounds the nodes kept between moves, in proportion to the iterations. If more
// can still be reached, the search starts over.
const keptPerIteration = 2

// Iterations between two checks of context and clock, and between two reports: a millisecond on large boards.
const (
	timeEvery   = 16
	reportEvery = 256
)

type searcher[S comparable] struct {
	*agent[S]
	tree   *tree[S]
	mean   float64 // of the last search: the result of its move, as Estimate returns it
	visits int
}

// Think searches until the iterations are done or ctx ends, but for at least one iteration.
func (s *searcher[S]) Think(ctx context.Context, p game.State, limits *player.Search) (game.Move, error) {
	root := s.core.Of(p)
	if _, over := s.core.Terminal(root); over {
		return game.Move{}, player.ErrOver
	}
	if s.options.Iterations == 0 {
		moves := s.core.Moves(nil, root)
		return moves[s.tree.rand.Below(len(moves))], nil
	}
	if !s.options.KeepTree || !s.tree.keep(root, keptPerIteration*s.options.Iterations) {
		s.tree.reset(root)
	}
	begun, done := time.Now(), player.Searched{}
	most := s.options.Iterations
	if limits.MaxNodes > 0 {
		most = min(most, limits.MaxNodes)
	}
	for done.Nodes < most && (limits.MaxDepth == 0 || done.Depth < limits.MaxDepth) {
		s.tree.iterate()
		done.Nodes++
		done.Depth = max(done.Depth, len(s.tree.path)-1)
		if done.Nodes%timeEvery == 0 && (ctx.Err() != nil || s.options.Time > 0 && time.Since(begun) >= s.options.Time) {
			break
		}
		if done.Nodes%reportEvery == 0 && limits.Report != nil {
			done.Best = s.best(p).move
			limits.Tell(done)
		}
	}
	best := s.best(p)
	done.Best = best.move
	limits.Tell(done)
	s.mean, s.visits = s.tree.nodes[best.child].value, int(best.visits)
	return best.move, nil
}

// Estimator is what the players of New's agents implement.
type Estimator interface {
	// Estimate returns what the last search says of its move: the mean result for the
	// player who moves, 1 for a win and ½ for a draw, and the visits that it rests on.
	Estimate() (mean float64, visits int)
}

func (s *searcher[S]) Estimate() (mean float64, visits int) { return s.mean, s.visits }

func (*searcher[S]) Close() error { return nil }

func (s *searcher[S]) best(p game.State) edge {
	return slices.MaxFunc(s.tree.tried(0), func(a, b edge) int {
		visits, rate := cmp.Compare(a.visits, b.visits), cmp.Compare(s.tree.nodes[a.child].value, s.tree.nodes[b.child].value)
		if s.options.ByRate {
			visits, rate = rate, visits
		}
		return cmp.Or(visits, rate,
			strings.Compare(game.MoveText(s.rules, p, b.move), game.MoveText(s.rules, p, a.move)),
		)
	})
}
