package browser

import (
	"fmt"
	"strings"
	"testing"
)

// The first player wins Notakto 3×3; here they play the page's best moves.
func TestWinAgainstTheOpponent(t *testing.T) {
	v := visit(t, "#notakto/3?mode=play&you=first&values=1")
	moves := 0
	for ; !eval[bool](v, `document.querySelector(".headline").innerText.startsWith("You ")`); moves++ {
		if moves > 5 {
			t.Fatal("the game does not end")
		}
		v.wait(".headline", "Your move")
		best := eval[string](v, `document.querySelector("move-ranking .chip").innerText`)
		v.cells(best)
		v.do(v.tab.Wait(fmt.Sprintf("document.querySelectorAll('move-history li').length > %d", 2*moves+1)))
		v.do(v.tab.Ready())
	}
	v.wait(".headline", "You win")
	v.wait(".detail", "The opponent completed")
	if got := eval[string](v, `document.querySelector("#live").textContent`); !strings.Contains(got, "You win. The opponent completed") {
		t.Errorf("announced is %q", got)
	}
	if got := eval[int](v, `document.querySelectorAll(".cell.complete").length`); got < 3 {
		t.Errorf("%d cells are shown as the complete line", got)
	}
	v.click("opponent-panel .primary")
	v.waitHash("#notakto/3?mode=play&you=first&values=1")
	v.wait(".headline", "Your move")
}

// Values are hidden while playing; a hint shows the best move; taking back undoes your move and
// the reply.
func TestHiddenValues(t *testing.T) {
	v := visit(t, "#quixo/3?mode=play&you=first")
	v.wantLabel("a1", "a1 blank, can be taken")
	if got := eval[int](v, `document.querySelectorAll(".cell.takeable").length`); got != 8 {
		t.Errorf("%d tiles are marked as those that can be taken, want the 8 of the border", got)
	}
	v.wait("board-legend", "can be taken")
	if got := eval[int](v, `document.querySelectorAll("game-board .badge, game-status .badge").length`); got != 0 {
		t.Errorf("%d values are shown", got)
	}
	if eval[bool](v, `[...document.querySelectorAll("move-ranking, main-line")].some((e) => e.checkVisibility())`) {
		t.Error("the ranked moves or the main line are shown")
	}
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wait("#toast", "Hint: take a1")
	v.wantLabel("a1", "a1 blank, can be taken, hint: take this tile")
	to := eval[string](v, `document.querySelector(".cell.hint-put").dataset.cell`)
	v.wantLabel(to, to+" blank, can be taken, hint: push it in here")
	outline := `((cell) => getComputedStyle(document.querySelector(cell + " .tile-base")).strokeDasharray)`
	if eval[bool](v, outline+`(".cell.hint-take") === `+outline+`(".cell.hint-put")`) {
		t.Error("the two outlines of a hint are the same")
	}
	if got := eval[int](v, `document.querySelectorAll(".arrow.hint").length`); got != 1 {
		t.Errorf("%d arrows show the hint, want 1", got)
	}
	v.cells("a1", "a3")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.do(v.tab.Ready())
	v.wait(".headline", "Your move")
	v.click("opponent-panel .buttons button:nth-child(2)")
	v.do(v.tab.Wait(`location.hash.startsWith("#quixo/3?mode=play&lines=0.a1a3.")`))
	v.do(v.tab.Ready())
	v.wantLabel("a3", "a3 blank, can be taken")
	v.click("#values")
	v.wantLabel("a3", "a3 blank, win in 7")
}

// Going back from a game returns to before your move, and the opponent does not answer moves that
// were not played.
func TestBackInAGame(t *testing.T) {
	v := visit(t, "#notakto/4?mode=play&you=first")
	v.cells("a1")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.do(v.tab.Ready())
	eval[any](v, "history.back()")
	v.waitHash("#notakto/4?mode=play&you=first")
	v.wantLabel("a1", "a1 empty, a move")
	eval[any](v, "history.forward()")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
}

// The opponent begins if the user plays second, at the chosen strength.
func TestOpponentBegins(t *testing.T) {
	v := visitOn(t, serve(t), "#quixo/3?mode=play", 1200, 900) // which keeps the choices
	v.choose("#level", "casual")
	v.waitHash("#quixo/3?mode=play&you=first&policy=shortest&blunder=0.35")
	v.choose("#level", "custom")
	v.choose("#blunder", "20")
	v.waitHash("#quixo/3?mode=play&you=first&policy=shortest&blunder=0.2")
	v.choose("#policy", "optimal")
	v.waitHash("#quixo/3?mode=play&you=first&policy=optimal&blunder=0.2")
	v.choose("#side", "second")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 2`))
	v.do(v.tab.Ready())
	v.wait(".headline", "Your move")
	v.wait(".detail", "You play as O")
	if got := eval[string](v, "location.hash"); !strings.Contains(got, "you=second&policy=optimal&blunder=0.2") {
		t.Errorf("the address is %s", got)
	}
}

// An unfinished game continues from the first page. Once it is over, another level or side begins a new one.
func TestContinue(t *testing.T) {
	v := visit(t, "#tictactoe/3?mode=play")
	v.wait(".headline", "Your move")
	if eval[bool](v, `document.querySelector("move-ranking").checkVisibility()`) {
		t.Error("there is a list of moves that shows nothing")
	}
	v.cells("b2")
	v.wait(".headline", "Your move") // after the reply
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.click("#open-help")
	v.wait("#help-open", "Tic-tac-toe 3×3")
	v.click("#help [data-close]")
	v.click(".brand")
	v.wait("#continue", "Continue: Tic-tac-toe 3×3, move 3")
	v.click("#continue")
	v.wait("#board-name", "Tic-tac-toe 3×3")
	v.do(v.tab.Open("#tictactoe/3?mode=play&you=first&moves=a1.a2.b1.b2.c1"))
	v.wait(".headline", "You win")
	v.choose("#side", "second")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 2`)) // the opponent begins
	v.wait(".headline", "Your move")
	v.click(".brand")
	v.wait("table-list", "Tic-tac-toe")
}
