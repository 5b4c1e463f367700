package endgame

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/internal/search"
)

// What a bounded search finds is what solving the whole board finds, with the steps. It leaves
// out only draws and what takes more plies.
func TestBoundedAgrees(t *testing.T) {
	for name, n := range map[string]int{"quixo": 3, "tictactoe": 3} {
		if testing.Short() && name == "quixo" {
			continue // one thread takes long under the race detector
		}
		r := rules(t, name, n)
		grid, _ := game.GridOf(r)
		whole, err := New(limits).Answerer(t.Context(), r, true)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := newBounded(r, errors.New("why"))
		chance, outcomes, missing := search.NewRand(1), map[game.Outcome]int{}, 0
		for range 150 {
			left := chance.Below(14) + 1
			p, ok := playRandomly(r, &chance, func(game.State) bool { left--; return left > 0 }).(game.Position)
			if _, over := grid.Terminal(p); !ok || over {
				continue
			}
			want, wantMoves, err := whole.Rate(r, p, nil)
			if err != nil {
				t.Fatal(err)
			}
			values := map[game.Move]probe.Value{}
			for _, m := range wantMoves {
				values[m.Move] = m.Value
			}
			got, moves, err := bounded{b.rules, b.why, p}.solve(t.Context(), limits)
			if err != nil {
				if outcomes[want.Outcome]++; want.Outcome != game.Draw || name == "tictactoe" {
					t.Errorf("%s is %v: %v", grid.Format(p), want, err)
				}
				continue
			}
			if outcomes[got.Outcome]++; got != want || len(moves) < len(wantMoves) && got.Outcome != game.Win {
				t.Errorf("%s is %v with %d moves, want %v with %d", grid.Format(p), got, len(moves), want, len(wantMoves))
			}
			for _, m := range moves {
				if m.Value != values[m.Move] {
					t.Errorf("%s, %s: %v, want %v", grid.Format(p), grid.FormatMove(m.Move), m.Value, values[m.Move])
				}
			}
			missing += len(wantMoves) - len(moves)
		}
		if outcomes[game.Win] == 0 || outcomes[game.Lose] == 0 || name == "tictactoe" && outcomes[game.Draw] == 0 || missing == 0 {
			t.Errorf("%s: the outcomes are %v, and %d moves are missing", name, outcomes, missing)
		}
	}
}

// Boards without tables are answered where a win can be forced soon, with a line of play. Of
// other positions the error says how far the search went, also when it has run out of time.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		name     string
		size     int
		position string
		want     probe.Value
		plies    string // of a position that is not known
	}{
		{"quixo", 6, "XXXXX./OOOOO./....../....../....../...... x", probe.Value{Outcome: game.Win, Steps: 1}, ""},
		{"quixo", 6, "XXXXX./OOOOO./OOOOO./....../....../...... o", probe.Value{Outcome: game.Win, Steps: 1}, ""},
		{"quixo", 6, "....../....../....../....../....../...... x", probe.Value{}, "neither player can force a win within "},
		{"tictactoe", 6, "XOXOXO/XOXOXO/OXOXOX/OXOXOX/XOXO../...... x", probe.Value{Outcome: game.Draw, Steps: -1}, ""},
		{"tictactoe", int(game.Sized(6, 6, 4, 0)), "....../.XX.../.OX..O/....../...O../...... x", probe.Value{Outcome: game.Win, Steps: 3}, ""},
	} {
		if testing.Short() && c.plies != "" {
			continue // one thread takes long under the race detector
		}
		r := rules(t, c.name, c.size)
		answers, err := New(Limits{Timeout: time.Minute}).Answerer(t.Context(), r, false)
		if err != nil || !answers.HasSteps() {
			t.Fatal(err)
		}
		a, err := answers.Ask(c.position, probe.WholeLine)
		if c.plies != "" {
			if !errors.Is(err, probe.ErrUnknown) || !strings.Contains(err.Error(), c.plies) {
				t.Errorf("%s: %v", c.position, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.position, err)
			continue
		}
		p, err := r.Parse(c.position)
		if err != nil {
			t.Fatal(err)
		}
		if a.Value != c.want || a.Partial != (len(a.Moves) < len(r.Moves(nil, p))) {
			t.Errorf("%s is %v, want %v", c.position, a.Value, c.want)
		}
		if c.want.Outcome != game.Draw && len(a.Line.Plies) != c.want.Steps {
			t.Errorf("%s: the line has %d plies", c.position, len(a.Line.Plies))
		}
	}
	r := rules(t, "quixo", 6)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b, err := newBoard(r)
	if err != nil {
		t.Fatal(err)
	}
	e, err := b.endgame(r.Start(), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.solve(ctx, limits); err == nil || !strings.Contains(err.Error(), "plies; no position of quixo 6×6") {
		t.Errorf("a cancelled search: %v", err)
	}
}
