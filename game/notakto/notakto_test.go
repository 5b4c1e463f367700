package notakto

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
	"backsolve/game"
)

// complete looks for a line mark by mark in the text of a position.
func complete(text string) bool {
	rows := strings.Split(text, "/")
	n := len(rows)
	down, up := true, true
	for i := range n {
		row, col := true, true
		for j := range n {
			row = row && rows[i][j] == 'X'
			col = col && rows[j][i] == 'X'
		}
		if row || col {
			return true
		}
		down = down && rows[i][i] == 'X'
		up = up && rows[i][n-1-i] == 'X'
	}
	return down || up
}

func checkRules(t interface{ Fatalf(string, ...any) }, r game.Grid, p game.Position) {
	text := r.Format(p)
	outcome, over := r.Terminal(p)
	if over != complete(text) || over && outcome != game.Win {
		t.Fatalf("%s: %v, %t", text, outcome, over)
	}
	moves := r.Moves(nil, p)
	if over {
		if len(moves) != 0 {
			t.Fatalf("%s is over, but has the moves %v", text, moves)
		}
		return
	}
	if want := strings.Count(text, "."); len(moves) != want {
		t.Fatalf("%s: %d moves, want %d", text, len(moves), want)
	}
	for _, m := range moves {
		next := r.Play(p, m)
		// The cell's name says where the text changes.
		name, n := r.FormatMove(m), r.Size()
		at := (n-int(name[1]-'0'))*(n+1) + int(name[0]-'a')
		if want := text[:at] + "X" + text[at+1:]; text[at] != '.' || r.Format(next) != want {
			t.Fatalf("%s: %s leads to %s", text, name, r.Format(next))
		}
	}
}

func TestAllSmallPositions(t *testing.T) {
	for n := 1; n <= 4; n++ {
		r := New(n)
		for mask := range uint64(1) << uint(n*n) {
			checkRules(t, r, game.Position{X: mask})
		}
	}
}

func TestLargePositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(rapid.IntRange(5, 8).Draw(t, "n"))
		x := rapid.Uint64().Draw(t, "x") & bitboard.All(r.Size())
		checkRules(t, r, game.Position{X: x})
		line := rapid.SampledFrom(bitboard.Lines(r.Size())).Draw(t, "line")
		checkRules(t, r, game.Position{X: x | line})
	})
}

func TestIllegalMoves(t *testing.T) {
	r := New(3)
	for _, c := range []struct{ position, move, reason string }{
		{"X../.../...", "a3", "a3 is already marked; take an empty cell"},
		{"XXX/.../...", "a1", "the game is over, as a line is complete"},
	} {
		p, err := r.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.ParseMove(p, c.move)
		var illegal *game.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Move != c.move || illegal.Reason != c.reason {
			t.Errorf("%s in %s: %v, want %s", c.move, c.position, err, c.reason)
		}
	}
}
