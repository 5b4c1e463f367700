package browser

import (
	"math"
	"testing"

	"github.com/chromedp/chromedp"
)

// shifts is how much of the visible page has moved by itself, as browsers count it: not within
// half a second of a click or a key.
const shifts = `new Promise((done) => {
	let sum = 0;
	const moved = [];
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) if (!e.hadRecentInput) {
			sum += e.value;
			for (const s of e.sources) moved.push(s.node?.className || s.node?.nodeName);
		}
	}).observe({type: "layout-shift", buffered: true});
	setTimeout(() => done({sum, moved: [...new Set(moved)].join(" ")}), 250);
})`

// Nothing moves while the page is loaded, nor when the opponent plays.
func TestNothingMoves(t *testing.T) {
	type shift struct {
		Sum   float64 `json:"sum"`
		Moved string  `json:"moved"`
	}
	for _, fragment := range []string{
		"", "#quixo/4", "#notakto/4?moves=a1.b2.c3", "#notakto/3?mode=play&you=second", "#quixo/3?mode=play&you=second&values=1", "#quixo/3?mode=edit",
		"#quixo/3?mode=statistics", "#tictactoe/3?moves=b2.a3.b3.b1.c2.a2.a1.c3.c1",
	} {
		for _, screen := range []struct {
			width, height int64
			options       []chromedp.EmulateViewportOption
		}{{1200, 900, nil}, {360, 740, []chromedp.EmulateViewportOption{chromedp.EmulateMobile, chromedp.EmulateTouch}}} {
			v := visitOn(t, server, fragment, screen.width, screen.height, screen.options...)
			got, err := chromedp.Run(v.tab.ctx, chromedp.Evaluate[shift](shifts, chromedp.EvalAwaitPromise))
			v.do(err)
			if got.Sum > 0.001 {
				t.Errorf("%q, %d pixels wide: %.4f has moved of what is seen: %s", fragment, screen.width, got.Sum, got.Moved)
			}
		}
	}
}

// The buttons of a row of cards are at one height, and their texts are whole sentences. The header is as wide
// as the cards.
func TestCardsAreEven(t *testing.T) {
	v := visitOn(t, server, "", 1366, 768)
	uneven := eval[[]string](v, `[...document.querySelectorAll(".game-card")].flatMap((card, i, all) => {
		const top = (c, s) => c.querySelector(s).getBoundingClientRect().top, last = all[i - 1], story = card.querySelector(".story");
		const off = last && top(card, ".miniature") === top(last, ".miniature") && Math.abs(top(card, ".buttons") - top(last, ".buttons")) > 1;
		const cut = story.scrollHeight > story.clientHeight + 1 || !/[.!]$/.test(story.textContent);
		return off || cut ? [card.querySelector("h2").textContent] : [];
	}).concat(document.querySelector(".tools").getBoundingClientRect().right === document.querySelector(".cards").getBoundingClientRect().right ? [] : [".tools"])`)
	if len(uneven) > 0 {
		t.Errorf("uneven or cut: %q", uneven)
	}
}

// A game that is chosen far down is shown from its top, and on the way back the list is where it was left.
func TestGamesAreWhereTheyWereLeft(t *testing.T) {
	v := visitOn(t, server, "#quixo/4?moves=a1a4.d4a4", 390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	eval[bool](v, "(location.hash = '', true)")
	v.do(v.tab.Wait(`document.querySelector('.game-card a[href*="uttt"]')?.checkVisibility()`))
	left := eval[float64](v, `(document.querySelector('.game-card a[href*="uttt"]').scrollIntoView({block: "center"}), scrollY)`)
	eval[any](v, `document.querySelector('.game-card a[href*="uttt"]').click()`)
	v.do(v.tab.Wait(`document.querySelector("game-board").checkVisibility()`))
	if top := eval[float64](v, "scrollY"); top != 0 || left < 844 {
		t.Errorf("the game is shown from %v, chosen at %v", top, left)
	}
	eval[bool](v, "(history.back(), true)")
	v.do(v.tab.Wait(`document.querySelector("table-list").checkVisibility()`))
	if top := eval[float64](v, "scrollY"); math.Abs(top-left) > 100 {
		t.Errorf("the games are at %v, left at %v", top, left)
	}
}

// All controls of a game are in the window of a phone held sideways.
func TestGameOnAPhoneHeldSideways(t *testing.T) {
	v := visitOn(t, server, "#quixo/4?mode=play", 844, 390, chromedp.EmulateMobile, chromedp.EmulateTouch)
	if bottom := eval[float64](v, `document.querySelector("opponent-panel .buttons").getBoundingClientRect().bottom`); bottom > 390 {
		t.Errorf("the buttons end at %v of 390", bottom)
	}
	v.do(v.tab.Open("#quixo/4?mode=statistics"))
	if height := eval[float64](v, `document.querySelector("#board-name").getBoundingClientRect().height`); height > 30 {
		t.Errorf("the heading has more than a line: %v", height)
	}
}

// cut are the parts of a board that are outside the window before anything is scrolled.
const cut = `["game-board", "board-legend", "game-status", "step-buttons", "pass-offer", "draw-offer", "setup-panel .primary"].filter((name) => {
	const part = document.querySelector(name), r = part.getBoundingClientRect();
	return part.checkVisibility() && (r.bottom > innerHeight || r.top < 0 || r.left < 0 || r.right > innerWidth);
}).map((name) => name + " " + JSON.stringify(document.querySelector(name).getBoundingClientRect()))`

// The board, whose turn it is, the buttons and the offers are in the window, whatever its size.
func TestBoardFitsTheWindow(t *testing.T) {
	fragments := []string{
		"#quixo/4?mode=play&you=first", "#notakto/2x3", "#tictactoe/3x4,three", "#othello/4?p=OX../..../..../...._x",
		"#quixo/4?mode=play&you=both&p=..OX/.O.O/X..O/O.XX_x&moves=a2a1.a2a1", "#quixo/4?p=XXOO/O.XO/O..X/XXO._x",
	}
	wide := append(fragments, "#quixo/4?mode=edit", "#uttt/9", "#nim/8", "#dawson/26", "#notakto-boards/8", "#hounds/1", "#othello/8")
	for _, screen := range []struct {
		width, height int64
		fragments     []string
	}{{1366, 768, wide}, {1280, 720, wide}, {768, 1024, wide}, {844, 390, fragments}, {390, 844, append(fragments, "#dobutsu/1?moves=b2b3.c4b3")}} {
		v := visitOn(t, server, "", screen.width, screen.height)
		for _, fragment := range screen.fragments {
			v.do(v.tab.Open(fragment))
			for _, part := range eval[[]string](v, cut) {
				t.Errorf("%d×%d: %s: not in the window: %s", screen.width, screen.height, fragment, part)
			}
			least := float64(min(screen.width, screen.height)) * 0.55
			if size := eval[[]float64](v, `(({width, height}) => [width, height])(document.querySelector("game-board").getBoundingClientRect())`); max(size[0], size[1]) < least {
				t.Errorf("%d×%d: %s: the board is %v pixels, want %.0f", screen.width, screen.height, fragment, size, least)
			}
		}
	}
}

// At 200 and 400 percent of 1366×768 nothing is wider than the screen, and the title does not lie over the navigation.
func TestZoom(t *testing.T) {
	for _, zoom := range []int64{2, 4} {
		v := visitOn(t, server, "", 1366/zoom, 768/zoom)
		for _, fragment := range []string{"", "#quixo/4?mode=play", "#hounds/1", "#nim/4", "#uttt/9", "#quixo/4?mode=statistics"} {
			v.do(v.tab.Open(fragment))
			if wide := eval[int64](v, "document.documentElement.scrollWidth"); wide > 1366/zoom {
				t.Errorf("%q is %d pixels wide at %d00 %%", fragment, wide, zoom)
			}
			if eval[bool](v, `((a, b) => a.width > 0 && b.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
				(document.querySelector("#board-name").getBoundingClientRect(), document.querySelector("nav").getBoundingClientRect())`) {
				t.Errorf("%q: the title is over the navigation at %d00 %%", fragment, zoom)
			}
		}
	}
}

// With forced colours the board to play in is visible.
func TestForcedColours(t *testing.T) {
	v := visit(t, "")
	v.do(v.tab.Prefer("forced-colors", "active"))
	v.do(v.tab.Open("#uttt/9?moves=d6"))
	v.wait(".detail", "O is to move")
	outline := func(selector string) string {
		return eval[string](v, `(({outlineWidth, outlineColor}) => outlineWidth + outlineColor)(getComputedStyle(document.querySelector(`+quote(selector)+`)))`)
	}
	style := func(selector, name string) string {
		return eval[string](v, `getComputedStyle(document.querySelector(`+quote(selector)+`)).`+name)
	}
	if style(`nav [aria-current]`, "borderBottomColor") == style(`nav a:not([aria-current])`, "borderBottomColor") {
		t.Error("the mode that is shown is marked as the others are")
	}
	if next, other := outline(".small.next"), outline(".small:not(.next)"); next == other {
		t.Errorf("the board to play in has the edge of the others, %s", next)
	}
	ink := eval[string](v, `getComputedStyle(document.body).color`)
	v.do(v.tab.Open("#hounds/1"))
	if got := style(".lines polyline", "stroke"); got != ink {
		t.Errorf("lines between points are %s, texts %s", got, ink)
	}
	v.do(v.tab.Open("#connect4-4x4/1"))
	if got := style("game-board .hole", "stroke"); got != ink {
		t.Errorf("the edges of holes are %s, texts %s", got, ink)
	}
}

// Touch targets on a phone are at least 44 pixels high.
func TestTouchTargets(t *testing.T) {
	for _, screen := range []struct {
		fragment      string
		width, height int64
	}{
		{"", 390, 844}, {"#quixo/4?mode=play", 390, 844}, {"#nim/8", 390, 844}, {"#nim/8", 844, 390}, {"#hounds/1", 390, 844}, {"#kayles-20/1", 390, 844},
		{"#quixo/4?mode=statistics", 390, 844}, {"#quixo/4?mode=edit", 390, 844}, {"#notakto/4?moves=a1.b2", 390, 844}, {"#tictactoe/3?mode=play&you=second&moves=a1.b1.b2.b3.c3", 844, 390},
	} {
		v := visitOn(t, server, screen.fragment, screen.width, screen.height, chromedp.EmulateMobile, chromedp.EmulateTouch)
		if small := eval[[]string](v, `[...document.querySelectorAll("button, select, a, game-board .cell, .check, .segments span, summary")].filter((e) => e.checkVisibility() && !e.disabled && !e.matches(".skip"))
			.map((e) => [e, e.getBoundingClientRect()]).filter(([, r]) => r.height > 0 && (r.height < 43.5 || r.width < 43.5)).map(([e, r]) => e.className + " " + e.textContent.slice(0, 20) + " " + r.width + "×" + r.height)`); len(small) > 0 {
			t.Errorf("%v has what is too small to touch: %.300q", screen, small)
		}
	}
}
