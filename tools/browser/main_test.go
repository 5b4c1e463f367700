package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// One browser and one server are enough for all tests: each has its own tab.
var (
	programs string
	tables   string
	site     string // of static files
	browser  context.Context
	server   *Server
)

func TestMain(m *testing.M) {
	status, err := withBrowser(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		status = 1
	}
	os.Exit(status)
}

// withBrowser runs the tests with a browser if there is one; otherwise they skip.
func withBrowser(tests func() int) (int, error) {
	if _, err := Chromium(); err != nil {
		return tests(), nil
	}
	dir, err := os.MkdirTemp("", "backsolve-browser-tests-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	if programs, err = Programs(ctx, dir); err != nil {
		return 0, err
	}
	tables = filepath.Join(dir, "tables")
	err = Solve(ctx, programs, tables, "quixo 3 --steps", "quixo 4 --steps", "notakto 3 --steps", "notakto 4 --steps",
		"tictactoe 3 --steps", "notakto 5 --keep table --after c3", "notakto 2x3 --steps", "notakto 3x3,torus,normal --steps",
		"quixo 2x3,both-draw --steps", "tictactoe 3x4,three --steps", "hounds", "connect4-4x4", "morris-3", "chomp-4x4", "domineering-4x4", "kayles-20")
	if err != nil {
		return 0, err
	}
	site = filepath.Join(dir, "site")
	if err := makeSite(ctx); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(tables, "quixo-2x2.tb"), []byte("not a table"), 0o644); err != nil {
		return 0, err
	}
	if server, err = Serve(programs, tables); err != nil {
		return 0, err
	}
	defer server.Close()
	ctx, end, err := Browser(ctx)
	if err != nil {
		return 0, err
	}
	defer end()
	browser = ctx
	return tests(), nil
}

// visitor is a tab in a test, which fails where something cannot be done, and where
// something has happened in the tab that should not.
type visitor struct {
	*testing.T
	tab      *Tab
	problems *problems
}

func visit(t *testing.T, fragment string) *visitor {
	return visitOn(t, server, fragment, 1200, 900)
}

func visitOn(t *testing.T, s *Server, fragment string, width, height int64, options ...chromedp.EmulateViewportOption) *visitor {
	t.Helper()
	if _, err := Chromium(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(browser)
	tab, err := NewTab(ctx, s, width, height, options...)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	v := newVisitor(t, tab)
	t.Cleanup(func() {
		defer cancel()
		for _, problem := range v.problems.take() {
			t.Error(problem)
		}
	})
	v.do(tab.Open(fragment))
	return v
}

// newVisitor returns a visitor that records the problems of a tab.
func newVisitor(t *testing.T, tab *Tab) *visitor {
	t.Helper()
	v := &visitor{t, tab, &problems{server: tab.server.URL}}
	v.do(v.problems.listen(tab.ctx))
	return v
}

// do handles the error of a step.
func (v *visitor) do(err error) {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
}

func (v *visitor) click(selectors ...string) {
	v.Helper()
	for _, selector := range selectors {
		v.do(v.tab.Click(selector))
	}
}

// cell selects a cell of the board.
func cell(name string) string { return fmt.Sprintf(`[data-cell=%q]`, name) }

// cells clicks at cells.
func (v *visitor) cells(names ...string) {
	v.Helper()
	for _, name := range names {
		v.click(cell(name))
	}
}

func (v *visitor) keys(keys ...string) {
	v.Helper()
	v.do(v.tab.Keys(keys...))
}

// choose chooses an option as a person does, with all events.
func (v *visitor) choose(selector, value string) {
	v.Helper()
	eval[bool](v, fmt.Sprintf(`(() => { const s = document.querySelector(%s); s.value = %s; return s.dispatchEvent(new Event("change", {bubbles: true})) })()`,
		quote(selector), quote(value)))
	v.do(v.tab.Ready())
}

// wait waits until an element's text has something in it.
func (v *visitor) wait(selector, text string) {
	v.Helper()
	v.do(v.tab.Wait(fmt.Sprintf("document.querySelector(%s)?.innerText.includes(%s)", quote(selector), quote(text))))
}

// waitHash waits until the fragment of the address is this one.
func (v *visitor) waitHash(want string) {
	v.Helper()
	v.do(v.tab.Wait("location.hash === " + quote(want)))
	v.do(v.tab.Ready())
}

// label is what those hear of a cell who do not see it.
func (v *visitor) label(name string) string {
	v.Helper()
	return eval[string](v, fmt.Sprintf("document.querySelector(%s).querySelector('.hidden').textContent", quote(cell(name))))
}

func (v *visitor) wantLabel(name, want string) {
	v.Helper()
	if got := v.label(name); got != want {
		v.Errorf("the cell is %q, want %q", got, want)
	}
}

func eval[T any](v *visitor, expression string) T {
	v.Helper()
	got, err := Eval[T](v.tab, expression)
	v.do(err)
	return got
}

// expectProblems takes away the problems that a test has made itself.
func (v *visitor) expectProblems(kind string) {
	v.Helper()
	problems := v.problems.take()
	if len(problems) == 0 {
		v.Errorf("the browser has noted nothing about %q", kind)
	}
	for _, problem := range problems {
		if !strings.Contains(problem, kind) {
			v.Error(problem)
		}
	}
}
