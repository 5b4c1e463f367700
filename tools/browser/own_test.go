package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// Games that are defined by their positions are drawn from the rows of their texts, and their
// moves are made by the cells that they name, or from the list.
func TestOwnGames(t *testing.T) {
	v := visit(t, "")
	v.wait("table-list", "Hare and Hounds")
	v.click(`a[href="#hounds/1"]`)
	v.wait("game-status", "Win in 23")
	if rows, cells := eval[int](v, `document.querySelectorAll("game-board [role=row]").length`), eval[int](v, `document.querySelectorAll(".cell").length`); rows != 3 || cells != 15 {
		t.Errorf("the board has %d rows and %d cells", rows, cells)
	}
	v.wantLabel("a2", "a2 O, win in 23")
	v.cells("a2", "b2")
	v.waitHash("#hounds/1?moves=a2b2")
	v.wait("game-status", "Lose in 22")
	v.wait("game-status", "The second player is to move.")
	v.click(`[aria-label^="e2d2,"]`)
	v.waitHash("#hounds/1?moves=a2b2.e2d2")

	v = visit(t, "#connect4-4x4/1?mode=play")
	v.wait(".headline", "Your move")
	v.wait("move-ranking", "a1")
	v.cells("b1")
	v.wait(".headline", "Your move") // after the reply
	v.click("opponent-panel .buttons button:nth-child(2)")
	v.waitHash("#connect4-4x4/1?mode=play&you=first")

	v = visit(t, "#hounds/1?mode=statistics")
	v.wait("table-statistics", "1,111")

	v = visit(t, "#hounds/1?mode=edit")
	v.click("#position-text")
	eval[any](v, `document.querySelector("#position-text").select()`)
	v.do(v.tab.Do(chromedp.SendKeys(chromedp.CSS("#position-text"), ".O.../.O..X/.O...+x o\r")))
	v.waitHash("#hounds/1?mode=edit&p=.O.../.O..X/.O...%2Bx_o")
	v.wait("game-status", "Lose in 22")
}
