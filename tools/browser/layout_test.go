package main

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// shifts is how much of what was seen has moved by itself, as browsers count it: not
// within half a second after a click or a key.
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
