package grade

import (
	"context"
	"strings"

	"backsolve/internal/player/arena"
)

// GameText is the same for games in which the same agents make the same moves.
func GameText(r *arena.Record) string {
	return r.First + " " + r.Start + " " + strings.Join(r.Moves, " ")
}

// Play plays a match, and counts the games that differ as the first agent's results as first and as
// second player: deterministic agents repeat games. After each game it calls report, unless nil.
func Play(ctx context.Context, m *arena.Match, report func(*arena.Record)) (s *arena.Summary, different [2]arena.Tally, err error) {
	games := map[string]bool{}
	own := m.Labels()[0]
	s, err = m.Play(ctx, func(r *arena.Record) error {
		if report != nil {
			report(r)
		}
		key := GameText(r)
		if games[key] {
			return nil
		}
		games[key] = true
		side := 0
		if r.First != own {
			side = 1
		}
		different[side].Count(r.Result.For(side))
		return nil
	})
	return s, different, err
}
