package grade

import (
	"context"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/search"
)

// errEnding: positions with few cells left are wanted of a game that counts none.
func errEnding(board game.Info) error {
	return fmt.Errorf("the ends of games of %v are not known by themselves; draw states of the whole game", board)
}

// late returns so many positions of random games that are not over, with at most Late
// cells left: of each game the first that has no more than a number of them, which is
// drawn, each from 1 to Late being as likely.
func (a *Subject) late(ctx context.Context, r *rand.Rand, states int) ([]game.State, error) {
	ending, ok := search.NewEnding(a.Rules)
	if !ok {
		return nil, errEnding(a.Rules.Info())
	}
	all := make([]game.State, 0, states)
	for len(all) < states {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s, ok := a.descend(r, ending, 1+r.IntN(a.Late)); ok {
			all = append(all, s)
		}
	}
	return all, nil
}

// descend plays at random from the start position until no more than so many cells are left, and returns the
// position then; false where the game is over by then.
func (a *Subject) descend(r *rand.Rand, ending search.Ending, left int) (game.State, bool) {
	s := a.Start()
	var room [64]game.Move
	for moves := room[:0]; ; {
		if moves = a.Rules.Moves(moves[:0], s); len(moves) == 0 {
			return nil, false
		}
		if ending.Left(s) <= left {
			return s, true
		}
		s = a.Rules.Play(s, moves[r.IntN(len(moves))])
	}
}
