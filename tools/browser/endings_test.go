package browser

import (
	"strconv"
	"strings"
	"testing"
)

// ended wants a game that is over to say how, and to mark that number of cells as decisive.
func (v *visitor) ended(headline, reason string, complete int) {
	v.Helper()
	v.wait(".headline", headline)
	v.wait(".detail", reason)
	v.wait("move-ranking", "The game is over")
	if got := eval[int](v, `document.querySelectorAll(".cell.complete").length`); got != complete {
		v.Errorf("%d cells are shown as complete lines, want %d", got, complete)
	}
	if got := eval[string](v, `document.querySelector("#live").textContent`); !strings.Contains(got, headline+". "+reason) {
		v.Errorf("announced is %q", got)
	}
}

// In a game where each player has a mark, a click marks a cell, and a full line wins.
func TestWonByALine(t *testing.T) {
	v := visit(t, "#tictactoe/3")
	v.wait("#board-name", "Tic-tac-toe 3×3")
	v.wait("#rules", "whoever fills a row")
	v.wait(".headline", "Draw")
	v.wait(".detail", "X is to move")
	v.wantLabel("b2", "b2 empty, draw")
	v.cells("b2", "b3", "a1", "c3")
	v.wantLabel("a3", "a3 empty, win in 3") // it threatens two lines, and stops one
	v.cells("a3", "c1", "a2")
	v.waitHash("#tictactoe/3?moves=b2.b3.a1.c3.a3.c1.a2")
	v.wantLabel("a2", "a2 X, last move, part of the complete line")
	v.ended("X has won", "Column a is full of X.", 3)
	v.keys("[")
	v.wait(".headline", "Win in 1")
}

// A game without a winner is shown as a draw, in the analysis and against an
// opponent that never errs.
func TestDrawn(t *testing.T) {
	v := visit(t, "#tictactoe/3?moves=b2")
	v.click("main-line summary")
	v.wait("main-line", "8 steps, then the game is over")
	v.click("main-line li:last-child button")
	v.ended("A draw", "The board is full, and no line is complete.", 0)
	if got := eval[int](v, `document.querySelectorAll("game-status .badge.draw").length`); got != 1 {
		t.Errorf("the status has %d badges of a draw, want 1", got)
	}

	v = visit(t, "#tictactoe/3?mode=play&you=second&values=1")
	for moves := 1; moves < 9; moves += 2 {
		v.wait(".headline", "Your move")
		v.wait(".detail", "Draw. You play as O.")
		v.cells(eval[string](v, `document.querySelector("move-ranking .chip").innerText`))
		v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length > ` + strconv.Itoa(moves+1)))
		v.do(v.tab.Ready())
	}
	v.ended("A draw", "The board is full, and no line is complete.", 0)
}

// In Quixo a line wins for its owner, even if the opponent completed it. With shared
// marks the player who completes a line loses.
func TestWonByTheOpponentsMove(t *testing.T) {
	v := visit(t, "#quixo/3?p=.XX/X../..._o")
	v.cells("a3", "a1")
	v.ended("X has won", "O completed row 3 of X.", 3)
	v.click(`a[data-mode="play"]`)
	v.wait(".headline", "You win")
	v.wait(".detail", "The opponent completed row 3 of X.")

	v = visit(t, "#notakto/4?p=.XXX/..../..../....")
	v.cells("a4")
	v.ended("The first player has won", "The second player completed row 4, and whoever completes a line loses.", 4)
}
