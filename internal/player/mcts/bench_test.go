package mcts

import (
	"fmt"
	"testing"
	"time"

	"backsolve/internal/probe/probetest"
	"backsolve/internal/search"
)

// BenchmarkSearch searches from the start, 10,000 iterations a move; faster is
// how many times as fast as with the plain rules that is.
func BenchmarkSearch(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"quixo", 4}, {"quixo", 5}, {"notakto", 4}, {"notakto", 6}} {
		b.Run(fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n), func(b *testing.B) {
			rules := probetest.Rules(b, board.name, board.n)
			grow := func(t *tree[search.Masks], iterations int) {
				t.reset(search.Masks{})
				for range iterations {
					t.iterate()
				}
			}
			fast, plain := newTree(search.New(rules), 1), newTree(search.Plain(rules), 1)
			const iterations = 10_000
			b.ReportAllocs()
			for b.Loop() {
				grow(fast, iterations)
			}
			each := b.Elapsed() / time.Duration(b.N)
			began := time.Now()
			grow(plain, iterations)
			b.ReportMetric(iterations/each.Seconds(), "iterations/s")
			b.ReportMetric(float64(time.Since(began))/float64(each), "faster")
			b.ReportMetric(float64(len(fast.nodes)), "nodes")
		})
	}
}
