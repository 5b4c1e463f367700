package browser

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// A board without a table is solved from the page, with a plan, a progress bar and a way to stop;
// the values appear when it is done.
func TestSolveThisBoard(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	const secret = "f9ab3c7d52e84061f9ab3c7d52e84061"
	if err := os.WriteFile(tokens, []byte("*\n"+secret+" solve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := visitOn(t, serve(t, "--jobs", filepath.Join(dir, "jobs"), "--token-file", tokens, "--job-memory", "4GiB"), "#connect4-5x5/1", 1200, 900)
	v.wait("solve-panel", "so it needs a token with the right to solve") // which the visitor has not
	v.expectProblems("403")
	v.do(v.tab.Open("#tictactoe/2"))
	v.wait("solve-panel", "This board has no table")
	v.wait("solve-panel", "of memory")
	const button = `document.querySelector("solve-panel .primary")`
	if got := eval[bool](v, `getComputedStyle(`+button+`).backgroundColor === (`+button+`.disabled = true, getComputedStyle(`+button+`).backgroundColor)`); got {
		t.Error("a button that does nothing looks like one that does")
	}
	eval[any](v, button+`.disabled = false`)
	v.click("solve-panel .primary")
	v.do(v.tab.Wait(`document.querySelector("#token").open`)) // whoever may look may not solve
	v.expectProblems("401")
	eval[any](v, `document.querySelector("#token-text").value = "`+secret+`"`)
	v.click("#token .primary")
	v.do(v.tab.Wait(`document.querySelector("solve-panel").hidden && document.querySelector("a[data-mode=statistics]").checkVisibility()`))
	v.wait("game-status", "Win in 3")

	v.do(v.tab.Open("#tictactoe/6")) // too large: said without a request that fails
	v.wait("solve-panel", "Board too large")
	if eval[bool](v, `document.querySelector("solve-panel .primary").checkVisibility()`) {
		t.Error("a board that is too large can be solved")
	}

	v.do(v.tab.Open("#notakto/7")) // too large for this server
	v.wait("solve-panel", "the server allows a job 4.0 GiB; choose a smaller board, or solve this one on a machine of your own")

	v.do(v.tab.Open("#connect4-5x5/1")) // whose plan takes seconds
	v.wait("solve-panel", "Estimating what solving takes")
	v.wait("solve-panel", "(95 %: ")

	v.do(v.tab.Open("#notakto/6"))
	v.wait("solve-panel", "about")
	v.click("solve-panel .primary")
	v.do(v.tab.Wait(`document.querySelector("solve-panel progress").checkVisibility()`))
	v.wait("solve-panel h2", "This board is being solved")
	v.before(`addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
		const panel = document.querySelector("solve-panel:not([hidden])");
		if (panel) (window.headings ??= new Set()).add(panel.querySelector("h2").textContent);
	}).observe(document.body, {subtree: true, childList: true, attributes: true}))`)
	v.wait("solve-panel h2", "This board is being solved")
	if got := eval[[]string](v, `[...headings]`); len(got) != 1 {
		t.Errorf("while a board is solved the headings are %q", got)
	}
	v.click("solve-panel .buttons button:last-child")
	v.wait("solve-panel", "Stopped.")
}

// A game of one's own is added by its rules file, and solved from its board.
func TestOwnRules(t *testing.T) {
	dir := t.TempDir()
	tokens := filepath.Join(dir, "tokens")
	const secret = "f9ab3c7d52e84061f9ab3c7d52e84061"
	if err := os.WriteFile(tokens, []byte("*\n"+secret+" solve\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := filepath.Abs("../../game/wasm/testdata/take21.wasm")
	if err != nil {
		t.Fatal(err)
	}
	v := visitOn(t, serve(t, "--jobs", filepath.Join(dir, "jobs"), "--token-file", tokens), "", 1200, 900)
	v.wait("table-list", "A game of your own")
	v.do(v.tab.Do(chromedp.SetUploadFiles(chromedp.CSS("#rules-file"), []string{rules})))
	v.do(v.tab.Wait(`document.querySelector("#token").open`))
	v.expectProblems("401")
	eval[any](v, `document.querySelector("#token-text").value = "`+secret+`"`)
	v.click("#token .primary")
	v.waitHash("#take-21/1")
	v.wait("solve-panel", "This board has no table")
	v.wait("solve-panel", "of memory")
	v.click("solve-panel .primary")
	v.wait("game-status", "Win in 11")
}
