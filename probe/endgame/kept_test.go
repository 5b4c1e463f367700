package endgame

import (
	"strconv"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/probe"
)

// TestKept puts more ratings than are kept: the last 2,000 are always there, and those before
// go 2,000 at a time.
func TestKept(t *testing.T) {
	k := newKept()
	for i := range 5001 {
		k.put(strconv.Itoa(i), rating{Value: probe.Value{Steps: i}})
		switch i {
		case 1999, 2000, 3999, 5000:
			first := i / 2000 * 2000
			first = max(first-2000, 0)
			for j := range i + 1 {
				r, ok := k.get(strconv.Itoa(j))
				if ok != (j >= first) || ok && r.Steps != j {
					t.Fatalf("after %d ratings number %d is %v, %t; the first kept is %d", i+1, j, r.Value, ok, first)
				}
			}
		}
	}
}

// counted is a board that counts what is solved.
type counted struct {
	board
	solved int
}

func (c *counted) problem(s game.State, steps bool) (problem, error) {
	c.solved++
	return c.board.problem(s, steps)
}

// TestSolvedOnce asks for the same position again, which is solved once, and for others.
func TestSolvedOnce(t *testing.T) {
	r := rules(t, "notakto", 3)
	b := &counted{board: notaktoBoard{r, r.Info()}}
	s := New(Limits{Timeout: time.Hour, Threads: 1})
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
		if err != nil || len(got.moves) == 0 || ask.steps != (got.Steps >= 0) || b.solved != ask.solved {
			t.Errorf("%v: %v, %v; %d were solved", ask, got, err, b.solved)
		}
	}
}
