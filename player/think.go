package player

import (
	"context"

	"backsolve/game"
)

// Thinker is a player whose search can be limited, watched and stopped.
type Thinker interface {
	Player
	// Think is Move within further limits. Where ctx ends during the search, or has ended before,
	// it returns at once the best move that it has found so far.
	Think(ctx context.Context, s game.State, search *Search) (game.Move, error)
}

// Search limits the search for one move, beside the player's own limits, and tells about it.
type Search struct {
	// MaxNodes and MaxDepth are the most states and plies to search, 0 for no limit. A player
	// to whom a limit means nothing ignores it.
	MaxNodes, MaxDepth int
	// Report gets what was searched so far, every few milliseconds; it may be nil.
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

// Tell keeps what was searched so far, and reports it.
func (s *Search) Tell(now Searched) {
	if s.Searched = now; s.Report != nil {
		s.Report(now)
	}
}

// Think has a player think of a move if it is a Thinker, and move otherwise.
func Think(ctx context.Context, p Player, s game.State, search *Search) (game.Move, error) {
	if t, ok := p.(Thinker); ok {
		return t.Think(ctx, s, search)
	}
	return p.Move(ctx, s)
}
