package matrix

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(16, 0)) }

// filled returns a matrix of random numbers, some of them zero, in all of its rows.
func filled(r *rand.Rand, rows, columns int) *Matrix {
	m := New(rows, columns)
	for i := range m.Data {
		if r.IntN(5) > 0 {
			m.Data[i] = float32(r.NormFloat64())
		}
	}
	return m
}

func clone(m *Matrix) *Matrix { return Of(slices.Clone(m.Data), m.Rows, m.Columns) }

// sameBits reports whether numbers are the same, to the bit.
func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// slow adds a product number by number, in the order that the package promises.
func slow(c *Matrix, rows, depth int, a func(i, k int) float32, b func(k, j int) float32) {
	for i := range rows {
		for j := range c.Columns {
			for k := range depth {
				c.Row(i)[j] += float32(a(i, k) * b(k, j))
			}
		}
	}
}

// Products are those of loops over the numbers, to the bit, with any number of threads.
func TestMultiply(t *testing.T) {
	r := random()
	for _, shape := range [][3]int{{1, 1, 1}, {8, 32, 32}, {9, 40, 33}, {100, 7, 200}, {33, 300, 64}, {2, 130, 96}, {3, 130, 96}, {7, 5, 64}, {18, 33, 32}} {
		rows, depth, columns := shape[0], shape[1], shape[2]
		for _, threads := range []int{1, 2, 5} {
			t.Run(fmt.Sprint(shape, threads), func(t *testing.T) {
				a, c := filled(r, rows, depth), filled(r, rows, columns)
				b := filled(r, a.Columns, columns)
				var p Panels
				p.Pack(b, a.Columns)
				want := clone(c)
				slow(want, rows, a.Columns, func(i, k int) float32 { return a.Row(i)[k] }, func(k, j int) float32 { return b.Row(k)[j] })
				MultiplyAdd(c, a, &p, rows, threads)
				if !sameBits(c.Data[:rows*c.Columns], want.Data[:rows*c.Columns]) {
					t.Error("a·b is another matrix")
				}
			})
		}
	}
}

func TestMultiplyTransposed(t *testing.T) {
	r := random()
	for _, shape := range [][3]int{{1, 1, 1}, {32, 5, 32}, {40, 100, 33}, {256, 31, 64}} {
		columnsOfA, depth, columns := shape[0], shape[1], shape[2]
		for _, threads := range []int{1, 3} {
			a, b := filled(r, depth, columnsOfA), filled(r, depth, columns)
			c := filled(r, Padded(columnsOfA, Columns), columns)
			want := clone(c)
			slow(want, c.Rows, depth, func(i, k int) float32 { return a.Row(k)[i] }, func(k, j int) float32 { return b.Row(k)[j] })
			var p Panels
			p.Pack(b, depth)
			MultiplyAddTransposed(c, a, &p, threads)
			if !sameBits(c.Data, want.Data) {
				t.Errorf("%v, %d threads: aᵀ·b is another matrix", shape, threads)
			}
		}
	}
}

func TestPackTransposed(t *testing.T) {
	r := random()
	for _, shape := range [][2]int{{32, 1}, {64, 40}, {96, 256}} {
		b := filled(r, shape[0], shape[1])
		flipped := New(Padded(b.Columns, Rows), b.Rows)
		for i := range b.Rows {
			for j := range b.Columns {
				flipped.Row(j)[i] = b.Row(i)[j]
			}
		}
		var got, want Panels
		want.Pack(flipped, b.Columns)
		got.PackTransposed(b)
		if !sameBits(got.data, want.data) || got.depth != want.depth || got.count != want.count {
			t.Errorf("%v: other panels", shape)
		}
	}
}

// odd are numbers that kernels could take for others.
var odd = []float32{0, float32(math.Copysign(0, -1)), 1, -1, math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
	math.MaxFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}

// each of the kernels that go number by number does what it says, at any length.
func TestElements(t *testing.T) {
	r := random()
	for n := range 70 {
		a, b := make([]float32, n), make([]float32, n)
		for i := range a {
			a[i], b[i] = float32(r.NormFloat64()), float32(r.NormFloat64())
			if r.IntN(3) == 0 {
				a[i], b[i] = odd[r.IntN(len(odd))], odd[r.IntN(len(odd)-1)]
			}
		}
		sum, rectified, gated := slices.Clone(a), slices.Clone(a), slices.Clone(b)
		Add(sum, b)
		Rectify(rectified)
		Gate(gated, a)
		for i, x := range a {
			if want := x + b[i]; sum[i] != want && want == want {
				t.Errorf("%v + %v = %v", x, b[i], sum[i])
			}
			want, through := float32(0), float32(0)
			if x > 0 {
				want, through = x, b[i]
			}
			if !sameBits(rectified[i:i+1], []float32{want}) || !sameBits(gated[i:i+1], []float32{through}) {
				t.Errorf("%v becomes %v and lets %v through as %v", x, rectified[i], b[i], gated[i])
			}
		}
	}
}

// Tangents and sigmoids are near those of the library, at any length and place, and where
// there is no number there is none.
func TestBends(t *testing.T) {
	for _, n := range []int{1, 15, 16, 33, 20_001} {
		tangents, sigmoids := make([]float32, n), make([]float32, n)
		for i := range n {
			tangents[i] = float32(60*i)/float32(n) - 30
		}
		copy(sigmoids, tangents)
		numbers := slices.Clone(tangents)
		Tanh(tangents)
		Sigmoid(sigmoids)
		for i, x := range numbers {
			if want := math.Tanh(float64(x)); math.Abs(float64(tangents[i])-want) > 3e-7 {
				t.Errorf("tanh(%v) = %v, want %v", x, tangents[i], want)
			}
			if want := 1 / (1 + math.Exp(-float64(x))); math.Abs(float64(sigmoids[i])-want) > 2e-7 {
				t.Errorf("σ(%v) = %v, want %v", x, sigmoids[i], want)
			}
		}
	}
	some := slices.Repeat(odd, 4)
	bent := slices.Clone(some)
	Tanh(bent)
	for i, x := range some {
		if want := float32(math.Tanh(float64(x))); x != x && bent[i] == bent[i] || x == x && !(math.Abs(float64(bent[i]-want)) < 3e-7) {
			t.Errorf("tanh(%v) = %v", x, bent[i])
		}
	}
}

// A step of Adam is that of its formula.
func TestAdam(t *testing.T) {
	r := random()
	rates := Rates{Beta1: 0.9, Rest1: 0.1, Beta2: 0.99, Rest2: 0.01, Decay: 0.02, Step: 0.003, Scale: 1.7, Epsilon: 1e-8}
	for n := range 70 {
		parts := make([][]float32, 4)
		for i := range parts {
			for range n {
				parts[i] = append(parts[i], float32(r.NormFloat64()))
			}
		}
		for i := range parts[3] {
			parts[3][i] = float32(math.Abs(float64(parts[3][i])))
		}
		before := [][]float32{slices.Clone(parts[0]), nil, slices.Clone(parts[2]), slices.Clone(parts[3])}
		Adam(parts[0], parts[1], parts[2], parts[3], &rates)
		for i := range n {
			g := float64(parts[1][i]) + 0.02*float64(before[0][i])
			first := 0.9*float64(before[2][i]) + 0.1*g
			second := 0.99*float64(before[3][i]) + 0.01*g*g
			weight := float64(before[0][i]) - 0.003*first/(math.Sqrt(second)*1.7+1e-8)
			for j, want := range map[int]float64{0: weight, 2: first, 3: second} {
				if got := float64(parts[j][i]); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("number %d of part %d is %v, want %v", i, j, got, want)
				}
			}
		}
	}
}

func TestShare(t *testing.T) {
	for n := range 20 {
		for threads := range 9 {
			done := make([]int, n)
			Share(n, threads, func(first, end int) {
				for i := first; i < end; i++ {
					done[i]++
				}
			})
			if slices.ContainsFunc(done, func(times int) bool { return times != 1 }) {
				t.Errorf("%d parts for %d threads are done %v times", n, threads, done)
			}
		}
	}
}

func BenchmarkMultiply(b *testing.B) {
	r := random()
	x, w, y := filled(r, 256, 256), filled(r, 256, 256), New(256, 256)
	var p Panels
	p.Pack(w, 256)
	for b.Loop() {
		MultiplyAdd(y, x, &p, 256, 1)
	}
	b.ReportMetric(2*256*256*256*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
