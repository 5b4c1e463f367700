package survey

import (
	"context"
	"slices"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Longest is the most steps of an outcome.
type Longest struct {
	Steps int `json:"steps"`
	// Count is the number of states with that many.
	Count uint64 `json:"count"`
	// Position is the text of one of them.
	Position string `json:"position"`
}

// longest returns the most steps of an outcome, with an example from the fullest class that
// has one. It is nil if there is none.
func longest(ctx context.Context, t *probe.Table, bySteps []StepsStats, outcome game.Outcome) (*Longest, error) {
	for _, s := range slices.Backward(bySteps) {
		count := s.Wins
		if outcome == game.Lose {
			count = s.Losses
		}
		if count == 0 {
			continue
		}
		p, err := example(ctx, t, Filter{&outcome, &s.Steps})
		if err != nil {
			return nil, err
		}
		return &Longest{Steps: s.Steps, Count: count, Position: t.Rules().Format(p)}, nil
	}
	return nil, nil
}

// example returns the first matching state. The counts must have some.
func example(ctx context.Context, t *probe.Table, f Filter) (game.Position, error) {
	for i, c := range t.Stored().Classes() {
		if f.count(c) > 0 {
			return pick(ctx, t, i, f, 0, 0)
		}
	}
	return game.Position{}, damaged(t, "states of %v are counted, but no class has them", f)
}
