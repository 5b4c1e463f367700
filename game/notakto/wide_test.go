package notakto

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"backsolve/game"
)

// Up to 8×8 a wide position agrees with a position of masks.
func TestWideAgreesWithGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := 1; n <= MaxGrid; n++ {
		grid, wide := New(n), NewWide(n)
		for range 200 {
			// Mostly marked, so that there are complete lines.
			p := game.Position{X: (r.Uint64() | r.Uint64() | r.Uint64()) >> uint(64-n*n)}
			w, err := wide.Parse(grid.Format(p))
			if err != nil || wide.Format(w) != grid.Format(p) || wide.Diagram(w) != grid.Diagram(p) || wide.Turn(w) != grid.Turn(p) {
				t.Fatalf("%s is read as %s, %v\n%s", grid.Format(p), wide.Format(w), err, wide.Diagram(w))
			}
			outcome, over := grid.Terminal(p)
			if got, wideOver := wide.Terminal(w); got != outcome || wideOver != over {
				t.Fatalf("%s: %v, over: %v", wide.Format(w), got, wideOver)
			}
			checkWideMoves(t, grid, p, wide, w)
		}
	}
}

// checkWideMoves compares the moves of a position, where they lead and what ends the game.
func checkWideMoves(t *testing.T, grid game.Grid, p game.Position, wide *WideRules, w Wide) {
	t.Helper()
	want, got := grid.Moves(nil, p), wide.Moves(nil, w)
	if len(want) != len(got) {
		t.Fatalf("%s: %d moves, want %d", wide.Format(w), len(got), len(want))
	}
	for i, m := range want {
		next := grid.Play(p, m)
		if grid.FormatMove(m) != wide.FormatMove(got[i]) || grid.Format(next) != wide.Format(wide.Play(w, got[i])) {
			t.Fatalf("%s: the move %s to %s, want %s", wide.Format(w), wide.FormatMove(got[i]), wide.Format(wide.Play(w, got[i])), grid.FormatMove(m))
		}
		if _, over := grid.Terminal(next); over != w.CompletedBy(int(m.To)) {
			t.Fatalf("%s: completed by %s is %v", wide.Format(w), grid.FormatMove(m), !over)
		}
	}
}

// What is too large for masks is read as strictly, and long examples are not shown.
func TestParseWide(t *testing.T) {
	row := strings.Repeat(".", 12)
	board := row + strings.Repeat("/"+row, 11)
	for _, c := range []struct {
		text   string
		column int
		reason string
	}{
		{strings.Repeat(row+"/", 10) + row, 143, "the board ends after 11 rows, but the 12×12 board has 12"},
		{board[:154] + "O", 155, "every mark is an X in this game"},
		{board + " x", 156, "nothing follows the board, as this game has no sides"},
		{board[1:], 12, "row 1 from the top has 11 cells, but a row of the 12×12 board has 12"},
	} {
		_, err := NewWide(12).Parse(c.text)
		var syntax *game.SyntaxError
		if !errors.As(err, &syntax) || syntax.Column != c.column || !strings.HasPrefix(syntax.Reason, c.reason) {
			t.Errorf("%.20s…: %v, want column %d: %s", c.text, err, c.column, c.reason)
			continue
		}
		if len(err.Error()) > 200 {
			t.Errorf("a long example is shown: %v", err)
		}
	}
}

// Moves are refused with the reason.
func TestWideIllegalMoves(t *testing.T) {
	r := NewWide(12)
	w := r.Start().Mark(0)
	full := w
	for col := range 12 {
		full = full.Mark(col)
	}
	for _, c := range []struct {
		w         Wide
		text, why string
	}{
		{w, "a12", "a12 is already marked; take an empty cell"},
		{full, "b1", "the game is over, as a line is complete"},
	} {
		_, err := r.ParseMove(c.w, c.text)
		var illegal *game.IllegalMoveError
		if !errors.As(err, &illegal) || illegal.Reason != c.why {
			t.Errorf("%s: %v, want: %s", c.text, err, c.why)
		}
	}
}

// Rows of two digits keep the columns straight.
func TestWideDiagram(t *testing.T) {
	r := NewWide(10)
	lines := strings.Split(r.Diagram(r.Start().Mark(0).Mark(99)), "\n")
	for i, want := range map[int]string{
		0:  "10  X . . . . . . . . .",
		1:  " 9  . . . . . . . . . .",
		9:  " 1  . . . . . . . . . X",
		10: "    a b c d e f g h i j",
		11: "",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %q, want %q", i, lines[i], want)
		}
	}
}
