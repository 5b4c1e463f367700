package survey

import (
	"context"
	"slices"

	"backsolve/game"
	"backsolve/tablebase"
)

// Longest is the most steps of an outcome.
type Longest struct {
	Steps int `json:"steps"`
	// Count is the number of states with that many.
	Count uint64 `json:"count"`
	// Position is the text of one of them.
	Position string `json:"position"`
}

// longest returns the most steps of an outcome, with an example from the first class that has
// one. It is nil if there is none.
func longest(ctx context.Context, t Table, bySteps []StepsStats, outcome game.Outcome) (*Longest, error) {
	src := sourceOf(t)
	for _, s := range slices.Backward(bySteps) {
		count := s.Wins
		if outcome == game.Lose {
			count = s.Losses
		}
		if count == 0 {
			continue
		}
		f := Filter{&outcome, &s.Steps}
		class := slices.IndexFunc(src.classes(), func(c tablebase.ClassInfo) bool { return f.count(c) > 0 })
		example, err := src.first(ctx, class, f)
		if err != nil {
			return nil, err
		}
		return &Longest{Steps: s.Steps, Count: count, Position: example}, nil
	}
	return nil, nil
}
