package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Games of their own are drawn as they say, and moves are made by clicks.
func TestOwnGames(t *testing.T) {
	v := visit(t, "")
	v.wait("table-list", "Hare and Hounds")
	v.click(`a[href="#hounds/1"]`)
	v.wait("game-status", "Win in 23")
	v.wait("game-status", "Hounds to move.")
	if points, lines := eval[int](v, `document.querySelectorAll(".cell").length`), eval[int](v, `document.querySelectorAll(".surface .lines polyline").length`); points != 11 || lines != 8 {
		t.Errorf("the board has %d points and %d lines", points, lines)
	}
	v.wantLabel("a2", "a2 hound, win in 23")
	v.wantLabel("e2", "e2 hare")
	v.cells("a2", "b2")
	v.waitHash("#hounds/1?moves=a2b2")
	v.wait("game-status", "Lose in 22")
	v.wait("game-status", "Hare to move.")
	v.click(`[aria-label^="e2d2,"]`)
	v.waitHash("#hounds/1?moves=a2b2.e2d2")
	v.do(v.tab.Open("#hounds/1?p=...../..OOX/...O.%2Bx_o"))
	v.wait("game-status", "Hare to move.")
	v.do(v.tab.Open("#hounds/1?p=...O./...OX/...O.%2Bx_o"))
	v.wait(".headline", "Winner: hounds")
	v.wait(".detail", "The hounds have caught the hare.")

	v = visit(t, "#hounds/1?mode=statistics")
	v.wait("table-statistics", "1,111")

	v = visit(t, "#hounds/1?mode=puzzle&seed=1")
	v.wait("puzzle-panel", "One move wins: find it.")

	v = visit(t, "#hounds/1?mode=edit")
	v.click("#position-text")
	eval[any](v, `document.querySelector("#position-text").select()`)
	v.do(v.tab.Do(chromedp.SendKeys(chromedp.CSS("#position-text"), ".O.../.O..X/.O...+x o\r")))
	v.waitHash("#hounds/1?mode=edit&p=.O.../.O..X/.O...%2Bx_o")
	v.wait("game-status", "Lose in 22")
}

// A disc falls wherever its column is clicked.
func TestColumns(t *testing.T) {
	v := visit(t, "#connect4-4x4/1?mode=play")
	v.wait(".headline", "Your move")
	v.cells("b3")
	v.do(v.tab.Wait(`location.hash.startsWith("#connect4-4x4/1?mode=play&moves=b1.")`))
	v.wait(".headline", "Your move") // after the reply
	v.click("opponent-panel .buttons button:nth-child(2)")
	v.do(v.tab.Wait(`location.hash.startsWith("#connect4-4x4/1?mode=play&lines=0.b1.")`))
	v.do(v.tab.Open("#connect4-4x4/1?moves=a1.a2.b1.b2.c1.c2.d1"))
	v.wait(".headline", "Winner: yellow")
	v.wait(".detail", "Four in a row.")
}

// The points of Six Men's Morris have the names that their moves have.
func TestPoints(t *testing.T) {
	v := visit(t, "#morris-3/1")
	v.wait("game-status", "Black to move.")
	v.cells("a5", "b4", "c5", "c4")
	v.waitHash("#morris-3/1?moves=a5.b4.c5.c4")
	v.wantLabel("a5", "a5 black")
	v.wantLabel("c4", "c4 white, last move")
	v.cells("e5", "c4") // three in a row take a man
	v.waitHash("#morris-3/1?moves=a5.b4.c5.c4.e5c4")
	v.do(v.tab.Wait(`document.querySelector("[data-cell=c4] .hidden").textContent.startsWith("c4 empty")`))
}

// Pieces in hand lie beside the board; both players see it from the same side.
func TestHands(t *testing.T) {
	v := visit(t, "#dobutsu/1?moves=b2b3.c4b3")
	v.wait("game-status", "Forest to move.")
	v.wantLabel("b1", "b1 lion, can be taken")
	v.wantLabel("=C", "in hand: chick, can be taken")
	v.cells("=C", "a2")
	v.waitHash("#dobutsu/1?moves=b2b3.c4b3.a2")
}

// A square of chocolate goes with all to the right of it and below; dominoes cover two cells; pins go by one or two.
func TestOtherBoards(t *testing.T) {
	v := visit(t, "#chomp-4x4/1")
	v.wait("game-status", "Win in 8")
	v.cells("b3")
	v.waitHash("#chomp-4x4/1?moves=b3")
	if got := eval[int](v, `document.querySelectorAll(".cell .block").length`); got != 7 {
		t.Errorf("%d squares are left, want 7", got)
	}
	v.do(v.tab.Open("#domineering-4x4/1"))
	v.wait("game-status", "Win in 7")
	v.cells("a1", "a2")
	v.waitHash("#domineering-4x4/1?moves=a2a1")
	v.do(v.tab.Open("#kayles-20/1"))
	v.wait("game-status", "Win in 19")
	v.cells("a10", "a11")
	v.waitHash("#kayles-20/1?moves=9/9")
	v.cells("b9", "b9") // a pin alone
	v.waitHash("#kayles-20/1?moves=9/9.8/9")
}

// A tile is dragged from point to point.
func TestDragOnPoints(t *testing.T) {
	v := visit(t, "#hounds/1")
	v.wait("game-status", "Win in 23")
	v.drag("a2", "b2")
	v.waitHash("#hounds/1?moves=a2b2")
}

// Each game has a picture of its own, of a position that its rules allow.
func TestPictures(t *testing.T) {
	v := visit(t, "")
	v.wait("table-list", "Hare and Hounds")
	pictures := eval[map[string]string](v, `Object.fromEntries([...document.querySelectorAll(".game-card")].map((card) => [card.querySelector("h2").textContent, card.querySelector(".picture").innerHTML]))`)
	by := map[string]string{}
	for game, picture := range pictures {
		if other, ok := by[picture]; ok && !strings.HasPrefix(game, "Nim") && !strings.HasPrefix(game, "Dawson") {
			t.Errorf("%s and %s have the same picture", game, other)
		}
		by[picture] = game
		if strings.Contains(picture, "<text class=\"seat\"") {
			t.Errorf("the picture of %s is a letter", game)
		}
	}
	if picture := pictures["Notakto"]; strings.Contains(picture, "mark-o") || !strings.Contains(picture, "mark-x") {
		t.Error("Notakto has a mark that is not in it")
	}
	if n := strings.Count(pictures["Hare and Hounds"], "animal first"); n != 3 {
		t.Errorf("%d hounds are in the picture", n)
	}
	v.wait("table-list", "The second player wins")
	v.wait("table-list", "Winner: hounds in 23 steps")
}
