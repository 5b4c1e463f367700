package qlearning

import (
	"fmt"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"backsolve/bitboard"
)

// TestFeaturesByHand counts cell after cell.
func TestFeaturesByHand(t *testing.T) {
	for n := 1; n <= bitboard.MaxSize; n++ {
		f := newFeatures(n)
		if got := f.number(); got != 4*n+7 {
			t.Errorf("%d×%d: %d features", n, n, got)
		}
		rapid.Check(t, func(t *rapid.T) {
			own := rapid.Uint64().Draw(t, "own") & bitboard.All(n)
			other := rapid.Uint64().Draw(t, "other") & bitboard.All(n) &^ own
			got := make([]float64, f.number())
			f.write(own, other, got)
			want := []float64{1}
			count := func(cells func(row, col int) bool) {
				want = append(want, share(n, own, cells), share(n, other, cells))
			}
			count(func(row, col int) bool { return true })
			for i := range n {
				count(func(row, _ int) bool { return row == i })
			}
			for i := range n {
				count(func(_, col int) bool { return col == i })
			}
			count(func(row, col int) bool { return row == col })
			count(func(row, col int) bool { return row+col == n-1 })
			squares := 0.0
			for i := range want {
				want[i] /= math.Sqrt(float64(4*n + 7))
				squares += got[i] * got[i]
			}
			if fmt.Sprintf("%.12f", got) != fmt.Sprintf("%.12f", want) {
				t.Fatalf("%d×%d, %#x against %#x: %v, want %v", n, n, own, other, got, want)
			}
			if squares > 1+1e-12 {
				t.Fatalf("%d×%d, %#x against %#x: the squares add up to %v", n, n, own, other, squares)
			}
		})
	}
}

// share returns the share of some cells that are marked.
func share(n int, marked uint64, cells func(row, col int) bool) float64 {
	var mask uint64
	for cell := range n * n {
		if cells(cell/n, cell%n) {
			mask |= 1 << cell
		}
	}
	return float64(bits.OnesCount64(mask&marked)) / float64(bits.OnesCount64(mask))
}
