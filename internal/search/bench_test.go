package search

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkPlayout plays from the start; faster is how many times as fast as the
// plain rules that is.
func BenchmarkPlayout(b *testing.B) {
	for _, board := range []struct {
		name string
		n    int
	}{{"quixo", 3}, {"quixo", 4}, {"quixo", 5}, {"quixo", 6}, {"notakto", 4}, {"notakto", 6}, {"othello", 6}, {"othello", 8}} {
		b.Run(fmt.Sprintf("%s-%dx%d", board.name, board.n, board.n), func(b *testing.B) {
			rules := newRules(b, board.name, board.n)
			fast, plain, start := New(rules), Plain(rules), MasksOf(rules.Start())
			r := NewRand(1)
			b.ReportAllocs()
			for b.Loop() {
				fast.Playout(start, &r)
			}
			each := b.Elapsed() / time.Duration(b.N)
			const number = 2000
			began := time.Now()
			for range number {
				plain.Playout(start, &r)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "playouts/s")
			b.ReportMetric(float64(time.Since(began)/number)/float64(each), "faster")
		})
	}
}
