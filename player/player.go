// Package player is those who play: by chance, by a table, by search, by what
// they have learned, or through another program; and the arena where they meet.
package player

import (
	"context"

	"backsolve/game"
)

// Agent is who can play a board's game. It is safe for concurrent use: one agent
// plays any number of games at once, each through a Player of its own.
type Agent interface {
	// Name is how the agent is named on a command line, with all that decides how
	// it plays: mcts:10000.
	Name() string
	// Begin returns a player for one game. All of its chance comes from the seed,
	// so that the same seed and positions give the same moves.
	Begin(seed uint64) (Player, error)
	// Close frees what the agent holds. No player of it may be in use.
	Close() error
}

// Player is an agent in one game. It is for one goroutine.
type Player interface {
	// Move returns a legal move in s, a position that is not over. Positions come
	// in the order of the game, those of either side or of both. The error says
	// why there is no move: the cause of ctx, or what is wrong with the player.
	Move(ctx context.Context, s game.State) (game.Move, error)
	// Close ends the game for the player.
	Close() error
}
