package bitslice

import "testing"

// perWord reports a benchmark's time for each word of a slice.
func perWord(b *testing.B, words int) {
	b.SetBytes(int64(words) * 8)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(words), "ns/word")
}

// BenchmarkFold folds slices of 2^17 states, those of the widest class of Quixo
// 5×5, over maps that trade none, one and three bits.
func BenchmarkFold(b *testing.B) {
	const k = 17
	for _, c := range []struct {
		name  string
		swaps [][2]int
	}{
		{"identity", nil},
		{"inside", [][2]int{{0, 3}, {1, 5}}},
		{"trade", [][2]int{{2, 8}, {7, 11}}},
		{"trades", [][2]int{{0, 9}, {2, 8}, {5, 13}, {7, 11}}},
	} {
		m := Identity(k)
		for _, s := range c.swaps {
			m.From[s[0]], m.From[s[1]] = m.From[s[1]], m.From[s[0]]
		}
		plan := NewPlan(&m)
		dst, src := randomSlice(1, k, 1), randomSlice(2, k, 0)
		news := summary(src)
		touched := make([]uint64, len(news))
		var f Folder
		b.Run(c.name+"/or", func(b *testing.B) {
			for b.Loop() {
				f.Fold(OrNot, &plan, dst, Whole(k), src, nil)
			}
			perWord(b, len(dst))
		})
		b.Run(c.name+"/deliver", func(b *testing.B) {
			for b.Loop() {
				f.Deliver(&plan, dst, Whole(k), src, news, touched)
			}
			perWord(b, len(dst))
		})
	}
}

func BenchmarkSettleSlice(b *testing.B) {
	for _, k := range []int{12, 17, 24} {
		win := randomSlice(3, k, 0)
		b.Run(string(rune('0'+k/10))+string(rune('0'+k%10)), func(b *testing.B) {
			for b.Loop() {
				SettleSlice(win, k)
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
