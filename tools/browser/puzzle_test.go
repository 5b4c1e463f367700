package browser

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// puzzleOf returns a puzzle with a move that wins and one that does not.
func puzzleOf(t *testing.T, board string, query url.Values) (position, right, wrong string) {
	t.Helper()
	query.Set("outcome", "win")
	query.Set("only", "true")
	a := ask(t, "v1/"+board+"/random", query)
	for _, m := range a.Moves {
		if m.Outcome == "win" {
			right = m.Move
		} else {
			wrong = m.Move
		}
	}
	return a.Position, right, wrong
}

// A wrong move gets its true value, and can be taken back; after the right moves the puzzle is
// solved. The streak counts each puzzle once.
func TestPuzzle(t *testing.T) {
	position, right, _ := puzzleOf(t, "quixo/4", url.Values{"steps": {"1"}, "seed": {"1"}})
	fragment := "#quixo/4?mode=puzzle&p=" + url.QueryEscape(underscored(position))
	v := visitOn(t, serve(t), fragment, 1200, 900)
	v.wait("puzzle-panel", "One move wins: find it.")
	if eval[bool](v, `!!document.querySelector("game-board .badge")`) {
		t.Error("the board shows values before the puzzle is solved")
	}
	v.cells(right[:2], right[2:])
	v.wait("puzzle-panel", "Solved: the win is safe.")
	v.wait("puzzle-panel", "Solved in a row: 1")
	v.click("puzzle-panel button.primary")
	v.do(v.tab.Wait(`location.hash.includes("p=") && location.hash !== ` + quote(fragment)))
	v.wait("puzzle-panel", "One move wins: find it.")

	position, right, wrong := puzzleOf(t, "quixo/4", url.Values{"steps": {"1"}, "seed": {"3"}})
	v.do(v.tab.Open("#quixo/4?mode=puzzle&p=" + url.QueryEscape(underscored(position))))
	v.wait("puzzle-panel", "One move wins: find it.")
	v.cells(wrong[:2], wrong[2:])
	v.wait("puzzle-panel", wrong+" is wrong")
	v.click("puzzle-panel .buttons button:nth-child(1)")
	v.wait("puzzle-panel", "One move wins: find it.")
	v.click("puzzle-panel .buttons button:nth-child(2)")
	v.wait("puzzle-panel", "The line from here to the end")
	v.do(v.tab.Wait(`location.hash.includes("moves=` + right + `")`))
	v.wait("puzzle-panel", "Solved in a row: 0")
}

// The opponent answers a right move, and the puzzle goes on until several moves win or the game is over.
func TestPuzzleGoesOn(t *testing.T) {
	position, right, _ := puzzleOf(t, "quixo/4", url.Values{"steps": {"7"}, "seed": {"2"}})
	v := visit(t, "#quixo/4?mode=puzzle&p="+url.QueryEscape(underscored(position)))
	v.cells(right[:2], right[2:])
	v.do(v.tab.Wait(`document.querySelectorAll("move-history li").length === 3`)) // the start, the move and the reply
	v.do(v.tab.Wait(`/Right|Solved/.test(document.querySelector("puzzle-panel").innerText)`))
}

// If a depth has no puzzles, there is another one, and nothing in the console: on Notakto 4×4 the
// deepest wins have no only move.
func TestPuzzleAtEachDepth(t *testing.T) {
	v := visit(t, "")
	for streak := range 7 {
		eval[bool](v, `(localStorage.setItem("backsolve-streak", "`+strconv.Itoa(streak)+`"), true)`)
		v.do(v.tab.Open("#notakto/4"))
		v.do(v.tab.Open("#notakto/4?mode=puzzle"))
		v.do(v.tab.Wait(`location.hash.includes("p=")`))
		v.wait("puzzle-panel", "One move wins: find it.")
	}
	eval[bool](v, `(localStorage.removeItem("backsolve-streak"), true)`)
}

// Games whose positions are known near the end alone have a tutorial where the server searches, and none elsewhere.
func TestTutorialBySearch(t *testing.T) {
	const link = `.game-card a[href*="uttt"][href*="lesson=1"]`
	v := visit(t, "")
	v.do(v.tab.Wait(`document.querySelector('.game-card a[href*="dawson"][href*="lesson=1"]')?.checkVisibility()`))
	if eval[bool](v, `!!document.querySelector(`+quote(link)+`)?.checkVisibility()`) {
		t.Error("there is a tutorial of what the server does not know")
	}
	v = visitOn(t, serve(t, "--think", "10s"), "", 1200, 900)
	v.do(v.tab.Wait(`document.querySelector(` + quote(link) + `)?.checkVisibility()`))
	v.click(link)
	v.wait("puzzle-panel", "Lesson 1 of 3")
	v.cells("e5")
	v.click("puzzle-panel button.primary")
	v.wait("puzzle-panel", "Lesson 2 of 3")
	v.cells("e8")
	v.wait("puzzle-panel", "Solved")
	v.click("puzzle-panel button.primary")
	v.wait("puzzle-panel", "Lesson 3 of 3")
	v.cells("i3")
	v.do(v.tab.Wait(`/Right|Solved/.test(document.querySelector("puzzle-panel").innerText)`))
}

// The puzzle of the day is the same for everybody.
func TestPuzzleOfTheDay(t *testing.T) {
	v := visit(t, "")
	href := eval[string](v, `document.querySelector("#daily").getAttribute("href")`)
	if day := eval[string](v, `new Date().toISOString().slice(0, 10).replaceAll("-", "")`); !strings.HasSuffix(href, "seed="+day) {
		t.Errorf("the puzzle of the day is at %s, want the seed %s", href, day)
	}
	var drawn []string
	for range 2 {
		v := visitOn(t, serve(t), "#quixo/4?mode=puzzle&seed=20301231", 1200, 900)
		v.do(v.tab.Wait(`location.hash.includes("p=")`))
		v.wait("puzzle-panel", "One move wins: find it.")
		drawn = append(drawn, eval[string](v, "location.hash"))
	}
	if drawn[0] != drawn[1] {
		t.Errorf("the puzzle of a day is %s and %s", drawn[0], drawn[1])
	}
}

// The link that is copied has the view in its query, for previews, and opens it.
func TestCopiedLink(t *testing.T) {
	v := visit(t, "#notakto/3?moves=a1.b2&at=1")
	eval[bool](v, `(navigator.clipboard.writeText = async (text) => { window.copied = text }, true)`)
	v.click("#copy-link")
	v.wait("#toast", "The link is copied")
	if got, want := eval[string](v, "window.copied"), server.URL+"?notakto/3?moves=a1.b2&at=1"; got != want {
		t.Fatalf("the link is %s, want %s", got, want)
	}
	v = visit(t, "?notakto/3?moves=a1.b2&at=1")
	v.waitHash("#notakto/3?moves=a1.b2&at=1")
	v.wait("game-status", "Win in 6")
}

// The tutorial has three lessons, after which come puzzles.
func TestTutorial(t *testing.T) {
	v := visitOn(t, serve(t), "", 1200, 900)
	v.do(v.tab.Wait(`document.querySelector('.game-card a[href*="notakto"][href*="lesson=1"]')?.checkVisibility()`))
	v.click(`.game-card a[href*="notakto"][href*="lesson=1"]`)
	v.wait("puzzle-panel", "Lesson 1 of 3")
	v.cells("a1")
	v.wait("puzzle-panel", "That was a legal move.")
	v.click("puzzle-panel button.primary")
	v.wait("puzzle-panel", "Lesson 2 of 3")
	v.cells("c1") // the trap
	v.wait("puzzle-panel", "c1 is wrong")
	if eval[bool](v, `document.querySelector("move-history").innerText.includes("a2")`) {
		t.Error("the moves that were played give the solution away")
	}
	v.click("puzzle-panel .buttons button:nth-child(1)")
	v.wait("puzzle-panel", "Now win as fast as you can.")
	// By keys alone.
	eval[bool](v, `(document.querySelector('[data-cell="a3"]').focus(), true)`)
	v.keys(kb.ArrowDown, kb.Enter)
	v.wait("puzzle-panel", "Solved")
	v.click("puzzle-panel button.primary")
	v.wait("puzzle-panel", "Lesson 3 of 3")
	v.cells("a1")
	v.do(v.tab.Wait(`/Right|Solved/.test(document.querySelector("puzzle-panel").innerText)`))
	v.click("puzzle-panel .buttons button:nth-child(3)")
	v.do(v.tab.Wait(`!location.hash.includes("lesson=") && location.hash.includes("p=")`))
	v.wait("puzzle-panel", "One move wins: find it.")
}

// After a game its worst moves are puzzles, and a position with a task is a link.
func TestLearnFromAGame(t *testing.T) {
	v := visit(t, "#tictactoe/3?mode=play&you=second&moves=a1.b1.b2.b3.c3") // b1 loses
	v.wait(".headline", "You lose")
	v.wait("move-history .learn", "Move 2, b1: find a better one")
	v.click("move-history .learn a")
	v.waitHash("#tictactoe/3?mode=puzzle&p=.../.../X.._o&you=second&task=draw")
	v.wait("puzzle-panel", "Draw this as O, or do better.")
	v.cells("c1")
	v.wait("puzzle-panel", "c1 is wrong")
	v.click("puzzle-panel .buttons button")
	v.cells("b2")
	v.do(v.tab.Wait(`/Right|Solved/.test(document.querySelector("puzzle-panel").innerText)`)) // by the reply
	v.do(v.tab.Open("#tictactoe/3?mode=puzzle&p=XX./OO./..._x&task=win"))
	v.wait("puzzle-panel", "Win this as X.")
	v.cells("c3")
	v.wait("puzzle-panel", "Solved.")
}
