package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// The numbers agree with tbsolve info.
func TestStatistics(t *testing.T) {
	v := visit(t, "#quixo/3?mode=statistics")
	v.wait("table-statistics", "19,683")
	v.wait("table-statistics .totals", "12,748 (64.8 %, 4.44K of them over)")
	v.wait("table-statistics .totals", "6,935 (35.2 %")
	v.wait("table-statistics .facts", "7 steps, in 29 states")
	v.wait("table-statistics .facts", "8 steps, in 4 states")
	bars := func(chart string) int {
		return eval[int](v, `document.querySelectorAll("section:nth-of-type(`+chart+`) .bar").length`)
	}
	if classes, steps := bars("2"), bars("3"); classes != 10 || steps != 9 {
		t.Errorf("there are %d classes and %d steps, want 10 and 9", classes, steps)
	}
	if got := eval[string](v, `document.querySelector("section:nth-of-type(2) .bar").getAttribute("aria-label")`); got != "0 marked cells: win 1 (100.0 %), lose 0 (0 %)" {
		t.Errorf("the first bar is %q", got)
	}
	sum := eval[int](v, `[...document.querySelectorAll("section:nth-of-type(3) td")].reduce((sum, cell) => sum + Number(cell.textContent.replaceAll(",", "")), 0)`)
	if sum != 19683 {
		t.Errorf("the table of steps has %d states, want 19683", sum)
	}
	if got := eval[string](v, `document.querySelector("section:nth-of-type(3) select").value`); got != "log" {
		t.Errorf("the scale of counts from 4 to thousands is %q", got)
	}
	if got := eval[string](v, `document.querySelector("section:nth-of-type(3) .axis:nth-of-type(2) text").textContent`); got != "10" {
		t.Errorf("the second line of a logarithmic scale is %q, want 10", got)
	}
	eval[any](v, `document.querySelector("section:nth-of-type(3) .bar").focus()`)
	v.keys(kb.ArrowRight)
	v.wait("section:nth-of-type(3) .tip", "1 steps")
	v.click("table-statistics .facts button.link")
	v.wait("game-status", "Win in 7")
}

func TestStatisticsWithoutSteps(t *testing.T) {
	v := visit(t, "#notakto/5?after=c3&mode=statistics")
	v.wait("table-statistics", "16,777,216")
	v.wait("table-statistics", "This table has no steps")
	v.wait("table-statistics .facts", "not known without steps")
}
