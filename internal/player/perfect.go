package player

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Perfect returns an agent that plays by the answers of from, named as its strength: shortest:blunder=0.05. If only
// some moves have known values, it chooses and blunders among these. The caller owns from, and keeps a table open.
// The error comes from Strength.Check; errors of moves come from probe.Answerer.Rate.
func Perfect(rules game.Rules, from probe.Answerer, s Strength) (Agent, error) {
	if err := s.Check(from.HasSteps()); err != nil {
		return nil, err
	}
	return &reflex{s.String(), func(r *rand.Rand) chooser {
		var rated []probe.Rated
		return func(ctx context.Context, p game.State) (game.Move, error) {
			from, err := probe.WithContext(ctx, from), error(nil)
			if _, rated, err = from.Rate(rules, p, rated[:0]); errors.Is(err, probe.ErrUnknown) {
				return game.Move{}, fmt.Errorf("%w; choose an agent that needs no values", err)
			} else if err != nil {
				return game.Move{}, err
			}
			if len(rated) == 0 {
				return game.Move{}, ErrOver
			}
			m, err := s.Choose(r, rules, from, p, rated)
			return m.Move, err
		}
	}}, nil
}

// WinsOr returns an agent, named like otherwise, that plays like it unless from knows a winning move.
func WinsOr(rules game.Rules, from probe.Answerer, otherwise Agent) Agent {
	return winsOr{otherwise, rules, from}
}

type winsOr struct {
	Agent
	rules game.Rules
	from  probe.Answerer
}

func (a winsOr) Begin(seed uint64) (Player, error) {
	otherwise, err := a.Agent.Begin(seed)
	return &winningPlayer{Player: otherwise, of: a, chance: NewRand(seed)}, err
}

type winningPlayer struct {
	Player
	of     winsOr
	chance *rand.Rand
	rated  []probe.Rated
}

func (p *winningPlayer) Think(ctx context.Context, s game.State, search *Search) (game.Move, error) {
	_, rated, err := probe.WithContext(ctx, p.of.from).Rate(p.of.rules, s, p.rated[:0])
	if err != nil && !errors.Is(err, probe.ErrUnknown) && !errors.Is(err, context.Cause(ctx)) {
		return game.Move{}, err
	}
	p.rated = rated
	wins := 0
	for err == nil && wins < len(rated) && rated[wins].Outcome == game.Win {
		wins++
	}
	if wins > 0 {
		return rated[p.chance.IntN(wins)].Move, nil
	}
	return p.Player.Think(ctx, s, search)
}
