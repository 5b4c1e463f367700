package games

import (
	"strings"
	"testing"

	"backsolve/game"
)

func TestTurnAndWinner(t *testing.T) {
	for _, c := range []struct {
		name     string
		size     int
		position string
		turn     game.Side
		over     bool
		winner   game.Side
	}{
		{"notakto", 3, ".../.../...", game.X, false, 0},
		{"notakto", 3, "X../.../...", game.O, false, 0},
		{"notakto", 3, "XX./.../..X", game.O, false, 0},
		{"notakto", 3, "XXX/.../...", game.O, true, game.O}, // X has completed it
		{"notakto", 3, "XXX/.../..X", game.X, true, game.X},
		{"quixo", 3, ".../.../... x", game.X, false, 0},
		{"quixo", 3, "X../.../... o", game.O, false, 0},
		{"quixo", 3, "XXX/.../... o", game.O, true, game.X},
		{"quixo", 3, "XXX/.../... x", game.X, true, game.X},
		{"quixo", 3, "XXX/.../OOO x", game.X, true, game.X}, // O has completed both
		{"quixo", 3, "XXX/.../OOO o", game.O, true, game.O},
		{"othello", 4, "XO../..../..../.... o", game.O, false, 0}, // O has to pass
		{"othello", 4, "XOOO/..../..../.... x", game.X, true, game.O},
		{"othello", 4, "XO../OX../..../.... x", game.X, false, 0},
		{"othello", 4, "XXXX/XXXX/OOOO/OOOO o", game.O, false, 0}, // a draw
		{"uttt", 9, strings.Repeat("........./", 8) + "XXX...... o -", game.O, false, 0},
		{"uttt", 9, "XXXXXXXXX" + strings.Repeat("/.........", 8) + " o -", game.O, true, game.X},
	} {
		rules, err := New(c.name, c.size)
		if err != nil {
			t.Fatal(err)
		}
		s, err := rules.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		if turn := rules.Turn(s); turn != c.turn {
			t.Errorf("%s %s: %v to move, want %v", c.name, c.position, turn, c.turn)
		}
		if winner, over := game.Winner(rules, s); over != c.over || winner != c.winner {
			t.Errorf("%s %s: %v has won (%v), want %v (%v)", c.name, c.position, winner, over, c.winner, c.over)
		}
	}
}
