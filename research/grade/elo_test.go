package grade

import (
	"math"
	"testing"
)

// The first games by hand: equal players, a better one, many games.
func TestEloByHand(t *testing.T) {
	e := &Elo{}
	a, b := e.Enter(1000), e.Enter(1000)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	e.Game(a, b, 1) // e = ½, K = 16
	near("who has won", e.ratings[a], 1008)
	near("who has lost", e.ratings[b], 992)
	e.Game(b, a, 0.5) // d = 16: e = 1/(1 + 10^0.04) = 0.476988…
	near("after a draw", e.ratings[b], 992+16*(0.5-1/(1+math.Pow(10, 0.04))))
	near("the sum", e.ratings[a]+e.ratings[b], 2000)
	for e.games[a] < 21 {
		e.Game(a, b, 0.5)
	}
	c := e.Enter(1000) // a has played 21 games, c none
	before := e.ratings[a]
	e.Game(c, a, 1)
	expected := 1 / (1 + math.Pow(10, (before-1000)/400))
	near("of few games", e.ratings[c], 1000+16*(1-expected))
	near("of many games", e.ratings[a], before-32*(1-expected))
}

// As published, K is 32 for both players once either has 20 games.
func TestEloOfEither(t *testing.T) {
	e := &Elo{Either: true}
	a, b := e.Enter(1000), e.Enter(1000)
	for e.games[a] < 20 {
		e.Game(a, b, 0.5)
	}
	c := e.Enter(1000)
	e.Game(c, a, 1) // e = ½
	if e.ratings[c] != 1016 || e.ratings[a] != 984 {
		t.Errorf("%v and %v, want 1016 and 984", e.ratings[c], e.ratings[a])
	}
}
