package minimax

import (
	"fmt"
	"testing"
	"time"

	"backsolve/internal/player"
	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// BenchmarkSearch searches from the start, with nothing known from before; faster
// is how many times as fast as with the plain rules that is.
func BenchmarkSearch(b *testing.B) {
	for _, board := range []struct {
		name     string
		n, depth int
	}{{"quixo", 3, 9}, {"quixo", 4, 7}, {"quixo", 5, 5}, {"notakto", 4, 9}, {"notakto", 6, 5}} {
		b.Run(fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n), func(b *testing.B) {
			rules := probetest.Rules(b, board.name, board.n)
			s := begun(b, rules, Options{Depth: board.depth}, 1)
			deepen := func() (states int) {
				s.table = newTable(s.core)
				s.begin(b.Context(), &player.Search{})
				s.deepen(search.Masks{})
				return s.states
			}
			states := 0
			for b.Loop() {
				states += deepen()
			}
			rate := float64(states) / b.Elapsed().Seconds()
			s.core = search.Plain(rules)
			began := time.Now()
			plain := float64(deepen()) / time.Since(began).Seconds()
			b.ReportMetric(rate, "states/s")
			b.ReportMetric(rate/plain, "faster")
			b.ReportMetric(float64(states)/float64(b.N), "states")
		})
	}
}
