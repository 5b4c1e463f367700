package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A whole game with keys alone: to the board with Tab, over the cells with arrows.
func TestKeyboardAlone(t *testing.T) {
	v := visit(t, "#quixo/3")
	onBoard := `document.activeElement?.matches(".cell")`
	for range 30 {
		if eval[bool](v, onBoard) {
			break
		}
		v.keys(kb.Tab)
	}
	if got := eval[string](v, `document.activeElement.dataset.cell ?? ""`); got != "a3" {
		t.Fatalf("Tab leads to the cell %q, want a3", got)
	}
	if !eval[bool](v, `getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
		t.Error("the focus cannot be seen")
	}
	v.keys(kb.ArrowDown, kb.ArrowDown, kb.Enter) // takes a1
	v.wantLabel("a1", "a1 blank, taken")
	if got := eval[string](v, `document.querySelector("#live").textContent`); !strings.HasPrefix(got, "a1 taken. It can go back in at ") {
		t.Errorf("announced is %q", got)
	}
	v.keys(kb.Escape)
	v.wantLabel("a1", "a1 blank, win in 7")
	v.keys(" ", kb.ArrowRight, kb.ArrowRight, " ") // takes it again and pushes it in at c1
	v.waitHash("#quixo/3?moves=a1c1")
	if got := eval[string](v, `document.activeElement.dataset.cell ?? ""`); got != "c1" {
		t.Errorf("the focus is at %q after the move, want c1", got)
	}
	v.do(v.tab.Wait(`document.querySelector("#live").textContent.startsWith("a1c1 played.")`))
	v.keys("[")
	v.waitHash("#quixo/3?moves=a1c1&at=0")
	v.keys("?")
	v.do(v.tab.Wait(`document.querySelector("#help").open`))
	v.wait("#help", "takes a tile of the border")
	v.keys(kb.Escape)
	v.do(v.tab.Wait(`!document.querySelector("#help").open`))
	v.do(v.tab.Do(chromedp.Focus(chromedp.CSS(`move-history [aria-current]`))))
	v.keys(kb.ArrowRight)
	v.waitHash("#quixo/3?moves=a1c1")
	v.keys(kb.ArrowLeft)
	v.waitHash("#quixo/3?moves=a1c1&at=0")
}

// All cells, and whatever can be used, have names in the accessibility tree.
func TestAccessibilityTree(t *testing.T) {
	v := visit(t, "#notakto/4?mode=play&values=1")
	tree, err := chromedp.Call(v.tab.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	v.do(err)
	var cells []string
	used := []string{"button", "gridcell", "link", "combobox", "textbox", "checkbox", "radio", "slider", "grid"}
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role, name := text(node.Role), text(node.Name)
		if slices.Contains(used, role) && name == "" {
			t.Errorf("a %s has no name", role)
		}
		if role == "gridcell" {
			cells = append(cells, name)
		}
	}
	if len(cells) != 16 || !slices.ContainsFunc(cells, func(c string) bool { return c == "b3 empty, lose in 13" }) {
		t.Errorf("the cells are %q, want 16, b3 a loss in 13", cells)
	}
}

func text(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	return strings.Trim(string(value.Value), `"`)
}

// Nothing is wider than a phone, and all that is touched is large enough.
func TestPhone(t *testing.T) {
	v := visitOn(t, server, "", 360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)
	for _, fragment := range []string{
		"", "#quixo/3", "#notakto/5?after=c3", "#quixo/3?mode=play", "#quixo/3?mode=play&policy=optimal&blunder=0.2", "#quixo/3?mode=play&you=both", "#notakto/4?moves=a1.b2.c3", "#quixo/3?mode=edit", "#quixo/3?mode=statistics", "#tictactoe/3?moves=b2.a3.b3.b1.c2.a2.a1.c3.c1",
	} {
		v.do(v.tab.Open(fragment))
		if wide := eval[int](v, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%q is %d pixels wide", fragment, wide)
		}
		small := eval[[]string](v, `[...document.querySelectorAll("main button:not(.link), header button, header nav a, main select, main input:not([type=checkbox]):not([type=radio])")]
			.filter((e) => e.checkVisibility()).map((e) => [e, e.getBoundingClientRect()])
			.filter(([, r]) => r.height > 0 && (r.height < 40 || r.width < 40)).map(([e, r]) => e.outerHTML.slice(0, 80) + r.width + "×" + r.height)`)
		if len(small) > 0 {
			t.Errorf("%q has what is too small to touch: %q", fragment, small)
		}
	}
}

// Text contrasts with its background as WCAG AA requires, in both schemes.
func TestContrast(t *testing.T) {
	const ratio = `(() => {
		const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
		const light = (name) => {
			probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
			probe.fillRect(0, 0, 1, 1);
			const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const [a, b] = [light(%q), light(%q)].sort((a, b) => b - a);
		return (a + 0.05) / (b + 0.05);
	})()`
	v := visit(t, "")
	for _, scheme := range []string{"light", "dark"} {
		v.do(v.tab.Prefer("prefers-color-scheme", scheme))
		for _, c := range []struct {
			front, behind string
			least         float64
		}{
			{"--ink", "--ground", 7}, {"--ink", "--surface", 7}, {"--ink", "--raised", 7},
			{"--muted", "--ground", 4.5}, {"--muted", "--surface", 4.5}, {"--muted", "--raised", 4.5},
			{"--accent", "--surface", 4.5}, {"--on-accent", "--accent", 4.5}, {"--coordinate", "--board", 4.5},
			{"--win-text", "--surface", 4.5}, {"--draw-text", "--surface", 4.5}, {"--lose-text", "--surface", 4.5},
			{"--on-outcome", "--win", 4.5}, {"--on-outcome", "--draw", 4.5}, {"--on-outcome", "--lose", 4.5},
			{"--mark-x", "--tile", 3}, {"--mark-o", "--tile", 3}, {"--edge", "--surface", 3}, {"--gold", "--tile", 3},
			{"--kept", "--raised", 3}, {"--gold", "--raised", 3}, {"--lose-text", "--raised", 4.5},
		} {
			if got := eval[float64](v, fmt.Sprintf(ratio, c.front, c.behind)); got < c.least {
				t.Errorf("%s: %s on %s has a contrast of %.2f, want %.1f", scheme, c.front, c.behind, got, c.least)
			}
		}
	}
}
