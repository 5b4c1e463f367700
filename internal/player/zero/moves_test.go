package zero

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
)

// Positions searched side by side get the moves of players that search one after another,
// whatever the search.
func TestMovesSideBySide(t *testing.T) {
	for name, change := range map[string]func(*Search){
		"plain":      func(*Search) {},
		"graph":      func(o *Search) { o.Graph, o.KeyStates, o.Discount = true, true, 0.98 },
		"proofs":     func(o *Search) { o.Proved, o.EachOnce = true, true },
		"keeps":      func(o *Search) { o.Keep = true },
		"no search":  func(o *Search) { o.Simulations = 0 },
		"simulation": func(o *Search) { o.Simulations = 1 },
	} {
		w := newWeights(t, "quixo", 3, Encoding{})
		w.Network.Init(rand.New(rand.NewPCG(1, 2)))
		w.Search.Simulations = 20
		change(&w.Search)
		a := newAgent(t, w, w.Search.Simulations)
		positions := openPositions(t, "quixo", 3, maxBatch+maxBatch/2)
		moves, err := a.Moves(t.Context(), positions)
		if err != nil || len(moves) != len(positions) {
			t.Fatal(name, len(moves), err)
		}
		for i, s := range positions {
			if want := moveOf(t, a, s); moves[i] != want {
				t.Fatalf("%s: number %d has %v, want %v", name, i, moves[i], want)
			}
		}
	}
}

// openPositions returns positions of random games.
func openPositions(t *testing.T, name string, n, count int) (all []game.State) {
	rules, r := newRules(t, name, n), rand.New(rand.NewPCG(3, 4))
	for s := rules.Start(); len(all) < count; {
		if _, over := rules.Terminal(s); over {
			s = rules.Start()
		}
		all = append(all, s)
		moves := rules.Moves(nil, s)
		s = rules.Play(s, moves[r.IntN(len(moves))])
	}
	return all
}

func TestMovesAreRefused(t *testing.T) {
	a, rules := newAgent(t, newWeights(t, "nim", 1, Encoding{}), 5), newRules(t, "nim", 1)
	start := rules.Start()
	if _, err := a.Moves(t.Context(), []game.State{start, rules.Play(start, rules.Moves(nil, start)[0])}); !errors.Is(err, player.ErrOver) {
		t.Errorf("of a game that is over: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Moves(ctx, []game.State{start}); !errors.Is(err, context.Canceled) {
		t.Errorf("when it is cancelled: %v", err)
	}
	if moves, err := a.Moves(t.Context(), nil); len(moves) != 0 || err != nil {
		t.Errorf("of no positions: %v, %v", moves, err)
	}
}
