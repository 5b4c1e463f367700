package player

import (
	"math/rand/v2"

	"backsolve/game"
	"backsolve/probe"
)

// Perfect returns the agent that plays by a table, named by its strength:
// optimal, shortest:blunder=0.05. The table stays the caller's: it must be open
// as long as the agent plays, and closing the agent does not close it. The error
// is that of Strength.Check; those of the moves are of probe.Table.Rank.
func Perfect(table *probe.Table, s Strength) (Agent, error) {
	if err := s.Check(table.HasSteps()); err != nil {
		return nil, err
	}
	return &reflex{s.String(), func(r *rand.Rand) chooser {
		var ranked []probe.Ranked
		return func(p game.Position) (game.Move, error) {
			var err error
			if _, ranked, err = table.Rank(p, ranked[:0]); err != nil {
				return game.Move{}, err
			}
			if len(ranked) == 0 {
				return game.Move{}, ErrOver
			}
			i := s.Choose(r, len(ranked), func(i int) probe.Value { return ranked[i].Value })
			return ranked[i].Move, nil
		}
	}}, nil
}
