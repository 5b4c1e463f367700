package browser

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// legendTexts are the texts of the legend, without its signs.
const legendTexts = `[...document.querySelectorAll("board-legend > span")].map((item) =>
	[...item.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data).join(""))`

// wantLegend checks the texts of the legend besides the values.
func (v *visitor) wantLegend(want ...string) {
	v.Helper()
	got := slices.DeleteFunc(eval[[]string](v, legendTexts), func(text string) bool {
		return text == "win" || text == "draw" || text == "lose" || strings.HasPrefix(text, "number: ")
	})
	if !slices.Equal(got, want) {
		v.Errorf("the legend says %q, want %q", got, want)
	}
}

// unexplained are the differences between the signs that are on the board and those in the
// legend. The edge of the last move may be left out where values and tiles are explained.
const unexplained = `(() => {
	const board = document.querySelector("game-board"), legend = document.querySelector("board-legend");
	const wrong = (name, onBoard, explained) => onBoard === explained ? [] : [name + (onBoard ? " is on the board and not explained" : " is explained and not on the board")];
	const signs = {
		complete: ".cell.complete", target: ".cell.target", place: ".cell .spot", "hint-take": ".cell.hint-take", "hint-put": ".cell.hint-put",
		takeable: board.matches("[data-surface=points], [data-surface=heaps]") ? ".none" : ".cell.takeable", // pieces and counters do not stand out
		next: ".small.next", "by-x": ".small.by-x", "by-o": ".small.by-o", dead: ".small.dead"};
	const has = (selector) => board.querySelector(selector) !== null;
	const outcomes = ["win", "draw", "lose"].flatMap((o) => wrong(o, has(".badge." + o), legend.querySelector(".badge." + o) !== null));
	const others = Object.entries(signs).flatMap(([sign, cells]) => wrong(sign, has(cells), legend.querySelector(".sample." + sign) !== null));
	const crowded = has(".badge") && (has(".cell.takeable") || has(".cell.target"));
	const last = wrong("last", has(".cell.last:not(.complete)") && !crowded, legend.querySelector(".sample.last") !== null);
	return [...outcomes, ...others, ...last];
})()`

// checkLegend wants the legend to explain the signs that are on the board, and no others. It reports whether there is a board.
func (v *visitor) checkLegend() bool {
	v.Helper()
	if !eval[bool](v, `document.querySelector("game-board").checkVisibility()`) {
		return false
	}
	for _, wrong := range eval[[]string](v, unexplained) {
		v.Error(wrong)
	}
	return true
}

// While a tile is taken, the legend explains where it can go back in, and not what can be taken.
func TestLegendOfPushes(t *testing.T) {
	v := visit(t, "#quixo/3")
	v.wantLegend("can be taken")
	v.cells("a1")
	v.wantLegend("push it in here")
	v.keys(kb.Escape)
	v.wantLegend("can be taken")
	v.cells("a1", "c1")
	v.wantLegend("can be taken")
	v.do(v.tab.Open("#quixo/3?mode=edit&moves=a1c1"))
	v.wantLegend("last move")

	// Without the values there is room for the last move.
	v = visit(t, "#quixo/3?mode=play&you=first")
	v.wantLegend("can be taken")
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wantLegend("can be taken", "hint: take it here", "push it in here")
	v.cells("a3")
	v.wantLegend("push it in here") // the hint is for another tile
	v.keys(kb.Escape)
	v.cells("a1")
	v.wantLegend("push it in here", "hint")
	if outline := eval[[]string](v, `[...document.querySelectorAll(".cell.target .tile-base")].map((e) => getComputedStyle(e).strokeDasharray)`); len(slices.Compact(slices.Sorted(slices.Values(outline)))) != 2 {
		t.Errorf("the edges of the places where the tile can go are %q; that of the hint should be another one", outline)
	}
	v.cells(eval[string](v, `document.querySelector(".cell.hint-put").dataset.cell`))
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`))
	v.do(v.tab.Ready())
	v.wantLegend("can be taken", "last move")
}

// Marks on the boards of other games are explained too.
func TestLegends(t *testing.T) {
	v := visit(t, "")
	for fragment, want := range map[string][]string{
		"#notakto/3":                                    {},
		"#notakto/3?moves=b2":                           {"last move"},
		"#notakto/3?moves=a1.b2.c3":                     {"complete line"},
		"#notakto/3?mode=edit":                          {},
		"#notakto/3?mode=edit&p=XXX/.../...":            {"complete line"},
		"#nim/3?moves=c2":                               {"last move"},
		"#dawson/9?moves=e":                             {"last move"},
		"#othello/6":                                    {"possible move"},
		"#othello/6?moves=d5":                           {"possible move", "last move"},
		"#notakto-boards/2?moves=1a1.1b2":               {"last move"},
		"#notakto-boards/2?moves=1a1.1b2.1c3":           {"dead", "last move"},
		"#uttt/9":                                       {"play goes on here"},
		"#uttt/9?moves=d6":                              {"play goes on here", "last move"},
		"#uttt/9?p=XXX......" + rest9 + "_o_-":          {"play goes on here", "won"},
		"#tictactoe/3?moves=b2.a3.b3.b1.c2.a2.a1.c3.c1": {"last move"},
	} {
		v.do(v.tab.Open(fragment))
		t.Log(fragment)
		v.wantLegend(want...)
	}
	v.do(v.tab.Open("#nim/3?mode=play&you=first"))
	v.click("opponent-panel .buttons button:nth-child(3)")
	v.wantLegend("hint")
}

// rest9 are all rows of nine boards but the first one, without a mark.
var rest9 = strings.Repeat("/.........", 8)
