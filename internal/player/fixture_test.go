package player

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"backsolve/game"
	"backsolve/game/games"
	"backsolve/game/notakto"
	"backsolve/internal/probe"
	"backsolve/internal/probe/probetest"
)

// boards are those whose tables the tests use.
var boards = []struct {
	name string
	size int
}{
	{"quixo", 2}, {"quixo", 3}, {"quixo", 4},
	{"notakto", 1}, {"notakto", 2}, {"notakto", 3}, {"notakto", 4}, {"notakto", 5},
}

// forEachBoard runs a test with the table, with steps, of each board.
func forEachBoard(t *testing.T, test func(t *testing.T, table *probe.Table)) {
	for _, b := range boards {
		t.Run(fmt.Sprintf("%s-%d", b.name, b.size), func(t *testing.T) { test(t, open(t, b.name, b.size, true)) })
	}
}

// open opens the table of a board for the length of the test.
func open(t testing.TB, name string, n int, steps bool) *probe.Table {
	t.Helper()
	if testing.Short() && (name == "quixo" && n == 4 || name == "notakto" && n == 5) {
		t.Skip("solving it takes long under the race detector")
	}
	return probetest.Open(t, probetest.Rules(t, name, n), 0, steps)
}

// opaque returns the rules of a grid as agents take them.
func opaque(rules game.Grid) game.Rules { return game.Opaque[game.Position](rules) }

// newRules returns the rules of a game on a board.
func newRules(t testing.TB, name string, n int) game.Rules {
	t.Helper()
	rules, err := games.New(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// pairing returns the agent that plays Notakto by the pairing.
func pairing(t testing.TB, rules game.Rules) Agent {
	t.Helper()
	a, err := ByFormula(rules, notakto.Pairing)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// parse reads a position that the test knows to be right.
func parse(t testing.TB, rules game.Grid, text string) game.Position {
	t.Helper()
	p, err := rules.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// perfect returns an agent that plays by a table.
func perfect(t testing.TB, table *probe.Table, s Strength) Agent {
	t.Helper()
	a, err := Perfect(opaque(table.Rules()), table, s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// begin begins a game for an agent.
func begin(t testing.TB, a Agent, seed uint64) Player {
	t.Helper()
	p, err := a.Begin(seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// move returns the move of a player, which must be legal.
func move[S comparable](t testing.TB, rules game.RulesOf[S], mover Player, p S) game.Move {
	t.Helper()
	m, err := Move(t.Context(), mover, p)
	if err != nil {
		t.Fatalf("%s: %v", rules.Format(p), err)
	}
	if _, err := rules.ParseMove(p, rules.FormatMove(m)); err != nil {
		t.Fatalf("%s: %v", rules.Format(p), err)
	}
	return m
}

// play plays a game to a number of plies, or until it is over, and returns its
// positions and moves.
func play[S comparable](t testing.TB, rules game.RulesOf[S], p S, plies int, players ...Player) (positions []S, moves []game.Move) {
	t.Helper()
	positions = []S{p}
	for i := range plies {
		if _, over := rules.Terminal(p); over {
			break
		}
		m := move(t, rules, players[i%len(players)], p)
		p = rules.Play(p, m)
		positions, moves = append(positions, p), append(moves, m)
	}
	return positions, moves
}

// random returns the generator of a test's positions.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }
