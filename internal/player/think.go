package player

import (
	"context"

	"backsolve/game"
)

// Search limits the search for one move, besides the player's own limits, and reports on it.
type Search struct {
	// MaxNodes and MaxDepth limit states and plies, 0 for none, where they mean something to a player.
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

// Move has a player choose without further limits. The error is the cause of ctx if that has ended.
func Move(ctx context.Context, p Player, s game.State) (game.Move, error) {
	m, err := p.Think(ctx, s, &Search{})
	if ctx.Err() != nil {
		return game.Move{}, context.Cause(ctx)
	}
	return m, err
}
