package game_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"backsolve/game"
)

// gridOf returns the board of a position.
func gridOf(n int, p game.Position) *game.Grid {
	g := game.NewGrid(n)
	for cell := range g.Cells() {
		if p.X>>uint(cell)&1 == 1 {
			g.Mark(cell)
		}
	}
	return g
}

// Up to 8×8 a grid is what a position is.
func TestGridAgreesWithPosition(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for n := 1; n <= 8; n++ {
		notakto := rules(t, "notakto", n)
		for range 200 {
			// Mostly marked, so that there are complete lines.
			p := game.Position{X: (r.Uint64() | r.Uint64() | r.Uint64()) >> uint(64-n*n)}
			g := gridOf(n, p)
			if g.Format() != notakto.Format(p) || g.Diagram() != game.Diagram(notakto, p) {
				t.Fatalf("written as %s\n%swant %s", g.Format(), g.Diagram(), notakto.Format(p))
			}
			_, over := notakto.Terminal(p)
			if g.Complete() != over {
				t.Fatalf("%s: complete is %v", g.Format(), g.Complete())
			}
			for _, m := range notakto.Moves(nil, p) {
				_, want := notakto.Terminal(notakto.Play(p, m))
				if got := g.CompletedBy(int(m.To)); got != want {
					t.Fatalf("%s: completed by %s is %v", g.Format(), notakto.FormatMove(m), got)
				}
			}
		}
	}
}

func TestParseGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for n := 1; n <= game.MaxGrid; n++ {
		g := game.NewGrid(n)
		for cell := range g.Cells() {
			if r.IntN(2) == 0 {
				g.Mark(cell)
			}
		}
		text := g.Format()
		again, err := game.ParseGrid(n, " "+text+"\n", "")
		if err != nil || again.Format() != text || again.Size() != n {
			t.Fatalf("%s is read as %v, %v", text, again, err)
		}
		for cell := range g.Cells() {
			if again.Marked(cell) != g.Marked(cell) {
				t.Fatalf("%s: cell %d is read as %v", text, cell, again.Marked(cell))
			}
		}
	}
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
		_, err := game.ParseGrid(12, c.text, board)
		checkError(t, err, c.text, c.column, c.reason)
		if len(err.Error()) > 200 {
			t.Errorf("a long example is shown: %v", err)
		}
	}
}

// A copy is a board of its own.
func TestGridClone(t *testing.T) {
	g := game.NewGrid(3)
	c := g.Clone()
	c.Mark(4)
	if g.Marked(4) || !c.Marked(4) || c.Size() != 3 {
		t.Errorf("%s, its copy %s", g.Format(), c.Format())
	}
}

// Rows of two digits keep the columns straight.
func TestGridDiagram(t *testing.T) {
	g := game.NewGrid(10)
	g.Mark(0)
	g.Mark(99)
	lines := strings.Split(g.Diagram(), "\n")
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
