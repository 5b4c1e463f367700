package player

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"backsolve/game"
)

// ErrOver is the cause if a player has no move.
var ErrOver = errors.New("the game is over; there is no move to make")

// reflex is an agent whose players look only at the position.
type reflex struct {
	name string
	// begin returns the player of one game, whose random choices all come from r.
	begin func(r *rand.Rand) chooser
}

func (a *reflex) Name() string { return a.name }

func (a *reflex) Begin(seed uint64) (Player, error) { return a.begin(NewRand(seed)), nil }

type chooser func(ctx context.Context, s game.State) (game.Move, error)

// Think answers even if ctx has ended, if a lookup suffices.
func (choose chooser) Think(ctx context.Context, s game.State, _ *Search) (game.Move, error) {
	return choose(ctx, s)
}

func (chooser) Close() error { return nil }

// byRank plays any of the moves of the least rank. The function that rank returns serves the moves of one position.
func byRank(name string, rules game.Rules, rank func(s game.State) func(game.Move) int) Agent {
	return &reflex{name, func(r *rand.Rand) chooser {
		var moves []game.Move
		return func(_ context.Context, s game.State) (game.Move, error) {
			if moves = rules.Moves(moves[:0], s); len(moves) == 0 {
				return game.Move{}, ErrOver
			}
			best := leastRanked(moves, rank(s))
			return best[r.IntN(len(best))], nil
		}
	}}
}

// leastRanked keeps the order of moves, and overwrites the slice.
func leastRanked(moves []game.Move, rank func(game.Move) int) []game.Move {
	best, least := moves[:0], math.MaxInt
	for _, m := range moves {
		switch k := rank(m); {
		case k < least:
			best, least = append(moves[:0], m), k
		case k == least:
			best = append(best, m)
		}
	}
	return best
}
