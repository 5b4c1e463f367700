package zero

import (
	"math"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

// The first moves are drawn in proportion to the shares of the search, with and without
// simulations, the same with the same seed; all later ones are the agent's.
func TestDrawing(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread, and long under the race detector")
	}
	rules := newRules(t, "notakto", 3)
	w := newWeights(t, "notakto", 3, Encoding{})
	const games = 4000
	for _, simulations := range []int{0, 30} {
		a := newAgent(t, w, simulations)
		drawing := a.Drawing(2)
		if drawing.Name() != a.Name() {
			t.Error(drawing.Name())
		}
		expected := map[game.Move]float64{}
		stages, err := a.Study(t.Context(), rules.Start(), []int{simulations})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stages[0].Shares {
			expected[s.Move] = float64(s.Fraction)
		}
		drawn := map[game.Move]int{}
		for seed := range uint64(games) {
			first, third := firstAndThird(t, a, 2, seed)
			drawn[first]++
			if again, last := firstAndThird(t, a, 2, seed); again != first || last != third {
				t.Fatalf("seed %d: %v and %v, then %v and %v", seed, first, third, again, last)
			}
		}
		for _, m := range rules.Moves(nil, rules.Start()) {
			share := expected[m]
			if off := math.Abs(float64(drawn[m])/games - share); off > 4*math.Sqrt(share*(1-share)/games) {
				t.Errorf("%d simulations: %s is drawn %d times of %d, its share is %v", simulations, rules.FormatMove(m), drawn[m], games, share)
			}
		}
	}
}

// firstAndThird returns two moves of a player that draws its first few moves: its first in the start
// position, and its third there, which is wanted to be the agent's.
func firstAndThird(t *testing.T, a *Agent, moves int, seed uint64) (first, third game.Move) {
	t.Helper()
	p, err := a.Drawing(moves).Begin(seed)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	start := newRules(t, "notakto", 3).Start()
	var all [3]game.Move
	for i := range all {
		if all[i], err = player.Move(t.Context(), p, start); err != nil {
			t.Fatal(err)
		}
	}
	if best := moveOf(t, a, start); all[2] != best {
		t.Fatalf("the move after those that are drawn is %v, the agent's is %v", all[2], best)
	}
	return all[0], all[2]
}
