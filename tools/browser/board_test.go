package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Every table is listed, with what is known about it before it is opened.
func TestTables(t *testing.T) {
	v := visit(t, "")
	v.pick("Quixo", "3×3")
	v.wait("table-list", "X wins in 7 steps")
	v.pick("Tic-tac-toe", "3×3")
	v.wait("table-list", "; the longest win takes 5 steps")
	v.pick("Notakto", "5×5 after c3")
	v.wait("table-list .broken", "quixo-2x2.tb")
	if reason := eval[string](v, `document.querySelector(".broken dd").innerText`); len(reason) < 20 {
		t.Errorf("the reason of a broken table is %q", reason)
	}
	v.click(`a[href="#notakto/5?after=c3"]`)
	v.wait("#board-name", "Notakto 5×5 after c3")
	v.wantLabel("c3", "c3 X")
	v.wait("game-status", "Lose")
}

// What needs no answer is shown while the server is asked, and the games are requested once.
func TestIntroBeforeTheTables(t *testing.T) {
	v := visit(t, "")
	v.before(`{
		const ask = window.fetch;
		window.asked = [];
		const answered = sessionStorage.getItem("wait") && new Promise((done) => (window.answer = done));
		window.fetch = async (address, how) => {
			asked.push(address);
			await answered;
			return ask(address, how);
		};
	}`)
	eval[any](v, `sessionStorage.setItem("wait", "1")`)
	v.do(v.tab.Do(chromedp.Reload()))
	v.wait(".intro", "Games, solved")
	v.do(v.tab.Wait("asked.length >= 2"))
	if got := eval[string](v, `asked.join() + document.querySelectorAll(".cards > li").length`); got != "v1/games,v1/tables0" {
		t.Errorf("before an answer the server is asked for, and shown are %s", got)
	}
	eval[any](v, "answer()")
	v.do(v.tab.Ready())
	v.wait(".cards", "Quixo")
}

// In Notakto the value is on the empty cell, and a click plays there.
func TestNotaktoValues(t *testing.T) {
	v := visit(t, "#notakto/3")
	v.wait("game-status", "Win in 6")
	v.wantLabel("b2", "b2 empty, win in 6")
	v.wantLabel("a1", "a1 empty, lose in 7")
	if got := eval[string](v, `document.querySelector('[data-cell="b2"] .badge').textContent`); got != "W6" {
		t.Errorf("the badge says %q, want W6", got)
	}
	shape := func(name string) string {
		return eval[string](v, `document.querySelector('[data-cell="`+name+`"] .badge path').getAttribute("d")`)
	}
	if shape("b2") == shape("a1") {
		t.Error("a win and a loss have the same shape")
	}
	v.cells("b2")
	v.wantLabel("b2", "b2 X, last move")
	v.wait("game-status", "Lose in 5")
	v.wait("game-status", "The second player is to move")
	v.cells("a3")
	v.click(`step-buttons button:nth-child(2)`)
	v.waitHash("#notakto/3?moves=b2.a3&at=1")
	v.keys("[")
	v.waitHash("#notakto/3?moves=b2.a3&at=0")
	v.keys("]", "]")
	v.waitHash("#notakto/3?moves=b2.a3")
	v.click(`move-history li:nth-child(1) button`)
	v.waitHash("#notakto/3?moves=b2.a3&at=0")
	v.cells("b2") // the same move goes forward, and what follows is kept
	v.waitHash("#notakto/3?moves=b2.a3&at=1")
	v.cells("c1") // another one leaves what followed as a variation
	v.waitHash("#notakto/3?moves=b2.c1&lines=1.a3")
}

// In Quixo a tile is taken, then the board shows where it may go back in.
func TestQuixoByTiles(t *testing.T) {
	v := visit(t, "#quixo/3")
	v.wantLabel("a1", "a1 blank, win in 7")
	v.wantLabel("b2", "b2 blank")
	v.cells("a1")
	v.wantLabel("a1", "a1 blank, taken")
	v.wantLabel("c1", "c1 blank, push in here, win in 7")
	v.wantLabel("c3", "c3 blank")
	v.keys(kb.Escape)
	v.wantLabel("c3", "c3 blank, win in 7")
	v.cells("a1", "c1")
	v.waitHash("#quixo/3?moves=a1c1")
	v.wantLabel("c1", "c1 X, last move")
	if got := eval[int](v, `document.querySelectorAll(".arrow.last").length`); got != 1 {
		t.Errorf("%d arrows show the last move, want 1", got)
	}
	v.wait("game-status", "O is to move")

	// The main line leads to the end, and shows who has won and by which line.
	v.click("main-line summary")
	v.wait("main-line", "then the game is over")
	v.click("main-line li:last-child button")
	v.wait("game-status", "X has won")
	if got := eval[int](v, `document.querySelectorAll(".cell.complete").length`); got != 3 {
		t.Errorf("%d cells are shown as the complete line, want 3", got)
	}
	v.wait("move-ranking", "The game is over")
	if got := len(strings.Split(eval[string](v, `location.hash.split("moves=")[1]`), ".")); got != 7 {
		t.Errorf("the line has %d moves, want the 7 steps of the start", got)
	}
}

// The address reproduces the view; back and forward step through the views.
func TestSharedAddress(t *testing.T) {
	const shared = "#quixo/3?p=X../.../..O_o&moves=a1a3.a2a1&at=1"
	v := visit(t, shared)
	v.wantLabel("a3", "a3 O, last move")
	v.wait("move-history [aria-current]", "a1a3")
	v.keys("]")
	v.waitHash("#quixo/3?p=X../.../..O_o&moves=a1a3.a2a1")
	v.click(`a[data-mode="statistics"]`)
	v.wait("table-statistics", "Outcomes by class")
	eval[any](v, "history.back()")
	v.waitHash("#quixo/3?p=X../.../..O_o&moves=a1a3.a2a1")
	v.wait("game-status", "O is to move")
	eval[any](v, "history.back()")
	v.waitHash(shared)
	v.wantLabel("a3", "a3 O, last move")
	eval[any](v, "history.forward()")
	v.waitHash("#quixo/3?p=X../.../..O_o&moves=a1a3.a2a1")

	again := visit(t, shared)
	again.wantLabel("a3", "a3 O, last move")
}

// Errors in an address are reported, and the rest of it is shown.
func TestWrongAddress(t *testing.T) {
	v := visit(t, "#notakto/3?moves=b2.b2.c1")
	v.wait("page-notice", "not a legal move after move 1")
	v.waitHash("#notakto/3?moves=b2")
	v.click("page-notice .buttons button:last-child")

	v = visit(t, "#notakto/3?p=X.Y/.../...")
	v.wait("page-notice", "Column 3")
	v.wait("game-status", "Win in 6")

	v = visit(t, "#notakto/6?after=a1")
	v.wait("page-notice", "There is no table of notakto 6×6 after a1 in the directory of the tables")
	v.expectProblems("404")
}

// Every error in a link is reported in the middle of the page, and the rest of the link is shown.
func TestWrongLink(t *testing.T) {
	v := visit(t, "#nonsense")
	v.wait("page-notice", "“nonsense” is not a board")
	v.wait("table-list", "Games, solved")
	v.waitHash("")
	const middle = `(() => {
		const r = document.querySelector("page-notice").getBoundingClientRect();
		return Math.hypot((r.left + r.right) / 2 - document.documentElement.clientWidth / 2, (r.top + r.bottom) / 2 - innerHeight / 2);
	})()`
	if off := eval[float64](v, middle); off > 20 {
		t.Errorf("the message is %.0f pixels from the middle of the page", off)
	}
	v.click("page-notice .buttons a")
	v.do(v.tab.Wait(`document.querySelector("page-notice").hidden`))

	v = visit(t, "#notakto/3?mode=win&you=third&foo=1&moves=b2&at=9")
	v.wait("page-notice", "Something is wrong with the link")
	for _, reason := range []string{"“mode=win” is not understood", "“you=third”", "“at=9”", "“foo” means nothing here"} {
		v.wait("page-notice", reason)
	}
	v.waitHash("#notakto/3?moves=b2")
	v.wantLabel("b2", "b2 X, last move")
	v.keys("[") // going on takes the message away
	v.do(v.tab.Wait(`document.querySelector("page-notice").hidden`))

	v = visit(t, "#chess/8")
	v.wait("page-notice", "chess")
	v.wait("page-notice", "All tables")
	v.expectProblems("404")
}

func TestSetUp(t *testing.T) {
	v := visit(t, "#quixo/3?mode=edit")
	v.cells("a1", "b2", "b2") // a click sets the next mark
	v.wantLabel("a1", "a1 X")
	v.wantLabel("b2", "b2 O")
	v.click(`setup-panel input[value="o"]`)
	v.waitHash("#quixo/3?mode=edit&p=.../.O./X.._o")

	// A text with an error is marked at the column; the position stays.
	v.click("#position-text")
	eval[any](v, `document.querySelector("#position-text").select()`)
	v.keys("X.Z/.../... x")
	v.wait("#position-error", "Column 3: “Z” is not a cell")
	if got := eval[string](v, `document.querySelector("#position-error mark").innerText`); got != "Z" {
		t.Errorf("marked is %q, want Z", got)
	}
	v.wantLabel("a1", "a1 X")
	eval[any](v, `document.querySelector("#position-text").select()`)
	v.keys("XX./.O./..O x")
	v.waitHash("#quixo/3?mode=edit&p=XX./.O./..O_x")
	if got := eval[string](v, `document.querySelector("#position-error").innerText`); got != "" {
		t.Errorf("the error is still there: %q", got)
	}
	v.click("setup-panel .primary")
	v.waitHash("#quixo/3?p=XX./.O./..O_x")
	v.wait("game-status", "Win in")

	// A game from there begins with the user's move, on either side.
	v.do(v.tab.Open("#quixo/3?mode=edit&p=XX./.O./..._o"))
	v.click("setup-panel .primary + button")
	v.waitHash("#quixo/3?mode=play&p=XX./.O./..._o&you=second")
	v.wait(".headline", "Your move")
}

func TestRandomPosition(t *testing.T) {
	v := visit(t, "#notakto/4?mode=edit")
	v.choose("#random-outcome", "lose")
	eval[any](v, `document.querySelector("#random-steps").value = "3"`)
	v.click("setup-panel h3 + .buttons button")
	v.do(v.tab.Wait(`location.hash.includes("p=")`))
	v.wait("game-status", "Lose in 3")

	eval[any](v, `document.querySelector("#random-steps").value = "4"`)
	v.click("setup-panel h3 + .buttons button")
	v.do(v.tab.Wait(`!document.querySelector("page-notice").hidden`))
	v.expectProblems("404")
}
