package survey

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
	"backsolve/tablebase/sparse"
)

// OfSparse summarizes a table of single positions. It counts stored states, one for all
// that share a key. Its tiers are the classes, the first one first, and each state is a block.
func OfSparse(t *probe.Sparse) (*Stats, error) {
	stored := t.Stored()
	identity, h := stored.Identity(), stored.Header()
	s := &Stats{
		Game: h.Game, Size: 1, Board: h.Game, HasSteps: !h.Outcomes, Bytes: stored.Bytes(), Packed: stored.Packed(),
		Identity: hex.EncodeToString(identity[:]), Stones: []StonesStats{}, Steps: []StepsStats{},
	}
	a, err := t.Ask("startpos", probe.NoLine)
	if err != nil {
		return nil, err
	}
	s.Start = StartStats{Position: a.Position, Outcome: a.Outcome.String()}
	if a.Steps >= 0 {
		s.Start.Steps = &a.Steps
	}
	for i, tier := range h.Tiers {
		s.addClass(tablebase.ClassInfo{Class: i, Blocks: int(tier.States), Counts: countsOf(tier.Values)}, false)
		for _, v := range tier.Values {
			if h.Outcomes {
				break
			}
			switch v.Outcome {
			case game.Win:
				s.LongestWin = s.LongestWin.or(t, i, v)
			case game.Lose:
				s.LongestLoss = s.LongestLoss.or(t, i, v)
			}
		}
	}
	return s, nil
}

// countsOf returns the counts of a tier.
func countsOf(values []sparse.Count) tablebase.Counts {
	var all tablebase.OutcomeCounts
	var bySteps []tablebase.StepCounts
	for _, v := range values {
		n := uint64(v.States)
		for len(bySteps) <= v.Steps {
			bySteps = append(bySteps, tablebase.StepCounts{})
		}
		switch v.Outcome {
		case game.Draw:
			all.Draws += n
		case game.Win:
			all.Wins += n
		case game.Lose:
			all.Losses += n
		}
		if v.Steps >= 0 && v.Outcome == game.Win {
			bySteps[v.Steps].Wins += n
		} else if v.Steps >= 0 {
			bySteps[v.Steps].Losses += n
		}
		if v.Steps == 0 && v.Outcome == game.Win {
			all.TerminalWins += n
		} else if v.Steps == 0 {
			all.TerminalLosses += n
		}
	}
	return tablebase.Counts{ByWeight: []tablebase.OutcomeCounts{all}, BySteps: bySteps}
}

// or returns the longest of l, unless nil, and the states of a value in a tier.
func (l *Longest) or(t *probe.Sparse, tier int, v sparse.Count) *Longest {
	if l == nil || v.Steps > l.Steps {
		return &Longest{Steps: v.Steps, Count: uint64(v.States), Position: t.Text(tier, v.First)}
	}
	if v.Steps == l.Steps {
		l.Count += uint64(v.States)
	}
	return l
}

// RandomSparse is Random for a table of single positions: uniform over all stored states that
// match. If these are rare, it reads a tier from end to end.
func RandomSparse(ctx context.Context, t *probe.Sparse, f Filter, r *rand.Rand) (game.State, error) {
	stored := t.Stored()
	tiers := stored.Header().Tiers
	matching := make([]int64, len(tiers))
	var total int64
	for i, tier := range tiers {
		for _, c := range tier.Values {
			if f.matches(probe.Value(c.Value)) {
				matching[i] += c.States
			}
		}
		total += matching[i]
	}
	if total == 0 {
		return nil, fmt.Errorf("%w: %s has none of %v", ErrNoSuchState, stored.Header().Game, f)
	}
	tier, rest := 0, r.Int64N(total)
	for ; rest >= matching[tier]; tier++ {
		rest -= matching[tier]
	}
	var block []sparse.State
	for range minDraws {
		number := r.Int64N(tiers[tier].States)
		var err error
		if block, err = stored.Block(block[:0], tier, number/sparse.BlockStates); err != nil {
			return nil, err
		}
		if s := block[number%sparse.BlockStates]; f.matches(probe.Value(s.Value)) {
			return t.State(tier, s.Key)
		}
	}
	for s, err := range stored.Tier(tier) {
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		if !f.matches(probe.Value(s.Value)) {
			continue
		}
		if rest--; rest < 0 {
			return t.State(tier, s.Key)
		}
	}
	return nil, &tablebase.Error{Path: stored.Path(), Err: tablebase.ErrDamaged, Detail: "its counts are not those of its states"}
}
