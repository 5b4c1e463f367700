// Package player has agents that search, learn, ask tables or run other programs, and the arena for matches.
package player

import (
	"context"

	"backsolve/game"
)

// Agent can play the game of a board. It is safe for concurrent use: one agent plays
// any number of games at once, each through its own Player.
type Agent interface {
	// Name is as on a command line, with all options that affect play: mcts:10000.
	Name() string
	// Begin returns a player for one game. Seed and positions determine its moves.
	Begin(seed uint64) (Player, error)
}

// Player is an agent in one game. It is not safe for concurrent use.
type Player interface {
	// Think returns a legal move in s, which is not over. Positions come in the order of the game, for one
	// side or for both. If ctx ends or has ended, it returns at once the best move found so far. The error says why
	// there is no move: the cause of ctx, or what is wrong with the player.
	Think(ctx context.Context, s game.State, search *Search) (game.Move, error)
	// Close ends the game for the player.
	Close() error
}
