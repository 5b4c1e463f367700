package nodekayles

import (
	"slices"
	"testing"

	"backsolve/game/custom"
)

// nimberOf returns the Grundy value of a state by the moves alone.
func nimberOf(g Game, s State, known map[State]int) int {
	if n, ok := known[s]; ok {
		return n
	}
	reached, n := map[int]bool{}, 0
	if _, over := g.Terminal(s); !over {
		for _, after := range g.Moves(nil, s) {
			reached[nimberOf(g, after, known)] = true
		}
	}
	for reached[n] {
		n++
	}
	known[s] = n
	return n
}

// On a row the nimbers are those of Dawson's chess, with a period of 34. On a board with an even
// number of rows or columns and an odd number of the other, mirroring does not win.
func TestNimbers(t *testing.T) {
	want := []int{1, 1, 2, 0, 3, 1, 1, 0, 3, 3, 2, 2, 4, 0} // A002187
	var got []int
	for n := range want {
		g := Game{1, n + 1}
		got = append(got, nimberOf(g, g.Start(), map[State]int{}))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for n := range 4 {
		// After the cell in the middle, the second player's answers mirror the first player's moves.
		if g := (Game{2*(n%2) + 1, n/2*2 + 3}); nimberOf(g, g.Start(), map[State]int{}) == 0 {
			t.Errorf("%s is lost, but its middle cell wins", g.Name())
		}
	}
}

func TestContract(t *testing.T) {
	for _, g := range []Game{{1, 7}, {3, 4}, {4, 5}} {
		if err := custom.Check(g, 30, 1); err != nil {
			t.Error(err)
		}
	}
	if s, err := (Game{2, 2}).Parse("XO/.."); err == nil {
		t.Errorf("a cell has an owner: %v", s)
	}
}
