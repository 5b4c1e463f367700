package probe_test

import (
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/probe"
)

// TestRandomPosition checks that the draws, which are seeded, are about uniform.
func TestRandomPosition(t *testing.T) {
	const each = 400
	for _, c := range []struct {
		game         string
		states, open int
	}{{"quixo", 81, 21}, {"notakto", 16, 5}} {
		rules := newRules(t, c.game, 2)
		r := rand.New(rand.NewPCG(1, 1))
		check := func(states int, draw func(game.Grid, *rand.Rand) game.Position) {
			counts := map[game.Position]int{}
			for range each * states {
				counts[draw(rules, r)]++
			}
			if len(counts) != states {
				t.Errorf("%s: %d states of %d", c.game, len(counts), states)
			}
			for p, n := range counts {
				if n < each*3/4 || n > each*5/4 {
					t.Errorf("%s came up %d times, not about %d", rules.Format(p), n, each)
				}
			}
		}
		check(c.states, probe.RandomPosition)
		check(c.open, probe.RandomOpenPosition)
	}
	for n := 1; n <= 8; n++ {
		rules := newRules(t, "notakto", n)
		r := rand.New(rand.NewPCG(2, uint64(n)))
		var all uint64
		for range 100 {
			all |= probe.RandomPosition(rules, r).X
		}
		if want := ^uint64(0) >> (64 - n*n); all != want {
			t.Errorf("%s: cells %x come up, not %x", rules.Info().String(), all, want)
		}
	}
}
