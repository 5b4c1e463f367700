package matrix

import (
	"math"
	"testing"

	"backsolve/internal/kernels"
)

// eachTier runs a test with each tier that this processor has.
func eachTier(t *testing.T, run func(t *testing.T)) {
	defer func(had kernels.Tier) { tier = had }(tier)
	for _, tier = range kernels.Available() {
		t.Run(tier.String(), run)
	}
}

func TestKernels(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		t.Run("Multiply", TestMultiply)
		t.Run("MultiplyTransposed", TestMultiplyTransposed)
		t.Run("Elements", TestElements)
		t.Run("Bends", TestBends)
		t.Run("Adam", TestAdam)
	})
}

// All kernels give the same bits, whatever the numbers.
func TestKernelsGiveTheSameBits(t *testing.T) {
	type made struct{ product, sum, rectified, gated, weights, first, second, tangents, sigmoids []float32 }
	var want *made
	eachTier(t, func(t *testing.T) {
		r := random()
		number := func() float32 {
			return float32(math.Ldexp(r.NormFloat64(), r.IntN(90)-60)) // some of the products are denormal
		}
		numbers := func(n int) []float32 {
			s := make([]float32, n)
			for i := range s {
				s[i] = number()
			}
			return s
		}
		a, b, c := Of(numbers(24*96), 24, 96), Of(numbers(96*64), 96, 64), Of(numbers(24*64), 24, 64)
		var p Panels
		p.Pack(b, 96)
		MultiplyAdd(c, a, &p, 16+few, 1) // the last ones one by one
		got := &made{product: c.Data, sum: numbers(1001), rectified: numbers(1001), gated: numbers(1001), weights: numbers(1001), first: numbers(1001), second: numbers(1001), tangents: numbers(1001), sigmoids: numbers(1001)}
		by, gradients := numbers(1001), numbers(1001)
		for i, x := range got.second {
			got.second[i] = float32(math.Abs(float64(x)))
		}
		Add(got.sum, by)
		Rectify(got.rectified)
		Gate(got.gated, by)
		Tanh(got.tangents)
		Sigmoid(got.sigmoids)
		rates := Rates{Beta1: 0.9, Rest1: 0.1, Beta2: 0.999, Rest2: 0.001, Decay: 1e-4, Step: 0.01, Scale: 31, Epsilon: 1e-8}
		for range 3 {
			Adam(got.weights, gradients, got.first, got.second, &rates)
		}
		if want == nil {
			want = got
			return
		}
		for i, pair := range [][2][]float32{{got.product, want.product}, {got.sum, want.sum}, {got.rectified, want.rectified},
			{got.gated, want.gated}, {got.weights, want.weights}, {got.first, want.first}, {got.second, want.second}, {got.tangents, want.tangents}, {got.sigmoids, want.sigmoids}} {
			if !sameBits(pair[0], pair[1]) {
				t.Errorf("%v gives other bits in part %d", tier, i)
			}
		}
	})
}
