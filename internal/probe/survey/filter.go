package survey

import (
	"fmt"

	"backsolve/game"
	"backsolve/internal/bitslice"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

// Filter selects states; the zero value matches all.
type Filter struct {
	Outcome *game.Outcome // nil for any
	Steps   *int          // to the end, nil for any
}

// String returns the filter in words: win in 21, lose, any outcome in 3.
func (f Filter) String() string {
	text := "any outcome"
	if f.Outcome != nil {
		text = f.Outcome.String()
	}
	if f.Steps != nil {
		text += fmt.Sprintf(" in %d", *f.Steps)
	}
	return text
}

func (f Filter) matches(v probe.Value) bool {
	return (f.Outcome == nil || *f.Outcome == v.Outcome) && (f.Steps == nil || v.Steps >= 0 && *f.Steps == v.Steps)
}

// count returns the number of matching states, of the whole game, in a class.
func (f Filter) count(c tablebase.ClassInfo) uint64 {
	var wins, losses, draws uint64
	if f.Steps == nil {
		for _, o := range c.Counts.ByWeight {
			wins, losses, draws = wins+o.Wins, losses+o.Losses, draws+o.Draws
		}
	} else if steps := *f.Steps; steps >= 0 && steps < len(c.Counts.BySteps) {
		wins, losses = c.Counts.BySteps[steps].Wins, c.Counts.BySteps[steps].Losses
	}
	switch {
	case f.Outcome == nil:
		return wins + losses + draws
	case *f.Outcome == game.Win:
		return wins
	case *f.Outcome == game.Lose:
		return losses
	}
	return draws
}

func (f Filter) word(r *gridRun, w int) uint64 {
	win, lose, all := r.planes.Win[w], r.lost(w), bitslice.Valid(r.class.IndexBits)
	var these uint64
	switch {
	case f.Outcome == nil && f.Steps != nil:
		these = win | lose
	case f.Outcome == nil:
		these = all
	case *f.Outcome == game.Win:
		these = win
	case *f.Outcome == game.Lose:
		these = lose
	case f.Steps == nil: // a draw has no steps
		these = all &^ (win | lose)
	}
	if f.Steps != nil {
		these &= bitslice.Numbers(r.planes.Steps).Equal(w, *f.Steps)
	}
	return these
}
