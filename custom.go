package backsolve

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"backsolve/game/custom"
	"backsolve/internal/machine"
	"backsolve/internal/probe"
	"backsolve/internal/probe/survey"
	"backsolve/internal/solve"
	"backsolve/retro/generic"
	"backsolve/tablebase/sparse"
)

// Game is a game that anybody defines by its positions, of type S. See package
// game/custom for the contract, and for what a game may implement besides.
type Game[S comparable] = custom.Game[S]

// Tiered, MoveNamer, Turner, Relative, Describer, Drawer and Symmetric are what a Game may implement
// besides.
type (
	Tiered[S comparable]    = custom.Tiered[S]
	MoveNamer[S comparable] = custom.MoveNamer[S]
	Turner[S comparable]    = custom.Turner[S]
	Relative                = custom.Relative
	Describer               = custom.Describer
	Drawer[S comparable]    = custom.Drawer[S]
	Symmetric[S comparable] = custom.Symmetric[S]
)

// CheckGame plays so many random games and reports how the game breaks the contract.
func CheckGame[S comparable](g Game[S], games int, seed uint64) error {
	return custom.Check(g, games, seed)
}

// ErrUnreached is the cause when play from the start cannot reach a position.
var ErrUnreached = sparse.ErrState

// GameOptions say how to solve a game of your own.
type GameOptions = generic.Options

// GameProgress is what such a solve has done.
type GameProgress = generic.Progress

// GameTable has the values of all positions of a Game that play can reach. All methods but
// Close are safe for concurrent use.
type GameTable[S comparable] struct {
	// Sparse answers for positions by their texts.
	*probe.Sparse
	game Game[S]
}

// GameMove is a move, and what it is worth for the player who makes it.
type GameMove[S comparable] struct {
	Name  string
	After S
	Value Value
}

// GamePath returns the path of a game's table in a directory.
func GamePath[S comparable](dir string, g Game[S]) string {
	return filepath.Join(dir, g.Name()+probe.FileSuffix)
}

// SolveGame solves a game, writes its table into dir, and opens it. Where the table is there it is
// opened alone. When ctx ends, what is done stays in a work directory, and the next call resumes.
// The error wraps one of those of generic.Solve, says before any work that memory or disk do not
// suffice, or is that of OpenGame.
func SolveGame[S comparable](ctx context.Context, dir string, g Game[S], o GameOptions) (*GameTable[S], error) {
	table, err := SolveListed(ctx, dir, custom.List(g), o)
	if err != nil {
		return nil, err
	}
	return &GameTable[S]{table, g}, nil
}

// SolveListed is SolveGame for a game of any type of positions, which custom.List returns.
func SolveListed(ctx context.Context, dir string, g custom.Listed, o GameOptions) (*probe.Sparse, error) {
	job := solve.Game{Dir: dir, Rules: g, Options: o, Limit: solve.Limit{Bytes: o.Memory, Source: "that is what GameOptions.Memory allows", Available: machine.AvailableMemory()}}
	table, _, err := job.Solve(ctx)
	return table, err
}

// OpenGame opens the table of a game in a directory, on this machine or at an address: the packed
// one if there is no other. The error is fs.ErrNotExist where there is none, or that of
// probe.OpenSparse.
func OpenGame[S comparable](dir string, g Game[S]) (*GameTable[S], error) {
	table, err := probe.FindSparse(context.Background(), dir, custom.List(g))
	if err != nil {
		return nil, err
	}
	return &GameTable[S]{table, g}, nil
}

// Verify compares checksums, counts, and the value of every position with those after its
// moves. Of the options Threads alone counts. The error is that of survey.Verify.
func (t *GameTable[S]) Verify(ctx context.Context, o GameOptions) error {
	_, err := survey.Verify(ctx, t.Sparse, survey.VerifyOptions{Threads: o.Threads}, nil, nil)
	return err
}

// Value returns what a position is worth for the player to move. The error wraps
// ErrUnreached, or is that of the table.
func (t *GameTable[S]) Value(s S) (Value, error) {
	var found [1]sparse.Value
	if err := t.Stored().LookupAll([]sparse.Ref{{Tier: custom.TierOf(t.game, s), Key: t.game.Key(s)}}, found[:]); err != nil {
		return Value{}, fmt.Errorf("%s: %w", t.game.Format(s), err)
	}
	return newValue(probe.Value(found[0])), nil
}

// Moves returns the moves of a position, the best first: the quickest win, then draws, then
// the slowest loss; equals by name. A position that is over has none.
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
