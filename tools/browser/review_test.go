package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// answer is the part of the server's answer for a position that the tests need.
type answer struct {
	Position string `json:"position"`
	Outcome  string `json:"outcome"`
	Moves    []struct {
		Move    string `json:"move"`
		Outcome string `json:"outcome"`
		Steps   *int   `json:"steps"`
	} `json:"moves"`
	Line struct {
		Plies []struct {
			Move     string `json:"move"`
			Position string `json:"position"`
		} `json:"plies"`
		Repeats *int `json:"repeats"`
	} `json:"line"`
}

// ask asks the server of the tests, as the page does.
func ask(t *testing.T, path string, query url.Values) (a answer) {
	t.Helper()
	response, err := http.Get(server.URL + path + "?" + query.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v", path, response.StatusCode, err)
	}
	return a
}

// The move that has spoiled a win is marked among the played moves, in the list and in the graph
// of values.
func TestReview(t *testing.T) {
	v := visit(t, "#notakto/3?moves=b2.a3.c2.a1")
	played := func(ply int) string { return fmt.Sprintf("move-history li:nth-child(%d) .chip", ply+1) }
	verdict := func(ply int) string {
		return eval[string](v, fmt.Sprintf(`["kept", "slower", "sooner", "spoiled"].filter((c) => document.querySelector(%s).classList.contains(c)).join()`, quote(played(ply))))
	}
	if got := verdict(1); got != "kept" {
		t.Errorf("the first move, which keeps the win, is %q", got)
	}

	v.do(v.tab.Open("#notakto/3?moves=a1.b2"))
	v.wait(played(1), "✗")
	if got := verdict(1); got != "spoiled" {
		t.Errorf("a1, which turns a win into a loss, is %q", got)
	}
	v.wait(played(1), "spoils the outcome")
	v.click(played(1))
	v.waitHash("#notakto/3?moves=a1.b2&at=1")
	v.wait("move-history .review", "a1 spoils it: win in 6 with b2, now lose in 7.")
	if got := eval[int](v, `document.querySelectorAll(".graph .column").length`); got != 3 {
		t.Errorf("the graph has %d columns, want one for each of the 3 positions", got)
	}
	for column, want := range []string{"up", "down"} {
		if classes := eval[string](v, fmt.Sprintf(`document.querySelectorAll(".graph .column")[%d].className`, column)); !hasClass(classes, want) {
			t.Errorf("column %d is %q, want it %s", column, classes, want)
		}
	}
	if got := eval[string](v, `document.querySelector(".graph .column.spoiled").title`); got != "1. a1: win in 6 for the second player" {
		t.Errorf("marked in the graph is %q", got)
	}
	v.click(".graph .column:first-child")
	v.waitHash("#notakto/3?moves=a1.b2&at=0")
}

func hasClass(classes, class string) bool {
	for _, c := range strings.Fields(classes) {
		if c == class {
			return true
		}
	}
	return false
}

// A move that still wins, but later than necessary, is marked differently from one that has
// spoiled the win.
func TestSlowerWin(t *testing.T) {
	for seed := range 100 {
		a := ask(t, "v1/quixo/4/random", url.Values{"outcome": {"win"}, "seed": {fmt.Sprint(seed)}})
		for _, m := range a.Moves {
			if m.Outcome != "win" || *m.Steps == *a.Moves[0].Steps {
				continue
			}
			v := visit(t, "#quixo/4?p="+url.QueryEscape(underscored(a.Position))+"&moves="+m.Move)
			v.wait("move-history .chip.slower", "~")
			late := *m.Steps - *a.Moves[0].Steps
			v.wait("move-history .review", fmt.Sprintf("%s still wins, but %d steps later than %s.", m.Move, late, a.Moves[0].Move))
			return
		}
	}
	t.Fatal("no position was drawn in which a win is slower than another one")
}

// During a game with hidden values nothing is given away; once it is over, the deciding moves are
// shown.
func TestReviewOfAGame(t *testing.T) {
	v := visit(t, "#notakto/3?mode=play&you=both&moves=a1.b2")
	if got := eval[int](v, `document.querySelectorAll(".chip.spoiled, .chip.kept, .graph .column").length`); got != 0 {
		t.Errorf("%d signs of the values are shown", got)
	}
	v.do(v.tab.Open("#notakto/3?mode=play&you=both&moves=a1.b2.c3"))
	v.wait(".headline", "has won")
	v.wait("move-history .chip.spoiled", "a1")
}
