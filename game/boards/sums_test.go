package boards

import (
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
)

// Of all positions of small boards the sums say what going through all moves does.
func TestAllSums(t *testing.T) {
	for _, sides := range [][]int{{1}, {2}, {1, 2, 2}, {2, 3}, {2, 2, 2}, {1, 1, 3}} {
		r := &rules{sides}
		s := literally(r)
		s.win(r.Start())
		for p, win := range s.wins {
			if got := r.bySums(p); (got == game.Win) != win {
				t.Errorf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
			}
		}
		if len(s.wins) < 2 {
			t.Errorf("%v: no positions", sides)
		}
	}
}

// Of random positions with few empty cells on large boards they do so, too.
func TestRandomSums(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := &rules{rapid.SliceOfN(rapid.IntRange(1, maxSide), 1, maxSummed).Draw(t, "sides")}
		p := r.Start()
		for empty := 0; ; empty++ { // play until some nine moves are left
			moves := r.Moves(nil, p)
			if len(moves) <= 9 {
				break
			}
			p = r.Play(p, rapid.SampledFrom(moves).Draw(t, "move"))
		}
		s := literally(r)
		if got, win := r.bySums(p), s.win(p); (got == game.Win) != win {
			t.Fatalf("%s is known as %v, but is a win: %t", r.Format(p), got, win)
		}
	})
}

// Sums of 3×3 boards are what the quotient says.
func TestSumsByQuotient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := threes(rapid.IntRange(1, maxSummed).Draw(t, "boards"))
		p := draw(t, r)
		if got, want := r.bySums(p), r.byQuotient(p); got != want {
			t.Fatalf("%s is %v by sums and %v by the quotient", r.Format(p), got, want)
		}
	})
}

// The boards of up to 4×4 are 665 games, and the empty boards lose or win as is known.
func TestEmptyBoards(t *testing.T) {
	if got := len(trees().after); got != allTrees {
		t.Errorf("%d trees, want %d", got, allTrees)
	}
	for _, test := range []struct {
		sides string
		lost  bool
	}{
		{"4", true}, {"44", true}, {"444", true}, {"34", false}, {"344", false}, {"334", true},
		{"24", true}, {"244", true}, {"234", false}, {"224", true}, {"134", true},
	} {
		if test.sides == "444" && testing.Short() {
			continue
		}
		r := &rules{}
		for _, side := range test.sides {
			r.sides = append(r.sides, int(side-'0'))
		}
		if got := r.bySums(r.Start()); got != lostIf(test.lost) {
			t.Errorf("%s is %v, want lost: %t", r.Info().Variant, got, test.lost)
		}
	}
}
