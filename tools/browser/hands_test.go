package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// drag takes the tile of one cell with the mouse and drops it on another.
func (v *visitor) drag(from, to string) {
	v.Helper()
	center := func(name string) []float64 {
		return eval[[]float64](v, `((r) => [r.left + r.width / 2, r.top + r.height / 2])(document.querySelector(`+quote(cell(name))+`).getBoundingClientRect())`)
	}
	a, b := center(from), center(to)
	left := func(p *input.DispatchMouseEventParams) {
		p.Button, p.Buttons, p.ClickCount = input.MouseButtonLeft, 1, 1
	}
	v.do(v.tab.Do(
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, a[0], a[1], left),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, (a[0]+b[0])/2, (a[1]+b[1])/2, left),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, b[0], b[1], left),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, b[0], b[1], left),
	))
	v.do(v.tab.Ready())
}

// In Quixo a tile is dragged to the place where it enters; elsewhere it goes back.
func TestDragAndDrop(t *testing.T) {
	v := visit(t, "#quixo/3")
	v.drag("a1", "b2")
	if got := eval[int](v, `document.querySelectorAll(".cell.taken, .tile[style*=px]").length`); got != 0 {
		t.Errorf("%d tiles are still taken after a drop where none can enter", got)
	}
	v.drag("a1", "c1")
	v.waitHash("#quixo/3?moves=a1c1")
	v.wantLabel("c1", "c1 X, last move")
	v.cells("a3", "c3") // clicks still do it
	v.waitHash("#quixo/3?moves=a1c1.a3c3")
}

// early has the values of a position arrive only when the opponent has been asked for its move.
const early = `{
	const ask = window.fetch;
	let asked, moves = new Promise((done) => (asked = done));
	window.fetch = async (address, how) => {
		if (String(address).includes("/move?")) asked();
		if (String(address).includes("/position?") && location.hash.includes("moves=")) await moves;
		return ask(address, how);
	};
}`

// The opponent is asked at the same time as the position, so its move arrives after one round trip.
func TestOneRoundTrip(t *testing.T) {
	v := visit(t, "#quixo/3?mode=play&you=first")
	v.before(early)
	v.cells("a1", "c1")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.do(v.tab.Ready())

	v = visit(t, "#notakto/3?mode=play&you=second&p=XX./.../X..") // nobody is asked for a move when the game is over
	v.cells("c3")
	v.wait(".headline", "You lose")
	v.do(v.tab.Open("#nim/1?mode=play&you=first"))
	v.cells("a1")
	v.wait(".headline", "You win")
}

// The page reports an unreachable server, offers a retry, and resumes by itself when the server is back.
func TestReconnects(t *testing.T) {
	s := serve(t)
	v := visitOn(t, s, "#notakto/3", 1200, 900)
	address := strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	v.cells("b2")
	v.wait("page-notice", "The server cannot be reached")
	v.wantLabel("b2", "b2 X, last move") // the move is made; only its value is missing
	v.click("page-notice .primary")
	v.wait("page-notice", "The server cannot be reached")
	serve(t, "--listen", address)
	v.do(v.tab.Wait(`document.querySelector("page-notice").hidden`))
	v.wait("game-status", "Lose in 5")
	v.expectProblems("ERR_CONNECTION_REFUSED")
}

// The next game has the level and the side of the last one. Sound is off until it is turned on.
func TestChoicesAreKept(t *testing.T) {
	v := visitOn(t, serve(t), "#quixo/3?mode=play", 1200, 900)
	if got := eval[string](v, `document.querySelector("#sound").ariaPressed + document.querySelector("#level").value`); got != "falseperfect" {
		t.Errorf("sound and level are %q at first", got)
	}
	v.choose("#level", "casual")
	v.choose("#side", "second")
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 2`))
	v.click("#sound")
	v.do(v.tab.Open("#"))
	v.pick("Notakto", "4×4")
	v.click(`a[href="#notakto/4?mode=play&you=second"]`)
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 2`))
	if got := eval[string](v, `document.querySelector("#sound").ariaPressed + document.querySelector("#level").value`); got != "truecasual" {
		t.Errorf("sound and level are %q in another game", got)
	}
}

// Games that were played are kept, listed, and taken and given as text.
func TestGamesAreKept(t *testing.T) {
	v := visitOn(t, serve(t), "#notakto/3?mode=play&you=both", 1200, 900)
	v.cells("a1", "b2", "c3")
	v.wait(".headline", "has won")
	v.do(v.tab.Open("#"))
	v.click("table-list summary")
	const list = `[...document.querySelectorAll(".games a")].map((a) => a.textContent + " " + a.hash).join("\n")`
	const first = "Notakto 3×3: The second player has won #notakto/3?mode=play&moves=a1.b2.c3&you=both"
	if got := eval[string](v, list); got != first {
		t.Fatalf("the games are %q, want %q", got, first)
	}
	if text := eval[string](v, `document.querySelector("#games-text").value`); !strings.HasSuffix(text, " "+first) {
		t.Errorf("as text the games are %q", text)
	}
	const other = "Quixo 3×3: by hand #quixo/3?mode=play&moves=a1c1&you=both"
	eval[any](v, `document.querySelector("#games-text").value = "2020-02-02 `+other+`\nno game\n2020-02-02 wrong #quixo/3?moves=a1c1&foo=1"`)
	v.click("table-list details .buttons button:last-child")
	v.wait("#toast", "1 game is imported.")
	if got := eval[string](v, list); got != first+"\n"+other {
		t.Errorf("the games are %q after an import", got)
	}
	v.click(".games li:last-child a")
	v.waitHash("#quixo/3?mode=play&moves=a1c1&you=both")
}
