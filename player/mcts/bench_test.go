package mcts

import (
	"fmt"
	"testing"
	"time"

	"backsolve/player/playout"
	"backsolve/probe/solved"
)

// BenchmarkSearch searches from the start, 10,000 iterations a move; faster is
// how many times as fast as with the plain rules that is.
func BenchmarkSearch(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"quixo", 4}, {"quixo", 5}, {"notakto", 4}, {"notakto", 6}} {
		b.Run(fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n), func(b *testing.B) {
			rules := solved.Rules(b, board.name, board.n)
			search := func(t *tree, iterations int) {
				t.reset(playout.State{})
				for range iterations {
					t.iterate()
				}
			}
			fast, plain := newTree(playout.New(rules), 1), newTree(playout.Plain(rules), 1)
			const iterations = 10_000
			b.ReportAllocs()
			for b.Loop() {
				search(fast, iterations)
			}
			each := b.Elapsed() / time.Duration(b.N)
			began := time.Now()
			search(plain, iterations)
			b.ReportMetric(iterations/each.Seconds(), "iterations/s")
			b.ReportMetric(float64(time.Since(began))/float64(each), "faster")
			b.ReportMetric(float64(len(fast.nodes)), "nodes")
		})
	}
}
