package retro

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"backsolve/game"
	"backsolve/tablebase/writer"
)

// BenchmarkSolve solves whole boards from nothing to a finished file.
func BenchmarkSolve(b *testing.B) {
	for _, board := range []struct {
		game  string
		n     int
		steps bool
	}{{"notakto", 5, false}, {"notakto", 6, false}, {"notakto", 5, true}, {"quixo", 4, false}, {"quixo", 4, true}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s-%d/steps=%v/threads=%d", board.game, board.n, board.steps, threads), func(b *testing.B) {
				rules, space := newSpace(b, board.game, board.n)
				dir, i := b.TempDir(), 0
				for b.Loop() {
					i++
					w, err := writer.Create(filepath.Join(dir, fmt.Sprint(i, ".tb")), shape(space, board.steps), false)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := Solve(context.Background(), space, w, Options{Steps: board.steps, Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
				states := float64(game.StateCount(rules.Info()).Uint64())
				b.ReportMetric(states*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mstates/s")
			})
		}
	}
}
