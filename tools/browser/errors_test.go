package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// serve starts a server of a test's own.
func serve(t *testing.T, flags ...string) *Server {
	t.Helper()
	if _, err := Chromium(); err != nil {
		t.Skip(err)
	}
	s, err := Serve(programs, tables, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// The page asks for a token and sends it to a server that wants one, until the tab is closed.
func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := visitOn(t, serve(t, "--token-file", file), "#notakto/3", 1200, 900)
	for _, c := range []struct{ token, asked string }{
		{"wrong-horse-battery-staple", "Whoever runs it can give you an access key"},
		{"correct-horse-battery-staple", "This access key is not valid"},
	} {
		v.do(v.tab.Wait(`document.querySelector("#token").open`))
		v.wait("#token", "This server is not open to everyone")
		v.wait("#token", c.asked)
		v.do(v.tab.Do(chromedp.SendKeys(chromedp.CSS("#token-text"), c.token)))
		v.click("#token [type=submit]")
	}
	v.wait("game-status", "Win in 6")
	v.expectProblems("401")
	v.do(v.tab.Do(chromedp.Reload()))
	v.wait("game-status", "Win in 6")
	if eval[bool](v, `document.querySelector("#token").open`) {
		t.Error("the token is asked for again")
	}
}

// A user without an access key can close the dialog and then sees the reason.
func TestTokenNotGiven(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("correct-horse-battery-staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := visitOn(t, serve(t, "--token-file", file), "#notakto/3", 1200, 900)
	v.do(v.tab.Wait(`document.querySelector("#token").open`))
	v.keys(kb.Escape)
	v.do(v.tab.Wait(`!document.querySelector("#token").open`))
	v.wait("page-notice", "This server answers only with an access key.")
	v.click("page-notice .primary")
	v.do(v.tab.Wait(`document.querySelector("#token").open`))
	v.expectProblems("401")
}

// The page reports a rate limit and later continues where it was.
func TestTooManyRequests(t *testing.T) {
	v := visitOn(t, serve(t, "--rate", "1"), "", 1200, 900)
	const exhaust = `(async () => { while ((await fetch("v1/tables", {cache: "no-store"})).status !== 429); return true })()`
	if _, err := chromedp.Run(v.tab.ctx, chromedp.Evaluate[bool](exhaust, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	eval[any](v, `location.hash = "#notakto/3?moves=b2.a3.c2"`)
	v.wait("page-notice", "Try again in")
	v.do(v.tab.Wait(`document.querySelector("game-status")?.innerText.includes(" in ") || (document.querySelector("page-notice .primary")?.click(), false)`))
	v.wantLabel("c2", "c2 X, last move")
	v.expectProblems("429")
}
