// Package player has the agents: random, table-based, searching, learning, and external
// programs; and the arena for matches between them.
package player

import (
	"context"

	"backsolve/game"
)

// Agent can play the game of a board. It is safe for concurrent use: one agent plays
// any number of games at once, each through its own Player.
type Agent interface {
	// Name is the agent's name on a command line, with all options that affect its
	// play: mcts:10000.
	Name() string
	// Begin returns a player for one game. All randomness comes from the seed: the same
	// seed and positions give the same moves.
	Begin(seed uint64) (Player, error)
}

// Player is an agent in one game. It is not safe for concurrent use.
type Player interface {
	// Think returns a legal move in s, a position that is not over. Positions come
	// in the order of the game, those of either side or of both. If ctx ends during a search, or
	// has ended already, it returns at once, with the best move found so far. The error says
	// why there is no move: the cause of ctx, or what is wrong with the player.
	Think(ctx context.Context, s game.State, search *Search) (game.Move, error)
	// Close ends the game for the player.
	Close() error
}
