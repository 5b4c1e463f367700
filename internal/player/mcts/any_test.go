package mcts

import (
	"testing"

	"pgregory.net/rapid"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/gametest"
	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// A game with passes and draws is searched as the twin does.
func TestTwinOfAnyGame(t *testing.T) {
	rules := gametest.NewStrip(9)
	checkTwin(t, search.Opaque(rules), func(t *rapid.T) game.State {
		s := rules.Start()
		for range rapid.IntRange(0, 6).Draw(t, "plies") {
			after := rules.Play(s, rapid.SampledFrom(rules.Moves(nil, s)).Draw(t, "move"))
			if _, over := rules.Terminal(after); over {
				break
			}
			s = after
		}
		return s
	})
}

// TestOpaqueIsPlain plays the same games of Notakto by opaque rules and by the grid's plain ones:
// their moves come in the same order, and so do random draws.
func TestOpaqueIsPlain(t *testing.T) {
	for n := 3; n <= 4; n++ {
		grid := probetest.Rules(t, "notakto", n)
		rules := game.Opaque[game.Position](grid)
		for _, o := range []Options{{}, {Iterations: 50}, {Iterations: 200, KeepTree: true}} {
			plain := &agent[search.Masks]{o, rules, search.Plain(grid)}
			opaque := &agent[game.State]{o, rules, search.Opaque(rules)}
			for seed := range uint64(5) {
				if got, want := playGame(t, grid, opaque, seed), playGame(t, grid, plain, seed); got != want {
					t.Errorf("%v on %v, seed %d: %s, by plain rules %s", o, rules.Info(), seed, got, want)
				}
			}
		}
	}
}

// TestStrip wants that nearly all moves keep the outcome, passes among them.
func TestStrip(t *testing.T) {
	rules := gametest.NewStrip(7)
	a, err := New(rules, Options{Iterations: 1000})
	if err != nil {
		t.Fatal(err)
	}
	good, passes, all := 0, 0, 0
	values := map[game.State]game.Outcome{}
	for seed := range uint64(20) {
		mover := begin(t, a, seed)
		for s := rules.Start(); len(rules.Moves(nil, s)) > 0; {
			m, err := player.Move(t.Context(), mover, s)
			if err != nil {
				t.Fatal(err)
			}
			if m == game.Pass {
				passes++
			}
			after := rules.Play(s, m)
			if all++; gametest.Value(rules, after, values).Flip() == gametest.Value(rules, s, values) {
				good++
			}
			s = after
		}
	}
	if good < all*95/100 || passes == 0 {
		t.Errorf("%d of %d moves keep the outcome, %d are passes", good, all, passes)
	}
}

// A position may have more moves than a byte counts.
func TestManyMoves(t *testing.T) {
	rules, err := games.New("notakto", 16)
	if err != nil {
		t.Fatal(err)
	}
	core := search.Opaque(rules)
	tree := newTree(core, 1)
	tree.reset(rules.Start())
	for range 16*16 + 1 {
		tree.iterate()
	}
	moves := map[game.Move]bool{}
	for _, e := range tree.tried(0) {
		moves[e.move] = true
	}
	if len(moves) != 16*16 || len(tree.nodes) != 16*16+2 {
		t.Errorf("of %d moves %d were tried, and there are %d nodes", 16*16, len(moves), len(tree.nodes))
	}
}
