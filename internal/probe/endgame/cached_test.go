package endgame

import (
	"testing"
	"time"

	"backsolve/game"
)

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
	b := &counted{board: notaktoEndgame{rules: r, info: r.Info()}}
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
