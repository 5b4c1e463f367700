package browser

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// installed returns the path of a file of a package in checks, or skips the test.
func installed(t *testing.T, path ...string) string {
	t.Helper()
	name, err := filepath.Abs(filepath.Join(append([]string{"checks", "node_modules"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Skip(path[0] + " is not installed; npm ci in tools/browser/checks installs it")
	}
	return name
}

// views are all that the page can show, by their names.
var views = []struct {
	name, fragment string
	prepare        string // what is clicked before, as a CSS selector; "" where nothing is
}{
	{"tables", "", "table-list summary"},
	{"analysis", "#notakto/4?moves=a1.b2.c3.d1", "main-line summary"},
	{"analysis-of-pushes", "#quixo/4?p=XXOO/O.XO/O..X/XXO._x&moves=d1d4.a2a1", "main-line summary"},
	{"variations", "#notakto/4?moves=a1.b2.c3.d1&lines=2.d3.a4*3.c2*2.d3.b1", ""},
	{"tile-taken", "#quixo/4", cell("a1")},
	{"game", "#quixo/4?mode=play&moves=a1a4.d4a4", ""},
	{"game-with-values", "#tictactoe/3?mode=play&values=1&policy=optimal&blunder=0.2", ""},
	{"two-people", "#quixo/4?mode=play&you=both&moves=a1a4", "opponent-panel .buttons button:nth-child(3)"},
	{"game-over", "#notakto/3?mode=play&you=both&moves=a1.b2.c3", ""},
	{"drawn-game-over", "#tictactoe/3?moves=b2.a3.b3.b1.c2.a2.a1.c3.c1", ""},
	{"draw-offered", "#quixo/4?mode=play&you=both&p=..OX/.O.O/X..O/O.XX_x&moves=a2a1.a2a1", ""},
	{"set-up", "#quixo/4?mode=edit&p=X.../..../..../...O_o", ""},
	{"statistics", "#quixo/4?mode=statistics", ""},
	{"heaps", "#nim/5?moves=e2", ""},
	{"heaps-set-up", "#nim/4?mode=edit&p=1/3/15/7", ""},
	{"files", "#dawson-normal/9?moves=b", ""},
	{"many-files", "#dawson/24?mode=play&moves=h.n", ""},
	{"several-boards", "#notakto-boards/3?p=XXX/.../...%2BX../.X./...%2B.../.../...", ""},
	{"nine-boards", "#uttt/9?p=XXX..O.../...O...../.....O.../.X......./O..OOO.../....X..../......X../.X......./........X_o_b1", ""},
	{"nine-boards-game", "#uttt/9?mode=play&you=both&moves=e5.d4.b1", ""},
	{"discs", "#othello/6?moves=d5.c5", ""},
	{"pass", "#othello/4?p=OX../..../..../...._x", ""},
	{"heaps-over", "#nim/2?moves=b2.a1.b1", ""},
	{"rows", "#hounds/1?moves=a2b2", "main-line summary"},
	{"rectangle", "#notakto/2x3?moves=a1.b2", "main-line summary"},
	{"boards-of-other-sizes", "#notakto-boards/3+4?moves=1b2.2a1", "main-line summary"},
	{"no-table", "#notakto/2x18?moves=a1", ""},
	{"drawing", "#morris-3/1?mode=play&you=both&moves=a2.b2", ""},
	{"puzzle", "#quixo/4?mode=puzzle&p=XXOO/O.XO/O..X/XXO._x", ""},
	{"lesson", "#notakto/3?mode=puzzle&p=XX./.X./...&lesson=2&you=second&moves=c1", ""},
	{"puzzle-line", "#quixo/3?mode=puzzle&seed=1", "puzzle-panel .buttons button:nth-child(2)"},
	{"wrong-link", "#notakto/3?foo=1&mode=win", ""},
	{"help", "#notakto/3", "#open-help"},
}

// axe finds nothing to object to in anything that the page can show, on a large screen
// in light and a small one in dark, and the legend explains all of it.
func TestAxe(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile(installed(t, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	const run = `axe.run().then(({passes, violations}) => ({
		passes: passes.length,
		violations: violations.flatMap(({id, nodes}) => nodes.map((n) => id + ": " + n.html.slice(0, 160) + " " + n.failureSummary)),
	}))`
	var shown, boards atomic.Int64
	t.Cleanup(func() {
		if n := boards.Load(); shown.Load() == int64(len(views)) && n < 15 {
			t.Errorf("only %d views have a board", n)
		}
	})
	for _, view := range views {
		t.Run(view.name, func(t *testing.T) {
			t.Parallel()
			v := visitOn(t, server, view.fragment, 1200, 800)
			if view.prepare != "" {
				v.click(view.prepare)
			}
			shown.Add(1)
			if v.checkLegend() {
				boards.Add(1)
			}
			eval[any](v, string(axe)+"; 0")
			for _, screen := range []struct {
				width  int64
				scheme string
			}{{1200, "light"}, {360, "dark"}} {
				v.do(v.tab.Do(chromedp.EmulateViewport(screen.width, 800)))
				v.do(v.tab.Prefer("prefers-color-scheme", screen.scheme))
				v.do(v.tab.Ready())
				found, err := chromedp.Run(v.tab.ctx, chromedp.Evaluate[struct {
					Passes     int      `json:"passes"`
					Violations []string `json:"violations"`
				}](run, chromedp.EvalAwaitPromise))
				v.do(err)
				if found.Passes < 10 {
					t.Errorf("%d pixels wide: only %d rules were held against the page", screen.width, found.Passes)
				}
				for _, violation := range found.Violations {
					t.Errorf("%d pixels wide, %s: %s", screen.width, screen.scheme, violation)
				}
			}
		})
	}
}

// Lighthouse gives the page full marks for accessibility, and the page is light and does not move. How quick it is depends on the
// machine.
func TestLighthouse(t *testing.T) {
	t.Parallel()
	program := installed(t, "lighthouse", "cli", "index.js")
	chromium, err := Chromium()
	if err != nil {
		t.Skip(err)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js on this machine to run Lighthouse")
	}
	const fragment = "#quixo/4?moves=a1a4.d4a4"
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	report := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.CommandContext(ctx, node, program, server.URL+fragment, "--only-categories=accessibility,performance", "--output=json", "--output-path="+report,
		"--quiet", "--max-wait-for-load=8000", "--no-enable-error-reporting", "--throttling-method=provided", "--disable-full-page-screenshot", "--chrome-flags=--headless --no-sandbox --disable-dev-shm-usage --lang=en-US")
	cmd.Env = append(os.Environ(), "CHROME_PATH="+chromium)
	if err := runs(cmd); err != nil {
		t.Fatal(err)
	}
	checkReport(t, fragment, report)
}

// checkReport reads what Lighthouse has found.
func checkReport(t *testing.T, fragment, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Categories struct {
			Accessibility struct {
				Score     *float64 `json:"score"`
				AuditRefs []struct {
					ID string `json:"id"`
				} `json:"auditRefs"`
			} `json:"accessibility"`
		} `json:"categories"`
		Audits map[string]struct {
			Score   *float64        `json:"score"`
			Value   *float64        `json:"numericValue"`
			Title   string          `json:"title"`
			Details json.RawMessage `json:"details"`
		} `json:"audits"`
	}
	if err := json.Unmarshal(content, &report); err != nil {
		t.Fatal(err)
	}
	found := report.Categories.Accessibility
	if found.Score == nil {
		t.Fatalf("%q: Lighthouse has given no score: %.500s", fragment, content)
	}
	if *found.Score < 1 {
		t.Errorf("%q: the accessibility is %.2f, want 1", fragment, *found.Score)
	}
	for id, most := range map[string]float64{"total-byte-weight": 120_000, "cumulative-layout-shift": 0.01} {
		if value := report.Audits[id].Value; value == nil || *value > most {
			t.Errorf("%q: %s is %v, want at most %v", fragment, id, value, most)
		}
	}
	held := 0
	for _, ref := range found.AuditRefs {
		audit := report.Audits[ref.ID]
		if audit.Score == nil {
			continue // it does not apply
		}
		held++
		if *audit.Score < 1 {
			t.Errorf("%q: %s: %s %s", fragment, ref.ID, audit.Title, audit.Details)
		}
	}
	if held < 10 {
		t.Errorf("%q: only %d audits were held against the page", fragment, held)
	}
}
