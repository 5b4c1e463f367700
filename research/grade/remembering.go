package grade

import (
	"context"
	"sync"

	"backsolve/game"
	"backsolve/player"
)

// Remembering returns an agent that asks another for its move in a position once. The moves of that
// must depend on the position alone. Deterministic agents meet the same positions in most of their
// games.
func Remembering(a player.Agent) player.Agent {
	return &remembering{Agent: a, moves: map[game.State]game.Move{}}
}

type remembering struct {
	player.Agent

	lock  sync.Mutex
	moves map[game.State]game.Move
}

func (r *remembering) Begin(seed uint64) (player.Player, error) {
	p, err := r.Agent.Begin(seed)
	return &reminded{p, r}, err
}

// reminded is a player of a remembering agent.
type reminded struct {
	player.Player
	of *remembering
}

func (p *reminded) Move(ctx context.Context, s game.State) (game.Move, error) {
	p.of.lock.Lock()
	m, ok := p.of.moves[s]
	p.of.lock.Unlock()
	if ok {
		return m, nil
	}
	m, err := p.Player.Move(ctx, s)
	if err == nil {
		p.of.lock.Lock()
		p.of.moves[s] = m
		p.of.lock.Unlock()
	}
	return m, err
}
