package player

import (
	"context"

	"backsolve/game"
)

// Search limits the search for one move, besides the player's own limits, and reports on it.
type Search struct {
	// MaxNodes and MaxDepth limit states and plies, 0 for no limit; players without nodes or depth ignore them.
	MaxNodes, MaxDepth int
	// Report is called every few milliseconds with the progress; it may be nil.
	Report func(Searched)
	// Searched is the final progress.
	Searched
}

// Searched is the progress of a search.
type Searched struct {
	// Depth is the number of plies searched ahead.
	Depth int
	// Nodes counts states, or simulations.
	Nodes int
	// Best is the best move so far.
	Best game.Move
}

// Tell records the progress, and reports it.
func (s *Search) Tell(now Searched) {
	if s.Searched = now; s.Report != nil {
		s.Report(now)
	}
}

// Move lets a player choose without further limits. The error is the cause of ctx if that has ended.
func Move(ctx context.Context, p Player, s game.State) (game.Move, error) {
	m, err := p.Think(ctx, s, &Search{})
	if ctx.Err() != nil {
		return game.Move{}, context.Cause(ctx)
	}
	return m, err
}
