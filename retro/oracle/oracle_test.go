package oracle

import (
	"testing"

	"backsolve/game"
	"backsolve/game/games"
)

func rulesOf(t *testing.T, name string, n int) game.Grid {
	t.Helper()
	rules, err := games.NewGrid(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// TestNumbering numbers the states of all small boards.
func TestNumbering(t *testing.T) {
	for _, g := range games.All() {
		for n := g.MinSize; n <= 3; n++ {
			if _, isGrid := game.GridOf(g.New(n)); !isGrid {
				continue
			}
			s := Solve(rulesOf(t, g.Name, n))
			seen := map[game.Position]bool{}
			for i := range s.Len() {
				p := s.State(i)
				seen[p] = true
				if got := s.Number(p); got != i || p.X&p.O != 0 || p.Mark != game.X {
					t.Fatalf("%s %d: state %d is %v, whose number is %d", g.Name, n, i, p, got)
				}
			}
			if len(seen) != s.Len() {
				t.Errorf("%s %d: %d states, but %d numbers", g.Name, n, len(seen), s.Len())
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("6×6 was accepted")
		}
	}()
	Solve(rulesOf(t, "quixo", 6))
}

func BenchmarkSolve(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"notakto", 4}, {"quixo", 3}} {
		b.Run(board.name, func(b *testing.B) {
			rules, err := games.NewGrid(board.name, board.n)
			if err != nil {
				b.Fatal(err)
			}
			states := 0
			for b.Loop() {
				states += Solve(rules).Len()
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
