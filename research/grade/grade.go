// Package grade measures agents by exact values: in which states their moves keep the value, and
// whether any opponent beats them.
package grade

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/game"
	"backsolve/game/custom"
	"backsolve/game/dawson"
	"backsolve/game/nim"
	"backsolve/internal/matrix"
	"backsolve/internal/player"
	"backsolve/internal/player/zero"
	"backsolve/internal/probe"
)

// Subject is an agent to be measured, with the exact values of its game.
type Subject struct {
	Rules   game.Rules
	Answers probe.Answerer
	Agent   player.Agent
	// From is the first position, which must be open; nil for the start of the game.
	From game.State
	// Seed is that of the agent: every move is made by a new player with this seed, so it
	// depends on the position only.
	Seed uint64
	// Threads is the number of positions to work on at once.
	Threads int
	// Late is the largest number of cells left in drawn positions, if Answers know only the
	// ends of games; else 0.
	Late int

	open []game.State // the reachable states, once found
}

// Start returns the first position.
func (a *Subject) Start() game.State {
	if a.From != nil {
		return a.From
	}
	return a.Rules.Start()
}

// network returns the agent if it plays by a network, else nil. Such an agent plays alike in
// positions that it sees alike.
func (a *Subject) network() *zero.Agent {
	agent, _ := a.Agent.(*zero.Agent)
	return agent
}

// ask returns the agent's move in a position and its index in the rated moves.
func (a *Subject) ask(ctx context.Context, s game.State, rated []probe.Rated) (game.Move, int, error) {
	m, err := a.move(ctx, s, a.Seed)
	if err != nil {
		return game.Move{}, 0, err
	}
	at := place(rated, m)
	if at < 0 {
		return game.Move{}, 0, fmt.Errorf("%s makes the move %s in %s, whose value is unknown", a.Agent.Name(), game.MoveText(a.Rules, s, m), a.Rules.Format(s))
	}
	return m, at, nil
}

// move returns the move of a new player with a seed.
func (a *Subject) move(ctx context.Context, s game.State, seed uint64) (game.Move, error) {
	p, err := a.Agent.Begin(seed)
	if err != nil {
		return game.Move{}, fmt.Errorf("%s cannot begin: %w", a.Agent.Name(), err)
	}
	defer p.Close()
	m, err := player.Move(ctx, p, s)
	if ctx.Err() != nil {
		return game.Move{}, context.Cause(ctx)
	}
	if err != nil {
		return game.Move{}, fmt.Errorf("%s has no move in %s: %w", a.Agent.Name(), a.Rules.Format(s), err)
	}
	return m, nil
}

// each calls do for the numbers below n on all threads. The error is that of the least number that
// failed, or the cause of ctx.
func (a *Subject) each(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	matrix.Share(n, a.Threads, func(first, end int) {
		for i := first; i < end && ctx.Err() == nil && errs[first] == nil; i++ {
			errs[first] = do(i)
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return cmp.Or(errs...)
}

// place returns the index of a move among rated ones, −1 if it is missing.
func place(rated []probe.Rated, m game.Move) int {
	return slices.IndexFunc(rated, func(r probe.Rated) bool { return r.Move == m })
}

// Progress names a number that only grows or only falls during a game: counters, moves, empty,
// marks or the tier.
func (a *Subject) Progress() string {
	switch board := a.Rules.Info(); {
	case board.Board == game.AsText || board.Board == game.OnRows:
		return "tier"
	case board.Board == game.OfHeaps:
		return "counters"
	case board.Board == game.OnRow:
		return "moves"
	case board.MoveKind == game.Encloses:
		return "empty"
	}
	return "marks"
}

// progress returns that number: of counters left, of files moved on, of empty cells if marks
// change, else of marked cells; 0 on other boards.
func (a *Subject) progress(s game.State) (n int) {
	board := a.Rules.Info()
	p, onGrid := s.(game.Position)
	own, listed := a.Rules.(custom.Listed)
	switch {
	case listed:
		n, _ = own.Number(s)
	case board.Board == game.OfHeaps:
		for _, counters := range nim.Counters(s) {
			n += int(counters)
		}
	case board.Board == game.OnRow:
		n = bits.OnesCount32(dawson.Played(s))
	case onGrid:
		if n = bits.OnesCount64(p.X | p.O); board.MoveKind == game.Encloses {
			n = game.Size(board.Size).Cells() - n
		}
	}
	return n
}
