package zero

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

// A study is the search for a move: after each number of simulations, the move with the greatest
// share is the agent's with that number, and the shares add up to 1.
func TestStudyIsTheSearch(t *testing.T) {
	for _, proved := range []bool{false, true} {
		w := newWeights(t, "nim", 3, Encoding{})
		w.Search.Proved = proved
		rules := newRules(t, "nim", 3)
		s := rules.Start()
		numbers := []int{0, 1, 30, 500, 20000}
		stages, err := newAgent(t, w, 5).Study(t.Context(), s, numbers)
		if err != nil {
			t.Fatal(err)
		}
		for i, number := range numbers {
			stage := stages[i]
			checkShares(t, rules, s, stage.Shares)
			most := slices.MaxFunc(stage.Shares, compareParts)
			made := moveOf(t, newAgent(t, w, number), s)
			at := slices.IndexFunc(stage.Shares, func(m Share) bool { return m.Move == made })
			if stage.Simulations != number || at < 0 || stage.Shares[at].Fraction != most.Fraction {
				t.Errorf("proved %t, %d simulations: %v is made, and the shares are %+v", proved, number, made, stage)
			}
			if stage.Proved && (!proved || number < 2) || proved && number == 20000 && !stage.Proved {
				t.Errorf("proved %t, %d simulations: %+v", proved, number, stage)
			}
		}
	}
}

func compareParts(a, b Share) int {
	switch {
	case a.Fraction < b.Fraction:
		return -1
	case a.Fraction > b.Fraction:
		return 1
	}
	return 0
}

// checkShares wants each legal move once, and shares that add up to 1.
func checkShares(t *testing.T, rules game.Rules, s game.State, shares []Share) {
	t.Helper()
	sum, legal := 0.0, rules.Moves(nil, s)
	for _, m := range shares {
		sum += float64(m.Fraction)
		if !slices.Contains(legal, m.Move) {
			t.Errorf("%v is not legal in %s", m.Move, rules.Format(s))
		}
	}
	if len(shares) != len(legal) || math.Abs(sum-1) > 1e-5 {
		t.Errorf("%d shares of %d moves, which are %v in all", len(shares), len(legal), sum)
	}
}

// The probabilities are the network's, and moves that lose at once have none if they are not
// searched.
func TestPriors(t *testing.T) {
	w := newWeights(t, "notakto", 3, Encoding{})
	rules := newRules(t, "notakto", 3)
	a := newAgent(t, w, 20)
	value, moves := a.Priors(rules.Start())
	checkShares(t, rules, rules.Start(), moves)
	guess, best := a.Estimate(rules.Start())
	if most := slices.MaxFunc(moves, compareParts); guess != value || best != most.Move {
		t.Errorf("%v and %v by Priors, %v and %v by Estimate", value, most.Move, guess, best)
	}
	w.Search.KeyStates = true
	s, err := rules.Parse("XX./.../.XX")
	if err != nil {
		t.Fatal(err)
	}
	legal := rules.Moves(nil, s)
	_, moves = newAgent(t, w, 20).Priors(s)
	if len(moves) == 0 || len(moves) >= len(legal) {
		t.Errorf("%d of %d moves are searched", len(moves), len(legal))
	}
	for _, m := range moves {
		if _, over := rules.Terminal(rules.Play(s, m.Move)); over {
			t.Errorf("%v loses at once", m.Move)
		}
	}
}

// What cannot be searched is refused, and a context that ends ends the study.
func TestStudyIsRefused(t *testing.T) {
	a := newAgent(t, newWeights(t, "notakto", 3, Encoding{}), 20)
	rules := newRules(t, "notakto", 3)
	over, err := rules.Parse("XXX/.../...")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Study(t.Context(), over, []int{5}); !errors.Is(err, player.ErrOver) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Study(ctx, rules.Start(), []int{5}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
