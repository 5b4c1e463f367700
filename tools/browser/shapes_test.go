package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// Boards that are not square and variants are drawn with their rows and columns. Moves are made
// by clicks, and the deciding lines are marked and named.
func TestShapes(t *testing.T) {
	v := visit(t, "")
	v.pick("Notakto", "2×3")
	v.click(`a[href="#notakto/2x3"]`)
	v.wait("game-status", "in ")
	v.wait("#rules", "Whoever completes a row or a column loses.")
	if rows, cells := eval[int](v, `document.querySelectorAll("game-board [role=row]").length`), eval[int](v, `document.querySelectorAll(".cell").length`); rows != 2 || cells != 6 {
		t.Errorf("the board has %d rows and %d cells", rows, cells)
	}
	v.wait("move-ranking", "up to symmetry")
	v.cells("c2", "a1", "a2")
	v.wait(".headline", "The second player has won")
	v.wait(".detail", "The first player completed column a, and whoever completes a line loses.")
	v.wantComplete("a1", "a2")

	for _, end := range []struct {
		fragment, detail string
		complete         []string
	}{
		{"#notakto/3x3,torus,normal?p=.X./X../..X", "The first player completed the diagonal through b3, a2, c1, and whoever completes a line wins.", []string{"a2", "b3", "c1"}},
		{"#tictactoe/3x4,three?p=.XOO/.X../.X.O_o", "The line from b1 to b3 is full of X.", []string{"b1", "b2", "b3"}},
		{"#quixo/2x3,both-draw?p=XXX/OOO_x", "Both players have a complete line.", []string{"a1", "a2", "b1", "b2", "c1", "c2"}},
	} {
		v.do(v.tab.Open(end.fragment))
		v.wait(".detail", end.detail)
		v.wantComplete(end.complete...)
	}

	v.do(v.tab.Open("#tictactoe/3x4,three?mode=edit"))
	v.cells("d1", "d1")
	v.waitHash("#tictactoe/3x4,three?mode=edit&p=..../..../...O_x")
	v.do(v.tab.Open("#tictactoe/3x4,three?mode=play&you=both"))
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wait("#toast", "Hint: ")
	v.do(v.tab.Open("#quixo/2x3,both-draw"))
	v.cells("a1", "c1")
	v.waitHash("#quixo/2x3,both-draw?moves=a1c1")
	v.wantLabel("c1", "c1 X, last move")
}

// wantComplete checks which cells are in a complete line.
func (v *visitor) wantComplete(want ...string) {
	v.Helper()
	got := eval[[]string](v, `[...document.querySelectorAll(".cell.complete")].map((cell) => cell.dataset.cell).sort()`)
	if len(got) != len(want) {
		v.Fatalf("%q are in a complete line, want %q", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			v.Errorf("%q are in a complete line, want %q", got, want)
		}
	}
}

// Boards of different sides have cells of one size, each board with its own names, on a desktop
// and on a phone.
func TestBoardsOfDifferentSides(t *testing.T) {
	for _, screen := range []struct{ width, height int64 }{{1366, 768}, {390, 844}} {
		v := visitOn(t, server, "#notakto-boards/3+4+1", screen.width, screen.height, chromedp.EmulateMobile)
		v.wait("game-status", "in ")
		if got := eval[[]int](v, `[...document.querySelectorAll(".small")].map((board) => board.querySelectorAll(".cell").length)`); len(got) != 3 || got[0] != 9 || got[1] != 16 || got[2] != 1 {
			t.Fatalf("the boards have %d cells", got)
		}
		widths := eval[[]float64](v, `["1a1", "2a1", "3a1"].map((name) => document.querySelector('[data-cell="' + name + '"]').getBoundingClientRect().width)`)
		if widths[0] < 30 || widths[1] < widths[0]*0.9 || widths[2] > widths[0]*1.15 {
			t.Errorf("cells are %v pixels wide", widths)
		}
		if wide := eval[int64](v, "document.documentElement.scrollWidth"); wide > screen.width {
			t.Errorf("the page is %d pixels wide", wide)
		}
		v.cells("2d4", "3a1")
		v.do(v.tab.Wait(`location.hash === "#notakto-boards/3+4+1?moves=2d4.3a1"`))
		v.wantLabel("2d4", "2d4 X")
		if got := eval[string](v, `document.querySelector('.small[data-board="3"]').ariaLabel`); got != "Board 3, dead" {
			t.Errorf("the full board is called %q", got)
		}
	}
	v := visit(t, "#notakto-boards/3+4?mode=edit")
	v.cells("2a1")
	v.do(v.tab.Wait(`location.hash.endsWith("p=.../.../...%2B..../..../..../X...")`))
	v.do(v.tab.Open("#notakto-boards/3+4?mode=play"))
	v.cells("2b2")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.do(v.tab.Open("#notakto-boards/3+9"))
	v.wait("page-notice", "3+9")
	v.expectProblems("404")
}
