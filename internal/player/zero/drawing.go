package zero

import (
	"backsolve/internal/player"
)

// Drawing returns an agent that searches as this one and has its name, but draws so many of
// its first moves of a game in proportion to their shares of the search: to the visits or,
// where there are no simulations, to the probabilities. So the games of a training begin,
// and so two networks, which play without chance, meet in games that differ.
func (a *Agent) Drawing(moves int) player.Agent { return &drawing{a, moves} }

type drawing struct {
	*Agent
	moves int
}

func (d *drawing) Begin(seed uint64) (player.Player, error) {
	return &searcher{agent: d.Agent, state: d.take(), rand: player.NewRand(seed), left: d.moves}, nil
}
