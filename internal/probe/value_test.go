package probe_test

import (
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// TestValueInWords checks that values in words have their steps, even 0.
func TestValueInWords(t *testing.T) {
	for v, want := range map[probe.Value]string{
		{Outcome: game.Win, Steps: 21}:  "win in 21",
		{Outcome: game.Win, Steps: 0}:   "win in 0",
		{Outcome: game.Lose, Steps: 1}:  "lose in 1",
		{Outcome: game.Lose, Steps: -1}: "lose",
		{Outcome: game.Draw, Steps: -1}: "draw",
	} {
		if got := v.String(); got != want {
			t.Errorf("%+v is written %q, want %q", v, got, want)
		}
	}
}
