package survey

import (
	"context"
	"encoding/hex"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase/sparse"
)

// OfSparse returns the summary of a sparse table, without classes and stones. Its counts
// are of stored states. Only for the examples of the longest win and loss it reads states,
// those of one tier each. Errors are those of reading the table, and the cause of ctx.
func OfSparse(ctx context.Context, t *probe.Sparse) (*Stats, error) {
	stored, info := t.Stored(), t.Info()
	identity := stored.Identity()
	start, err := t.Ask("startpos", probe.NoLine)
	if err != nil {
		return nil, err
	}
	s := &Stats{
		Game: info.Name, Size: info.Size, Board: info.String(), HasSteps: true, Bytes: stored.Bytes(), Packed: stored.Packed(),
		Identity: hex.EncodeToString(identity[:]), Stored: uint64(stored.States()),
		Start:   StartStats{Position: start.Position, Outcome: start.Outcome.String()},
		Classes: []ClassStats{}, Stones: []StonesStats{}, Steps: []StepsStats{},
	}
	if start.Steps >= 0 {
		s.Start.Steps = &start.Steps
	}
	for _, tier := range stored.Header().Tiers {
		for _, c := range tier.Values {
			s.count(c)
		}
	}
	s.Total.States = s.Stored
	if s.LongestWin, err = longestIn(ctx, t, s.Steps, game.Win); err == nil {
		s.LongestLoss, err = longestIn(ctx, t, s.Steps, game.Lose)
	}
	return s, err
}

// count adds the states of a value.
func (s *Stats) count(c sparse.Count) {
	n := uint64(c.States)
	for len(s.Steps) <= c.Steps {
		s.Steps = append(s.Steps, StepsStats{Steps: len(s.Steps)})
	}
	over := uint64(0)
	if c.Steps == 0 {
		over = n
	}
	switch c.Outcome {
	case game.Draw:
		s.Total.Draws += n
	case game.Win:
		s.Total.Wins, s.Total.TerminalWins = s.Total.Wins+n, s.Total.TerminalWins+over
		s.Steps[c.Steps].Wins += n
	case game.Lose:
		s.Total.Losses, s.Total.TerminalLosses = s.Total.Losses+n, s.Total.TerminalLosses+over
		s.Steps[c.Steps].Losses += n
	}
}

// longestIn returns the most steps of an outcome, with an example; nil if there is none.
func longestIn(ctx context.Context, t *probe.Sparse, bySteps []StepsStats, outcome game.Outcome) (*Longest, error) {
	for i := len(bySteps) - 1; i >= 0; i-- {
		count := bySteps[i].Wins
		if outcome == game.Lose {
			count = bySteps[i].Losses
		}
		if count > 0 {
			position, err := exampleOf(ctx, t, sparse.Value{Outcome: outcome, Steps: i})
			return &Longest{Steps: i, Count: count, Position: position}, err
		}
	}
	return nil, nil
}

// exampleOf returns the text of the first state with a value that the table has.
func exampleOf(ctx context.Context, t *probe.Sparse, v sparse.Value) (string, error) {
	for i, tier := range t.Stored().Header().Tiers {
		for _, c := range tier.Values {
			if c.Outcome != v.Outcome || c.Steps != v.Steps {
				continue
			}
			for state, err := range t.Stored().Tier(i) {
				if err != nil {
					return "", err
				}
				if ctx.Err() != nil {
					return "", context.Cause(ctx)
				}
				if state.Value == v {
					return t.Text(state.Key), nil
				}
			}
		}
	}
	return "", probe.ErrUnknown
}
