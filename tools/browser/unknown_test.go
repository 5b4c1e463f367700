package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// before has a script run before those of the page, and loads that again.
func (v *visitor) before(script string) {
	v.Helper()
	_, err := chromedp.Call(v.tab.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	v.do(err)
	v.do(v.tab.Do(chromedp.Reload()))
	v.do(v.tab.Ready())
}

// forgetful has the server know nothing of the position that Nim 1-3-5 begins with.
const forgetful = `{
	const ask = window.fetch;
	window.fetch = async (address, how) => {
		const response = await ask(address, how);
		if (!String(address).includes("/moves?p=1%2F3%2F5")) return response;
		const answer = await response.json();
		for (const value of [answer, ...answer.moves]) for (const name of ["outcome", "steps", "nimber"]) delete value[name];
		return Response.json(answer);
	};
}`

// A position whose outcome is not known is not drawn as a draw.
func TestGraphOfWhatIsNotKnown(t *testing.T) {
	v := visit(t, "#nim/3?moves=c3.b1.c1")
	v.wait("move-history", "✗ spoils")
	v.before(forgetful)
	v.wait("move-history .review", "Of 1 position, hatched in the graph, the outcome is not known.")
	columns := eval[[]string](v, `[...document.querySelectorAll(".graph .column")].map((c) => c.className)`)
	if len(columns) != 4 || !hasClass(columns[0], "unknown") || hasClass(columns[0], "level") || hasClass(columns[1], "unknown") {
		t.Errorf("the columns are %q", columns)
	}
	const first = `document.querySelector(".graph .column .bar-value")`
	if got := eval[bool](v, first+`.clientHeight === `+first+`.parentElement.clientHeight && getComputedStyle(`+first+`).backgroundImage.startsWith("repeating")`); !got {
		t.Error("what is not known is drawn as a bar")
	}
	if got := eval[string](v, `document.querySelector(".graph .column").title`); got != "not known for the first player" {
		t.Errorf("the first column says %q", got)
	}
	label := eval[string](v, `document.querySelector(".graph").ariaLabel`)
	if !strings.Contains(label, "Of 1 position") || strings.Contains(label, "No move spoiled the outcome") {
		t.Errorf("the graph's label is %q", label)
	}
}

// No opponent is said never to err where positions are not known.
func TestOpponentWhoMayErr(t *testing.T) {
	for fragment, want := range map[string]string{
		"#othello/6?mode=play": "Searches, then exact",
		"#uttt/9?mode=play":    "Searches, then exact",
		"#nim/3?mode=play":     "Perfect: never errs",
		"#quixo/3?mode=play":   "Perfect: never errs",
	} {
		v := visit(t, fragment)
		if got := eval[string](v, `document.querySelector("#level").selectedOptions[0].text`); got != want {
			t.Errorf("%s: the opponent is %q, want %q", fragment, got, want)
		}
		if got := eval[string](v, `document.querySelector("#level").textContent`); strings.Contains(got, "errs in") != strings.HasPrefix(want, "Perfect") {
			t.Errorf("%s: the levels are %q", fragment, got)
		}
	}
}

// A board without a table is shown by its moves, with the values that a search finds near the end.
func TestBoardsWithoutATable(t *testing.T) {
	for _, board := range []struct{ name, position, won string }{
		{"quixo/6", "XXXXX./....../....../....../....../......_x", "f1"},
		{"tictactoe/6", "XXXXX./OOOO../....../....../....../......_x", "f6"},
		{"notakto/6", "XXXXX./....../....../....../....../......", ""},
	} {
		v := visit(t, "#"+board.name)
		v.wait(".headline", "Not known")
		if eval[bool](v, `document.querySelector("a[data-mode=statistics]").checkVisibility()`) {
			t.Errorf("%s: there are statistics of a board without a table", board.name)
		}
		v.do(v.tab.Open("#" + board.name + "?p=" + board.position))
		if board.won != "" {
			v.wait(".headline", "Win in 1")
			v.do(v.tab.Wait(fmt.Sprintf("document.querySelector(%s)?.innerText.includes('win in 1')", quote(cell(board.won)))))
		}
	}
	v := visit(t, "#quixo/6?mode=play&you=second")
	v.wait(".headline", "Your move") // after a move by playouts
}
