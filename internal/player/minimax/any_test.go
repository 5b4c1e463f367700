package minimax

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

// stripStates returns all positions of a strip that are not over and that play can
// reach.
func stripStates(rules game.Rules) (states []game.State) {
	seen := map[game.State]bool{}
	var visit func(s game.State)
	visit = func(s game.State) {
		if _, over := rules.Terminal(s); over || seen[s] {
			return
		}
		seen[s] = true
		states = append(states, s)
		for _, m := range rules.Moves(nil, s) {
			visit(rules.Play(s, m))
		}
	}
	visit(rules.Start())
	return states
}

// A game with passes and draws is searched as by looking at everything, to any depth.
func TestTwinOfAnyGame(t *testing.T) {
	rules := gametest.NewStrip(7)
	states := stripStates(rules)
	rapid.Check(t, func(t *rapid.T) {
		checkTwin(t, search.Opaque(rules), rapid.SampledFrom(states).Draw(t, "state"), rapid.IntRange(1, 9).Draw(t, "depth"))
	})
}

// TestStrip keeps the outcome in all positions: wins, draws and losses, and those in
// which the player can only pass.
func TestStrip(t *testing.T) {
	rules := gametest.NewStrip(7)
	a := New(rules, Options{Depth: 12})
	p, err := a.Begin(1)
	if err != nil {
		t.Fatal(err)
	}
	values := map[game.State]game.Outcome{}
	kinds, passes := map[game.Outcome]int{}, 0
	for _, s := range stripStates(rules) {
		m, err := player.Move(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		if m == game.Pass {
			passes++
		}
		before, after := gametest.Value(rules, s, values), gametest.Value(rules, rules.Play(s, m), values)
		if after.Flip() != before {
			t.Errorf("%s was a %v; %s makes it a %v for the other", rules.Format(s), before, rules.FormatMove(m), after)
		}
		kinds[before]++
	}
	if len(kinds) != 3 || passes == 0 {
		t.Errorf("only these positions were seen: %v, with %d passes", kinds, passes)
	}
}

// TestOpaqueIsCore searches by opaque rules and by the grid's core. If both evaluate alike, they
// must find the same moves: the order in which states are searched decides nothing.
func TestOpaqueIsCore(t *testing.T) {
	for _, board := range []struct {
		name     string
		n, depth int
	}{{"notakto", 3, 9}, {"notakto", 4, 5}, {"notakto", 5, 3}, {"quixo", 3, 2}, {"quixo", 4, 2}} {
		grid := probetest.Rules(t, board.name, board.n)
		core := newAgent(Options{Depth: board.depth}, search.New(grid))
		opaque := newAgent(Options{Depth: board.depth}, search.Opaque(game.Opaque[game.Position](grid)))
		opaque.evaluate = func(s game.State) int { return core.evaluate(core.core.Of(s)) }
		for seed := range uint64(5) {
			if got, want := playLine(t, grid, opaque, seed), playLine(t, grid, core, seed); got != want {
				t.Errorf("%s %d, seed %d: %s, by the core %s", board.name, board.n, seed, got, want)
			}
		}
	}
}

// TestWide does not lose at once on a board that is no grid.
func TestWide(t *testing.T) {
	rules, err := games.New("notakto", 9)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rules.Parse("XXXXXXXX./" + "X......../........./........./........./........./........./........./.........")
	if err != nil {
		t.Fatal(err)
	}
	a := New(rules, Options{Depth: 2})
	for seed := range uint64(3) {
		var p player.Player
		if p, err = a.Begin(seed); err != nil {
			t.Fatal(err)
		}
		m, err := player.Move(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		if _, over := rules.Terminal(rules.Play(s, m)); over {
			t.Errorf("seed %d: %s completes a line", seed, rules.FormatMove(m))
		}
	}
}
