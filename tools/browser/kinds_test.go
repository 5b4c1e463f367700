package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// pick chooses a board on the card of a game.
func (v *visitor) pick(game, board string) {
	v.Helper()
	v.wait("table-list", game)
	if !eval[bool](v, fmt.Sprintf(`[...document.querySelectorAll(".game-card")].filter((card) => card.querySelector("h2").textContent === %s).some((card) => {
		const size = card.querySelector("select"), option = [...size.options].find((o) => o.text === %s);
		if (option) { size.value = option.value; size.dispatchEvent(new Event("change")); }
		return option;
	})`, quote(game), quote(board))) {
		v.Fatalf("no card of %s offers %s", game, board)
	}
}

// Games without tables have one card each, with all their boards.
func TestTableless(t *testing.T) {
	v := visit(t, "")
	for _, c := range []struct{ game, board, address string }{
		{"Nim", "1-3-5-7-9-11-13-15", "#nim/8"}, {"Dawson's chess", "3×26", "#dawson/26"}, {"Othello", "6×6", "#othello/6"}, {"Notakto on several boards", "3+3+3", "#notakto-boards/3"}, {"Nim", "1-3-5", "#nim/3"},
	} {
		v.pick(c.game, c.board)
		for _, address := range []string{c.address, c.address + "?mode=play&you=first"} {
			if n := eval[int](v, fmt.Sprintf(`document.querySelectorAll("a[href='%s']").length`, address)); n != 1 {
				t.Errorf("%d links lead to %s", n, address)
			}
		}
	}
	v.click(`a[href="#nim/3"]`)
	v.wait("#board-name", "Nim 1-3-5")
	if eval[bool](v, `document.querySelector("a[data-mode=statistics]").checkVisibility()`) {
		t.Error("there are statistics of a board without a table")
	}
}

// A counter stands for the move that takes it and all those behind it. The nimber is shown.
func TestHeaps(t *testing.T) {
	v := visit(t, "#nim/3")
	v.wait("game-status", "Win in 7")
	v.wait("game-status", "Nimber 7.")
	v.wantLabel("c3", "take 3 from heap c, win in 7")
	if got := eval[string](v, `getComputedStyle(document.querySelector('[aria-label="c3, win in 7, nimber 0"]'), "::after").content`); !strings.Contains(got, "∗") {
		t.Errorf("beside the move stands %q", got)
	}
	v.wait("move-ranking", "the nimber of the position after the move")
	v.cells("c3")
	v.waitHash("#nim/3?moves=c3")
	v.wait("game-status", "Lose in 6")
	if got := eval[int](v, `document.querySelectorAll(".cell.last").length`); got != 3 {
		t.Errorf("%d places are shown as the last move, want 3", got)
	}
	v.click("main-line summary")
	v.wait("main-line", "then the game is over")
	v.click("main-line li:last-child button")
	v.wait(".headline", "The first player has won")
	v.wait(".detail", "The first player made the last move, and whoever makes it wins.")

	v = visit(t, "#nim-misere/2?mode=play&p=0/2")
	v.wait(".headline", "Your move")
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wait("#toast", "Hint: b1")
	v.cells("b1") // leaves one to the opponent, who has to take it
	v.wait(".headline", "You win")
	v.wait(".detail", "The opponent made the last move, and whoever makes it loses.")

	v = visit(t, "#nim/3?mode=edit")
	v.click(`.heaps [role="row"]:nth-child(1) .cell:nth-of-type(5)`, `.heaps [role="row"]:nth-child(2) .cell:nth-of-type(3)`)
	v.waitHash("#nim/3?mode=edit&p=5/2/5")
	v.click(`setup-panel input[value="o"]`)
	v.waitHash("#nim/3?mode=edit&p=5/2/5_o")
	v.click("#position-text")
	eval[any](v, `document.querySelector("#position-text").select()`)
	v.keys("1/99/1")
	v.wait("#position-error", "Column 3: Write a number of counters here, from 0 to 15.")
}

// Over the counters by keys: along a heap, and from heap to heap.
func TestHeapsByKeys(t *testing.T) {
	v := visit(t, "#nim/3")
	v.do(v.tab.Do(chromedp.Focus(chromedp.CSS(`[data-cell="a1"]`))))
	focused := `document.activeElement.dataset.cell ?? ""`
	for _, step := range []struct{ key, want string }{
		{kb.ArrowDown, "b3"}, {kb.ArrowRight, "b2"}, {kb.ArrowRight, "b1"}, {kb.ArrowRight, "b1"}, {kb.ArrowDown, "c3"}, {kb.ArrowUp, "b1"}, {kb.ArrowUp, "a1"},
	} {
		v.keys(step.key)
		if got := eval[string](v, focused); got != step.want {
			t.Errorf("the focus is at %q, want %s", got, step.want)
		}
	}
	v.keys(kb.ArrowDown, kb.Enter)
	v.waitHash("#nim/3?moves=b3")
}

// A move on a file blocks it and empties its neighbours.
func TestFiles(t *testing.T) {
	v := visit(t, "#dawson/9")
	v.wait("game-status", "Win in ")
	if got := v.label("e"); !strings.HasPrefix(got, "e open, win in ") {
		t.Errorf("the centre is %q", got)
	}
	v.cells("e")
	v.wait("game-status", "Lose in ")
	v.wantLabel("e", "e blocked, last move")
	v.wantLabel("d", "d empty")
	v.do(v.tab.Open("#dawson-normal/9?p=-X-......"))
	v.wait("game-status", "Nimber ")
	v.do(v.tab.Open("#dawson/9?p=X......"))
	v.wait("page-notice", "Column 2: There are 9 files")
	v.click("page-notice .buttons button:last-child")
}

// Several boards at once: a cell has the number of its board, and a board with a line is
// dead.
func TestSeveralBoards(t *testing.T) {
	v := visit(t, "#notakto-boards/3?p=XX./.../...%2B.../.../...%2B.../.../...")
	v.wait("game-status", "in ")
	v.cells("1c3")
	v.wait("game-status", "in ")
	v.do(v.tab.Wait(`document.querySelector('.small[data-board="1"]').classList.contains("dead")`))
	if got := eval[string](v, `document.querySelector('.small[data-board="1"]').getAttribute("aria-label")`); got != "Board 1, dead" {
		t.Errorf("the dead board is called %q", got)
	}
	v.cells("2b2")
	v.do(v.tab.Wait(`location.hash.endsWith("moves=1c3.2b2")`))
	v.wantLabel("2b2", "2b2 X, last move")
}

// Nine boards: the marked cell leads to the next one. If nobody knows the best move, moves can
// still be made, and the opponent answers.
func TestNineBoards(t *testing.T) {
	v := visit(t, "#uttt/9")
	v.wait(".headline", "Not known")
	v.wantLabel("e5", "e5 empty, a move")
	if got := eval[int](v, `document.querySelectorAll(".small.next").length`); got != 9 {
		t.Errorf("%d boards may be played in, want 9", got)
	}
	v.cells("d6")
	v.waitHash("#uttt/9?moves=d6")
	if got := eval[string](v, `[...document.querySelectorAll(".small.next")].map((b) => b.ariaLabel).join()`); got != "Board a3, to be played in" {
		t.Errorf("to be played in is %q", got)
	}
	if eval[bool](v, `document.querySelector("main-line").checkVisibility()`) {
		t.Error("there is a main line, but nothing is known")
	}
	v.do(v.tab.Open("#uttt/9?mode=play"))
	v.wait("opponent-panel", "may err")
	v.cells("e5")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.wait(".headline", "Your move")
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wait("#toast", "Hint: ")
	if got := eval[int](v, `document.querySelectorAll(".cell.hint-put").length`); got != 1 {
		t.Errorf("%d cells are hinted at, want 1", got)
	}
	// The address has two spaces.
	v.do(v.tab.Open("#uttt/9?p=" + strings.Repeat("........./", 8) + "X........_o_a1"))
	v.wait(".detail", "O is to move")
	v.wantLabel("a1", "a1 X")
}

// Discs are counted when the server thinks, and a player with no other move passes.
func TestDiscs(t *testing.T) {
	v := visitOn(t, serve(t, "--think", "5s"), "#othello/4", 1200, 900)
	v.wait("game-status", "Lose by 10")
	v.wait("game-status", "Black is to move")
	v.wait("board-legend", "discs more or fewer")
	v.wantLabel("b3", "b3 black")
	v.do(v.tab.Open("#othello/4?p=OX../..../..../...._x"))
	v.wait("pass-offer", "No other move is possible.")
	v.click("pass-offer button")
	v.do(v.tab.Wait(`location.hash.endsWith("moves=pass")`))
	v.cells("c4")
	v.wait(".headline", "White has won")
	v.wait(".detail", "Black has 0 discs, White 3.")

	v = visit(t, "#othello/6?moves=d5") // unknown value
	v.wait(".detail", "Black has 4 discs, White 1.")
	v.wait(".headline", "Not known")
	if got := eval[int](v, `document.querySelectorAll("game-board .spot").length`); got != 3 {
		t.Errorf("%d cells are marked where a disc may be placed, want 3", got)
	}
	if eval[bool](v, `document.querySelector("move-history .graph-place").checkVisibility()`) {
		t.Error("there is a graph of a game of which nothing is known")
	}

	v = visit(t, "#othello/8?mode=play&you=second")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 2`))
	v.wait(".headline", "Your move")
}

// None of these boards is wider than a phone.
func TestKindsOnAPhone(t *testing.T) {
	v := visitOn(t, server, "", 360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)
	for _, fragment := range []string{"#nim/8", "#dawson/26", "#uttt/9", "#othello/8", "#notakto-boards/8", "#nim/8?mode=edit"} {
		v.do(v.tab.Open(fragment))
		if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%q is %d pixels wide", fragment, wide)
		}
		small := eval[[]string](v, `[...document.querySelectorAll("game-board .cell")].map((e) => [e, e.getBoundingClientRect()])
			.filter(([, r]) => r.height < 24 || r.width < 24).map(([e, r]) => e.dataset.cell + " " + r.width + "×" + r.height)`)
		if len(small) > 0 {
			t.Errorf("%q has what is too small to touch: %q", fragment, small)
		}
	}
}
