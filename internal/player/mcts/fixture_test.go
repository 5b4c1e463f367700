package mcts

import (
	"testing"

	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

func newAgent(t testing.TB, rules game.Grid, o Options) player.Agent {
	t.Helper()
	a, err := New(game.Opaque[game.Position](rules), o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func begin(t testing.TB, a player.Agent, seed uint64) player.Player {
	t.Helper()
	p, err := a.Begin(seed)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// move returns the move of a player, which must be legal.
func move(t testing.TB, rules game.Grid, mover player.Player, p game.Position) game.Move {
	t.Helper()
	m, err := player.Move(t.Context(), mover, p)
	if err != nil {
		t.Fatalf("%s: %v", rules.Format(p), err)
	}
	if _, err := rules.ParseMove(p, rules.FormatMove(m)); err != nil {
		t.Fatalf("%s: %v", rules.Format(p), err)
	}
	return m
}

// scripted is a game made up for a test: states are numbers, and playouts end as listed here.
type scripted struct {
	children map[uint64][]uint64       // of each state, 100 and more for a terminal one
	over     map[uint64]game.Outcome   // of each terminal state, for its player
	playouts map[uint64][]game.Outcome // of each state, in turn, for its player
}

func (g *scripted) Of(s game.State) search.Masks { return s.(search.Masks) }

// Hash is the same for several states.
func (g *scripted) Hash(s search.Masks) uint64 { return s.Mover % 3 << 62 }

func (g *scripted) Terminal(s search.Masks) (game.Outcome, bool) {
	outcome, over := g.over[s.Mover]
	return outcome, over
}

func (g *scripted) Moves(buf []game.Move, s search.Masks) []game.Move {
	for i := range g.children[s.Mover] {
		buf = append(buf, game.Move{From: uint8(i), To: uint8(i)})
	}
	return buf
}

func (g *scripted) Play(s search.Masks, m game.Move) search.Masks {
	return search.Masks{Mover: g.children[s.Mover][m.To]}
}

func (g *scripted) Playout(s search.Masks, _ *search.Rand) game.Outcome {
	ends := g.playouts[s.Mover]
	g.playouts[s.Mover] = ends[1:]
	return ends[0]
}
