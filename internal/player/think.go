package player

import (
	"context"

	"backsolve/game"
)

// Thinker is a player whose search can be limited, watched and stopped.
type Thinker interface {
	Player
	// Think is Move within further limits. If ctx ends during the search, or has ended already, it
	// returns at once, with the best move found so far.
	Think(ctx context.Context, s game.State, search *Search) (game.Move, error)
}

// Search limits the search for one move, besides the player's own limits, and reports on it.
type Search struct {
	// MaxNodes and MaxDepth are the most states and plies to search, 0 for no limit. Players
	// ignore a limit that means nothing to them.
	MaxNodes, MaxDepth int
	// Report is told every few milliseconds what was searched so far; it may be nil.
	Report func(Searched)
	// Searched is what was searched in the end.
	Searched
}

// Searched is what a search has seen.
type Searched struct {
	// Depth is the number of plies that it has looked ahead.
	Depth int
	// Nodes counts states, or simulations.
	Nodes int
	// Best is the best move so far.
	Best game.Move
}

// Tell notes what was searched so far, and reports it.
func (s *Search) Tell(now Searched) {
	if s.Searched = now; s.Report != nil {
		s.Report(now)
	}
}

// MoveOf is Move of a Thinker: its choice without further limits, or the cause of ctx if that has ended.
func MoveOf(ctx context.Context, t Thinker, s game.State) (game.Move, error) {
	m, err := t.Think(ctx, s, &Search{})
	if ctx.Err() != nil {
		return game.Move{}, context.Cause(ctx)
	}
	return m, err
}

// Think has a player choose a move, by Think if it is a Thinker and by Move otherwise.
func Think(ctx context.Context, p Player, s game.State, search *Search) (game.Move, error) {
	if t, ok := p.(Thinker); ok {
		return t.Think(ctx, s, search)
	}
	return p.Move(ctx, s)
}
