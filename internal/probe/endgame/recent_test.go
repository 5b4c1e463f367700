package endgame

import (
	"strconv"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
)

// TestRecent puts more ratings than the cache holds: the last 2,000 are always there, and older
// ones are dropped 2,000 at a time.
func TestRecent(t *testing.T) {
	c := newRecent()
	for i := range 5001 {
		c.put(strconv.Itoa(i), probe.Rating{Value: probe.Value{Steps: i}})
		switch i {
		case 1999, 2000, 3999, 5000:
			first := i / 2000 * 2000
			first = max(first-2000, 0)
			for j := range i + 1 {
				r, ok := c.get(strconv.Itoa(j))
				if ok != (j >= first) || ok && r.Steps != j {
					t.Fatalf("after %d ratings number %d is %v, %t; the first cached is %d", i+1, j, r.Value, ok, first)
				}
			}
		}
	}
}

// counted is a board that counts the endgames that are solved.
type counted struct {
	board
	solved int
}

func (c *counted) endgame(s game.State, steps bool) (endgame, error) {
	c.solved++
	return c.board.endgame(s, steps)
}

// TestRateIsCached rates the same state twice, which is solved once, and others.
func TestRateIsCached(t *testing.T) {
	r := rules(t, "notakto", 3)
	b := &counted{board: notaktoBoard{r, r.Info()}}
	s := New(Limits{Timeout: time.Hour, Threads: 1})
	s.small = 0
	for _, ask := range []struct {
		text   string
		steps  bool
		solved int
	}{{".../.../...", false, 1}, {".../.../...", false, 1}, {".../.../...", true, 2}, {".../.X./...", false, 3}, {".../.../...", true, 3}} {
		state, err := r.Parse(ask.text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.rate(t.Context(), b, r, state, ask.steps)
		if err != nil || len(got.Moves) == 0 || ask.steps != (got.Steps >= 0) || b.solved != ask.solved {
			t.Errorf("%v: %v, %v; %d were solved", ask, got, err, b.solved)
		}
	}
}
