package heaps

import (
	"slices"
	"testing"

	"backsolve/game"
)

// The nimbers are those of the Online Encyclopedia of Integer Sequences, and the periods those of the
// tables of octal games.
func TestNimbers(t *testing.T) {
	for name, want := range map[string][]int{
		"kayles":         {0, 1, 2, 3, 1, 4, 3, 2, 1, 4, 2, 6, 4, 1, 2, 7, 1, 4, 3, 2, 1, 4, 6, 7}, // A002186
		"dawsons-kayles": {0, 0, 1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0, 5, 2, 2, 3, 3, 0, 1, 1}, // A002187, one on
		"grundys-game":   {0, 0, 0, 1, 0, 2, 1, 0, 2, 1, 0, 2, 1, 3, 2, 1, 3, 2, 4, 3, 0, 4, 3, 0}, // A002188
		"subtraction":    {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3},
		// A014586
		"subtract-squares": {0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1, 2, 0, 1, 0, 1},
	} {
		if got := Nimbers(name, len(want)-1); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string][2]int{
		"kayles": {12, 71}, "dawsons-kayles": {34, 53}, "subtraction": {4, 0}, "treblecross": {0, 0}, "grundys-game": {0, 0},
	} {
		if period, first := Period(name, 400); [2]int{period, first} != want {
			t.Errorf("%s: period %d from %d, want %v", name, period, first, want)
		}
	}
	if period, _ := Period("guiles", 400); period != 10 {
		t.Errorf("guiles: period %d", period)
	}
	if period, _ := Period("kayles", 150); period != 0 {
		t.Error("the period of Kayles is not proved by heaps of up to 150")
	}
}

// A state is won if the nimbers of its heaps do not cancel out, and its text is read back.
func TestValues(t *testing.T) {
	for _, name := range Kinds() {
		g := Game{name, 17}
		nimbers, won := Nimbers(name, g.N), map[State]bool{}
		var solve func(s State) bool
		solve = func(s State) bool {
			if value, known := won[s]; known {
				return value
			}
			won[s] = false
			moves := g.Moves(nil, s)
			if _, over := g.Terminal(s); over != (len(moves) == 0) {
				t.Fatalf("%s: %s is over with %d moves", name, g.Format(s), len(moves))
			}
			for _, after := range moves {
				if !solve(after) {
					won[s] = true
				}
			}
			sum := 0
			for _, heap := range s.heaps() {
				sum ^= nimbers[heap]
			}
			if won[s] != (sum != 0) {
				t.Errorf("%s: %s has the nimber %d, and is won: %v", name, g.Format(s), sum, won[s])
			}
			if again, err := g.Parse(g.Format(s)); err != nil || again != s {
				t.Errorf("%s: %s is read as %s, %v", name, g.Format(s), g.Format(again), err)
			}
			return won[s]
		}
		solve(g.Start())
	}
	g := Game{"kayles", 20}
	for _, wrong := range []string{"", "x", "23", "-1", "3/1", "0/1", "1/1/1/1/1/1/1/1/1/1/1/1/1"} {
		if s, err := g.Parse(wrong); err == nil {
			t.Errorf("%q is read as %s", wrong, g.Format(s))
		}
	}
	if outcome, over := g.Terminal(0); outcome != game.Lose || !over {
		t.Error("who cannot move has not lost")
	}
}
