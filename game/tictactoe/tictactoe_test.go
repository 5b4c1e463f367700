package tictactoe

import (
	"errors"
	"testing"

	"backsolve/bitboard"
	"backsolve/game"
)

func parse(t *testing.T, r game.Grid, text string) game.Position {
	t.Helper()
	p, err := r.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTerminal(t *testing.T) {
	r := New(3)
	for _, c := range []struct {
		position string
		outcome  game.Outcome
		over     bool
	}{
		{".../.../... x", game.Draw, false},
		{"XXX/OO./... o", game.Lose, true},
		{"XXX/OO./... x", game.Win, true},
		{"X.O/.X./O.X o", game.Lose, true},
		{"X.O/XO./O.X x", game.Lose, true},
		{"XOX/XOO/OXX o", game.Draw, true},
		{"XOX/XOO/OX. x", game.Draw, false},
		{"XOX/OXO/XOX o", game.Lose, true}, // full, and won with the last mark
		{"XXX/OOO/... o", game.Win, true},  // no game leads there
	} {
		if outcome, over := r.Terminal(parse(t, r, c.position)); outcome != c.outcome || over != c.over {
			t.Errorf("%s: %v, over: %t; want %v, %t", c.position, outcome, over, c.outcome, c.over)
		}
	}
}

// Every game on 3×3 is played: the numbers of games by plies and by result, and of
// positions, are well known.
func TestGamesOf3x3(t *testing.T) {
	r := New(3)
	var plies [10]int
	results := map[game.Outcome]int{} // for X
	positions := map[game.Position]bool{}
	var play func(p game.Position, ply int)
	play = func(p game.Position, ply int) {
		positions[p] = true
		if outcome, over := r.Terminal(p); over {
			plies[ply]++
			if r.Turn(p) == game.O {
				outcome = outcome.Flip()
			}
			results[outcome]++
			return
		}
		for _, m := range r.Moves(nil, p) {
			play(r.Play(p, m), ply+1)
		}
	}
	play(r.Start(), 0)
	if want := [10]int{5: 1440, 6: 5328, 7: 47952, 8: 72576, 9: 127872}; plies != want {
		t.Errorf("games by plies %v, want %v", plies, want)
	}
	if results[game.Win] != 131184 || results[game.Lose] != 77904 || results[game.Draw] != 46080 {
		t.Errorf("results %v, want 131184 wins, 77904 losses, 46080 draws", results)
	}
	if len(positions) != 5478 {
		t.Errorf("%d positions, want 5478", len(positions))
	}
}

func TestIllegalMoves(t *testing.T) {
	r := New(3)
	for _, c := range []struct{ position, move, reason string }{
		{"X../.O./... x", "a3", "a3 is already marked; take an empty cell"},
		{"X../.O./... x", "b2", "b2 is already marked; take an empty cell"},
		{"XXX/OO./... o", "a1", "the game is over, as a line is complete"},
		{"XOX/XOO/OXX o", "a1", "the game is over, as the board is full"},
	} {
		_, err := r.ParseMove(parse(t, r, c.position), c.move)
		var illegal *game.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Move != c.move || illegal.Reason != c.reason {
			t.Errorf("%s in %s: %v, want %s", c.move, c.position, err, c.reason)
		}
	}
}

// Play reaches 5,478 positions of 3×3, 765 up to symmetry, as is published.
func TestReachable(t *testing.T) {
	r := New(3)
	reached, classes := map[game.Position]bool{}, map[game.Position]bool{}
	group := bitboard.SquareGroup(3)
	var visit func(p game.Position)
	visit = func(p game.Position) {
		if reached[p] {
			return
		}
		reached[p] = true
		least := p
		for _, g := range group {
			if image := (game.Position{X: g.Apply(p.X), O: g.Apply(p.O), Mark: p.Mark}); image.X < least.X || image.X == least.X && image.O < least.O {
				least = image
			}
		}
		classes[least] = true
		for _, m := range r.Moves(nil, p) {
			visit(r.Play(p, m))
		}
	}
	visit(r.Start())
	if len(reached) != 5478 || len(classes) != 765 {
		t.Errorf("%d positions, %d up to symmetry, want 5,478 and 765", len(reached), len(classes))
	}
}
