package bitslice

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// perWord reports a benchmark's time for each word of a slice.
func perWord(b *testing.B, words int) {
	b.SetBytes(int64(words) * 8)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(words), "ns/word")
}

// BenchmarkFold folds slices of 2^17 states, those of the widest class of Quixo
// 5×5, over maps that trade none, one and three bits, that permute the address bits of a line,
// and where half of the words take no part.
func BenchmarkFold(b *testing.B) {
	const k = 17
	for _, c := range []struct {
		name  string
		swaps [][2]int
		one   uint32
	}{
		{"identity", nil, 0},
		{"inside", [][2]int{{0, 3}, {1, 5}}, 0},
		{"trade", [][2]int{{2, 8}, {7, 11}}, 0},
		{"trades", [][2]int{{0, 9}, {2, 8}, {5, 13}, {7, 11}}, 0},
		{"columns", [][2]int{{6, 7}, {7, 8}, {8, 12}}, 0},
		{"columns-far", [][2]int{{6, 12}, {7, 13}, {8, 14}}, 0},
		{"columns-own", [][2]int{{6, 7}, {7, 8}, {8, 12}}, 1 << 7},
		{"trade-own", [][2]int{{2, 8}, {7, 11}, {6, 10}}, 1 << 11},
	} {
		m := Identity(k)
		m.One = c.one
		for _, s := range c.swaps {
			m.From[s[0]], m.From[s[1]] = m.From[s[1]], m.From[s[0]]
		}
		plan := NewPlan(&m)
		dst, src := randomSlice(1, k, 1), randomSlice(2, k, 0)
		delta := summary(src)
		touched := make([]uint64, len(delta))
		var f Folder
		b.Run(c.name+"/or", func(b *testing.B) {
			for b.Loop() {
				f.Fold(OrNot, &plan, dst, Whole(k), src, nil)
			}
			perWord(b, len(dst))
		})
		b.Run(c.name+"/deliver", func(b *testing.B) {
			for b.Loop() {
				f.Deliver(&plan, dst, Whole(k), src, delta, touched)
			}
			perWord(b, len(dst))
		})
	}
}

// BenchmarkFoldFar folds slices that lie all over a plane much larger than the caches, with and
// without prefetching the next.
func BenchmarkFoldFar(b *testing.B) {
	const k, blocks = 17, 1 << 15
	m := Identity(k)
	for _, s := range [][2]int{{6, 7}, {7, 8}, {8, 12}, {2, 9}} {
		m.From[s[0]], m.From[s[1]] = m.From[s[1]], m.From[s[0]]
	}
	plan := NewPlan(&m)
	words := Words(k)
	plane, dst := make([]uint64, blocks*words), randomSlice(1, k, 1)
	for i := range plane {
		plane[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	order := rand.New(rand.NewPCG(1, 1)).Perm(blocks)
	src := func(i int) []uint64 { return plane[order[i%blocks]*words:][:words] }
	for _, ahead := range []bool{false, true} {
		b.Run(fmt.Sprintf("ahead=%v", ahead), func(b *testing.B) {
			var f Folder
			for i := 0; b.Loop(); i++ {
				if ahead {
					f.PrefetchNext(src(i + 1))
				}
				f.Fold(Or, &plan, dst, Whole(k), src(i), nil)
			}
			perWord(b, words)
		})
	}
}

func BenchmarkSolveSlice(b *testing.B) {
	for _, k := range []int{12, 17, 24} {
		win := randomSlice(3, k, 0)
		b.Run(string(rune('0'+k/10))+string(rune('0'+k%10)), func(b *testing.B) {
			for b.Loop() {
				SolveSlice(win, k)
			}
			perWord(b, len(win))
		})
	}
}

func BenchmarkCountByWeight(b *testing.B) {
	for _, k := range []int{12, 17} {
		plane, counts := randomSlice(4, k, 0), make([]uint64, k+1)
		b.Run(string(rune('0'+k/10))+string(rune('0'+k%10)), func(b *testing.B) {
			for b.Loop() {
				CountByWeight(counts, plane, 0, 8)
			}
			perWord(b, len(plane))
		})
	}
}
