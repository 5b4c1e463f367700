package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// played is the list of moves as it is read, variations in parentheses.
const played = `[...document.querySelectorAll("move-history .plies > li")].map((li) => {
	const moves = [...li.querySelectorAll("button")].map((b) => [...b.childNodes].slice(0, 2).map((n) => n.textContent).join("")).join(" ");
	return li.matches(".variation") ? "(" + moves + ")" : moves;
}).join(" ")`

func (v *visitor) wantPlayed(want string) {
	v.Helper()
	if got := eval[string](v, played); got != want {
		v.Errorf("played is %q, want %q", got, want)
	}
}

// Whoever takes back a move and plays another finds the first line as a variation, by keys too, and the address has it.
func TestVariations(t *testing.T) {
	v := visitOn(t, serve(t), "#notakto/4?moves=a1.b2.c3.d1", 1200, 900)
	v.keys("[", "[")
	v.waitHash("#notakto/4?moves=a1.b2.c3.d1&at=2")
	v.cells("d3")
	v.waitHash("#notakto/4?moves=a1.b2.d3&lines=2.c3.d1")
	v.wantPlayed("start 1.a1 2.b2 3.d3 (3.c3 4.d1)")
	v.wait(`[aria-label="Variation from move 3"]`, "d1")
	v.do(v.tab.Do(chromedp.Focus(chromedp.CSS(`move-history [aria-current]`))))
	v.keys(kb.Tab, kb.ArrowRight, kb.Enter) // on the last move of the variation
	v.waitHash("#notakto/4?moves=a1.b2.c3.d1&lines=2.d3")
	v.wantPlayed("start 1.a1 2.b2 3.c3 (3.d3) 4.d1")
	if got := eval[string](v, `document.activeElement.innerText`); !strings.HasPrefix(got, "4.d1") {
		t.Errorf("the focus is on %q after the choice", got)
	}
	v.keys("[", "[")
	v.cells("d3") // as before: nothing is kept twice
	v.waitHash("#notakto/4?moves=a1.b2.d3&lines=2.c3.d1")
	for language, label := range map[string]string{"de": "Variante ab Zug 3", "fr": "Variante à partir du coup 3"} {
		v.choose("#language", language)
		v.wait(`[aria-label="`+label+`"]`, "c3")
	}
	v.click("move-history button.link")
	v.waitHash("#notakto/4?moves=a1.b2.d3")
}

// A game against the opponent keeps moves that were taken back, and is one game in the list.
func TestVariationsOfAGame(t *testing.T) {
	v := visitOn(t, serve(t), "#notakto/4?mode=play&you=first", 1200, 900)
	reply := func(moves string) {
		v.do(v.tab.Wait(`/[?&]moves=` + moves + `[.]\w+(&|$)/.test(location.hash)`))
		v.do(v.tab.Ready())
	}
	v.cells("a1")
	reply("a1")
	v.click("opponent-panel .buttons button:nth-child(2)")
	v.do(v.tab.Wait(`location.hash.startsWith("#notakto/4?mode=play&lines=0.a1.")`))
	v.do(v.tab.Ready())
	v.cells("b2")
	reply("b2")
	before := eval[string](v, "location.hash")
	v.click("move-history .variation li:first-child button")
	v.do(v.tab.Wait(`/moves=a1[.]\w+&at=1&lines=0[.]b2[.]/.test(location.hash)`))
	v.wait(".headline", "The opponent is to move") // it has moved: nobody is asked again
	eval[any](v, "history.back()")
	v.waitHash(before)
	v.click(".brand")
	v.wait("#continue", "move 3")
	if n := eval[int](v, `JSON.parse(localStorage.getItem("backsolve-games")).length`); n != 1 {
		t.Errorf("one game is kept as %d", n)
	}
}
