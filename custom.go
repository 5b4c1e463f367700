package backsolve

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"backsolve/game/custom"
	"backsolve/internal/probe"
	"backsolve/tablebase/sparse"
)

// Game is a game that anybody defines by its positions, of type S. See package
// game/custom for the contract, and for optional methods.
type Game[S comparable] = custom.Game[S]

// CheckGame plays random games and reports how the game breaks the contract.
func CheckGame[S comparable](g Game[S], games int, seed uint64) error {
	return custom.Check(g, games, seed)
}

// ErrUnreached is the cause if play from the start cannot reach a position.
var ErrUnreached = sparse.ErrState

// GameTable has the values of all positions of a Game that play can reach. Its Table answers
// questions given as text. All methods but Close are safe for concurrent use.
type GameTable[S comparable] struct {
	*Table
	game   Game[S]
	number func(s S) custom.Child
}

// GameMove is a move, with its value for the player who makes it.
type GameMove[S comparable] struct {
	Name  string
	After S
	Value Value
}

// GamePath returns the path of a game's table in a directory.
func GamePath[S comparable](dir string, g Game[S]) string {
	return filepath.Join(dir, g.Name()+probe.FileSuffix)
}

// SolveGame is Solve for a game of your own. If the rules break the contract, the error says
// where.
func SolveGame[S comparable](ctx context.Context, dir string, g Game[S], o Options) (*GameTable[S], error) {
	t, err := solveListed(ctx, dir, custom.List(g), o)
	if err != nil {
		return nil, err
	}
	return &GameTable[S]{t, g, custom.NumberOf(g)}, nil
}

// OpenGame is Open for a game of your own. The error is ErrBadTable if its rules have changed since
// it was solved.
func OpenGame[S comparable](dir string, g Game[S]) (*GameTable[S], error) {
	table, err := probe.FindSparse(context.Background(), dir, custom.List(g))
	if err != nil {
		return nil, Classify(err)
	}
	t, err := opened(table, nil)
	return &GameTable[S]{t, g, custom.NumberOf(g)}, err
}

// Value returns the value of a position for the player to move. The error wraps
// ErrUnreached, or comes from the table.
func (t *GameTable[S]) Value(s S) (Value, error) {
	var found [1]sparse.Value
	at := t.number(s)
	if err := t.listed.Stored().LookupAll([]sparse.Ref{{Tier: at.Tier, Key: at.Key}}, found[:]); err != nil {
		return Value{}, Classify(fmt.Errorf("%s: %w", t.game.Format(s), err))
	}
	return newValue(probe.Value(found[0])), nil
}

// Moves returns the moves of a position, the best first: the quickest win, then draws, then the
// slowest loss; ties by name. A position that is over has none.
func (t *GameTable[S]) Moves(s S) ([]GameMove[S], error) {
	if _, over := t.game.Terminal(s); over {
		return nil, nil
	}
	positions := t.game.Moves(nil, s)
	moves := make([]GameMove[S], 0, len(positions))
	names := custom.MoveNames(t.game, s, positions)
	for i, after := range positions {
		v, err := t.Value(after)
		if err != nil {
			return nil, err
		}
		moves = append(moves, GameMove[S]{names[i], after, newValue(v.probed().Before())})
	}
	slices.SortFunc(moves, func(a, b GameMove[S]) int {
		return cmp.Or(a.Value.probed().Compare(b.Value.probed()), cmp.Compare(a.Name, b.Name))
	})
	return slices.CompactFunc(moves, func(a, b GameMove[S]) bool { return a.After == b.After }), nil
}
