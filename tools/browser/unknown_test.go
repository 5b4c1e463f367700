package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// before runs a script before the page's own, and reloads the page.
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
	v.wait("move-history .review", "The outcome of 1 position, hatched in the graph, is not known.")
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
	if !strings.Contains(label, "outcome of 1 position") || strings.Contains(label, "No move spoiled the outcome") {
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
		if got := eval[string](v, `document.querySelector("#level").textContent`); strings.Contains(got, "errs one") != strings.HasPrefix(want, "Perfect") {
			t.Errorf("%s: the levels are %q", fragment, got)
		}
	}
}

// If the outcome is not known, an estimate is shown with its range, and says that it is one.
func TestEstimate(t *testing.T) {
	v := visit(t, "#othello/6?moves=d5.c5")
	v.wait(".headline", "Not known")
	v.wait("position-estimate", "an estimate from")
	const low, high = `document.querySelector(".estimate-bar").style.getPropertyValue("--low")`, `document.querySelector(".estimate-bar").style.getPropertyValue("--wide")`
	if got := eval[float64](v, `Math.min(parseFloat(`+low+`), parseFloat(`+high+`))`); !(got > 0 && got < 100) {
		t.Errorf("the range is %v", got)
	}
	if n := eval[int](v, `document.querySelectorAll("move-ranking .chip").length`); n != 0 {
		t.Errorf("%d moves are listed of which nothing is known", n)
	}
	for _, fragment := range []string{"#othello/6?mode=play", "#quixo/3"} {
		v.do(v.tab.Open(fragment))
		if eval[bool](v, `document.querySelector("position-estimate").checkVisibility()`) {
			t.Errorf("%s shows an estimate", fragment)
		}
	}
}

// The place of a possible move is seen on its tile, in light and in dark.
func TestSpotsAreSeen(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		v := visit(t, "#othello/6")
		v.do(v.tab.Prefer("prefers-color-scheme", scheme))
		got := eval[float64](v, `(() => {
			const paint = (selector) => {
				const c = document.createElement("canvas").getContext("2d");
				c.fillStyle = getComputedStyle(document.querySelector("game-board " + selector)).fill;
				c.fillRect(0, 0, 1, 1);
				const [r, g, b] = [...c.getImageData(0, 0, 1, 1).data].map((x) => ((x / 255 + 0.055) / 1.055) ** 2.4);
				return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
			};
			const [a, b] = [paint(".spot"), paint(".tile-base")];
			return Math.max(a, b) / Math.min(a, b);
		})()`)
		if got < 2 {
			t.Errorf("%s: the contrast is %.2f", scheme, got)
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
