package server

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"backsolve/internal/probe/endgame"
	"backsolve/internal/server/page"
)

// The tutorial's positions are what its texts say: the start, a win at once or, where
// nobody can win by their own move, in two plies, and a deeper one; each win has one right move. Where the
// steps are not known, the second has fewer cells left than the third.
func TestLessons(t *testing.T) {
	s := start(t, func(o *Options) {
		o.Page, o.Search = page.Handler(), endgame.New(endgame.Limits{Timeout: 10 * time.Second, Memory: 256 << 20, Threads: 1})
	})
	s.want(200, "/assets/lessons.json", "{")
	content, err := os.ReadFile("page/lessons.json")
	if err != nil {
		t.Fatal(err)
	}
	var lessons map[string][]string
	if err := json.Unmarshal(content, &lessons); err != nil || len(lessons) != 10 {
		t.Fatalf("%d boards, %v", len(lessons), err)
	}
	for board, positions := range lessons {
		if len(positions) != 3 {
			t.Errorf("%s has %d lessons", board, len(positions))
			continue
		}
		steps, exact := make([]int, 3), false
		for i, p := range positions {
			r := s.do("GET", strings.Replace(positionPath(board, p), "/position", "/moves", 1), "")
			var a struct {
				Outcome  string
				Steps    *int
				Terminal bool
				Moves    []struct{ Outcome string }
			}
			if err := json.Unmarshal([]byte(r.body), &a); err != nil || r.status != 200 || a.Terminal {
				t.Fatalf("%s, lesson %d: status %d, %s", board, i+1, r.status, r.body)
			}
			if i == 0 {
				s.want(200, strings.Replace(positionPath(board, "startpos"), "/position", "/moves", 1), strings.TrimSuffix(positions[0], " x"))
				continue
			}
			if steps[i] = strings.Count(p, "."); a.Steps != nil {
				steps[i] = *a.Steps
			}
			exact = a.Steps != nil
			right := 0
			for _, m := range a.Moves {
				if m.Outcome == "win" {
					right++
				}
			}
			if a.Outcome != "win" || right != 1 || len(a.Moves) < 3 {
				t.Errorf("%s, lesson %d: %s, of %d moves %d win", board, i+1, a.Outcome, len(a.Moves), right)
			}
		}
		if exact && steps[1] > 2 || steps[2] <= steps[1] {
			t.Errorf("%s: the wins take %d and %d plies", board, steps[1], steps[2])
		}
	}
}
