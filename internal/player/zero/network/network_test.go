package network

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var shapes = []Shape{
	{Inputs: 1, Actions: 1, Width: 1},
	{Inputs: 9, Actions: 9, Width: 40, Layers: 1},
	{Inputs: 18, Actions: 31, Width: 64, Layers: 3},
	{Inputs: 18, Actions: 31, Width: 64, Layers: 2, Widths: []int{40, 17}},
	{Inputs: 33, Actions: 32, Width: 17, Layers: 2, Residual: true},
	{Inputs: 1, Actions: 2, Width: 1, LSTM: true},
	{Inputs: 9, Actions: 5, Width: 40, Layers: 1, LSTM: true},
	{Inputs: 29, Actions: 25, Width: 32, Layers: 2, Residual: true, LSTM: true},
	{Inputs: 18, Actions: 20, Width: 24, Convolution: Convolution{Layers: 1, Channels: 32, Rows: 3, Columns: 3}},
	{Inputs: 60, Actions: 11, Width: 40, Layers: 1, Widths: []int{9}, Convolution: Convolution{Layers: 2, Channels: 32, Rows: 5, Columns: 4}},
	{Inputs: 60, Actions: 11, Width: 40, Layers: 1, Residual: true, Convolution: Convolution{Layers: 3, Channels: 64, Rows: 5, Columns: 4}},
}

func random() *rand.Rand { return rand.New(rand.NewPCG(16, 1)) }

// newNetwork returns a network that also has biases.
func newNetwork(s Shape) *Network {
	n, r := New(s), random()
	n.Init(r)
	for _, l := range n.Layers {
		for i := range l.Outputs {
			l.Bias[i] = float32(r.NormFloat64())
		}
	}
	return n
}

// fill gives a pass random inputs.
func fill(p *Pass, inputs int) {
	r := random()
	for i := range p.Rows() {
		for j := range inputs {
			p.Input.Row(i)[j] = float32(r.NormFloat64())
			if p.Sequence != nil { // some positions begin alike
				p.Input.Row(i)[j] = float32(r.IntN(2))
			}
		}
	}
}

// slow computes the outputs of one position with plain loops.
func slow(n *Network, input []float32) []float64 {
	var h []float64
	for _, x := range input[:n.Inputs] {
		h = append(h, float64(x))
	}
	for i, l := range n.Layers {
		if n.LSTM && i == 0 {
			h = slowLSTM(l, h)
			continue
		}
		if i < n.Convolution.Layers {
			h = slowConvolution(n, i, h)
			continue
		}
		y := make([]float64, l.Outputs)
		for out := range y {
			y[out] = float64(l.Bias[out])
			for in, x := range h {
				y[out] += x * float64(l.Weights.Row(in)[out])
			}
			if i < len(n.Layers)-1 {
				y[out] = max(y[out], 0)
			}
			if n.Residual && i > 0 && i != n.Convolution.Layers && i < len(n.Layers)-1 {
				y[out] += h[out]
			}
		}
		h = y
	}
	return h
}

// slowConvolution finds the channels of each cell; the first layer is given planes.
func slowConvolution(n *Network, i int, h []float64) []float64 {
	c, l := n.Convolution, n.Layers[i]
	cells, channels := c.Rows*c.Columns, l.Inputs/9
	at := func(row, column, channel int) float64 {
		cell := row*c.Columns + column
		switch {
		case row < 0 || row >= c.Rows || column < 0 || column >= c.Columns:
			return 0
		case i == 0:
			return h[channel*cells+cell]
		}
		return h[cell*channels+channel]
	}
	y := make([]float64, cells*c.Channels)
	for cell := range cells {
		for out := range c.Channels {
			sum := float64(l.Bias[out])
			for k := range 9 {
				for channel := range channels {
					sum += at(cell/c.Columns+k/3-1, cell%c.Columns+k%3-1, channel) * float64(l.Weights.Row(k*channels + channel)[out])
				}
			}
			y[cell*c.Channels+out] = max(sum, 0)
			if n.Residual && i > 0 {
				y[cell*c.Channels+out] += h[cell*c.Channels+out]
			}
		}
	}
	return y
}

// slowLSTM takes the inputs of one position one after another.
func slowLSTM(l *Layer, inputs []float64) []float64 {
	w := l.Inputs - 1
	h, c := make([]float64, w), make([]float64, w)
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	for _, x := range inputs {
		sum := func(gate, unit int) float64 {
			at := gate*w + unit
			s := float64(l.Bias[at]) + x*float64(l.Weights.Row(w)[at])
			for k := range w {
				s += h[k] * float64(l.Weights.Row(k)[at])
			}
			return s
		}
		next := make([]float64, w)
		for j := range w {
			c[j] = sigmoid(sum(1, j))*c[j] + sigmoid(sum(0, j))*math.Tanh(sum(2, j))
			next[j] = sigmoid(sum(3, j)) * math.Tanh(c[j])
		}
		h = next
	}
	return h
}

func TestForwardIsTheFormula(t *testing.T) {
	for _, s := range shapes {
		n := newNetwork(s)
		const rows = 11
		p := n.NewPass(rows, false)
		fill(p, s.Inputs)
		n.Forward(p, rows, 1)
		for i := range rows {
			for j, want := range slow(n, p.Input.Row(i)) {
				if got := float64(p.Output.Row(i)[j]); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("%+v, position %d, output %d: %v, want %v", s, i, j, got, want)
				}
			}
		}
	}
}

// Uniform parameters have the bounds and the deviations of PyTorch's.
func TestInitUniform(t *testing.T) {
	n := New(Shape{Inputs: 9, Actions: 99, Width: 128, LSTM: true})
	n.InitUniform(random())
	const bound = 0.08838834764831845 // 1/√128
	for _, c := range []struct {
		numbers []float32
		biases  float64
	}{{n.Layers[0].Weights.Data[:129*512], 1}, {n.Layers[0].Bias, 2}, {n.Layers[1].Weights.Data[:100], 1}, {n.Layers[1].Bias[:100], 1}} {
		most, squares := 0.0, 0.0
		for _, x := range c.numbers {
			most, squares = max(most, math.Abs(float64(x))), squares+float64(x)*float64(x)
		}
		want := c.biases * bound * bound / 3
		if mean := squares / float64(len(c.numbers)); most > c.biases*bound || most < 0.9*bound || mean < 0.8*want || mean > 1.2*want {
			t.Errorf("%d numbers of at most %v with variance %v, want %v and %v", len(c.numbers), most, mean, c.biases*bound, want)
		}
	}
	nonzero := 0
	for _, x := range n.Parameters {
		if x != 0 {
			nonzero++
		}
	}
	if nonzero != n.Count() {
		t.Errorf("%d parameters are not zero, of %d", nonzero, n.Count())
	}
}

// A position has the same outputs, to the bit, wherever it stands among others, and
// with any number of threads.
func TestForwardDoesNotDependOnOthers(t *testing.T) {
	for _, s := range []Shape{{Inputs: 20, Actions: 16, Width: 96, Layers: 2, Residual: true}, {Inputs: 11, Actions: 16, Width: 32, LSTM: true},
		{Inputs: 40, Actions: 9, Width: 32, Residual: true, Convolution: Convolution{Layers: 2, Channels: 32, Rows: 5, Columns: 4}}} {
		checkIndependence(t, s)
	}
}

func checkIndependence(t *testing.T, s Shape) {
	t.Helper()
	n := newNetwork(s)
	const rows = 150
	p := n.NewPass(rows, false)
	fill(p, s.Inputs)
	n.Forward(p, rows, 1)
	for _, threads := range []int{2, 3, 8} {
		q := n.NewPass(rows, false)
		fill(q, s.Inputs)
		n.Forward(q, rows, threads)
		for i := range rows {
			if !slices.Equal(p.Output.Row(i), q.Output.Row(i)) {
				t.Fatalf("%d threads: position %d has other outputs", threads, i)
			}
		}
	}
	for _, i := range []int{0, 7, 8, 149} {
		one := n.NewPass(1, false)
		copy(one.Input.Row(0), p.Input.Row(i))
		n.Forward(one, 1, 1)
		if !slices.Equal(one.Output.Row(0), p.Output.Row(i)) {
			t.Errorf("position %d alone has other outputs", i)
		}
	}
}

// What an LSTM remembers from earlier batches makes no difference, to the bit: not if there is no
// more room, and not if the parameters change.
func TestBeginnings(t *testing.T) {
	n, r := newNetwork(Shape{Inputs: 30, Actions: 9, Width: 16, LSTM: true}), random()
	const rows = 5
	p, all := n.NewPass(rows, false), n.NewPass(rows, true)
	forgotten := 0
	for batch := range 400 {
		for i := range rows {
			row := p.Input.Row(i)[:n.Inputs]
			for j := range row {
				row[j] = float32(r.IntN(5) / 4) // often 0
				if batch%10 == 0 {
					row[j] = r.Float32() // none begin alike
				}
			}
			copy(all.Input.Row(i), row)
		}
		if batch%150 == 149 {
			n.InitUniform(r)
		}
		before := p.Sequence.First[n.Inputs]
		n.Forward(p, 1+batch%rows, 2)
		n.Forward(all, rows, 1)
		if p.Sequence.First[n.Inputs] < before {
			forgotten++
		}
		for i := range 1 + batch%rows {
			if !slices.Equal(p.Output.Row(i), all.Output.Row(i)) {
				t.Fatalf("batch %d, position %d: other outputs", batch, i)
			}
		}
	}
	if forgotten < 4 {
		t.Errorf("forgotten %d times", forgotten)
	}
}

// Import reads what Export writes, and the padding stays zero.
func TestImport(t *testing.T) {
	for _, s := range shapes {
		n := newNetwork(s)
		numbers := n.Export(nil)
		if len(numbers) != n.Count() {
			t.Fatalf("%d numbers, %d parameters", len(numbers), n.Count())
		}
		m := New(s)
		if err := m.Import(numbers); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(m.Parameters, n.Parameters) || !slices.Equal(n.Clone().Parameters, n.Parameters) {
			t.Errorf("%+v: other parameters", s)
		}
		nonzero := 0
		for _, x := range m.Parameters {
			if x != 0 {
				nonzero++
			}
		}
		if nonzero != n.Count() {
			t.Errorf("%+v: %d parameters are not zero, of %d", s, nonzero, n.Count())
		}
		if err := m.Import(numbers[1:]); err == nil {
			t.Error("too few numbers are imported")
		}
		numbers[2] = float32(math.NaN())
		if err := m.Import(numbers); err == nil || !strings.Contains(err.Error(), "number 3 is NaN") {
			t.Errorf("what is no number is imported: %v", err)
		}
	}
}

func TestCheckShape(t *testing.T) {
	for _, s := range shapes {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []Shape{{}, {Inputs: 1, Actions: 1}, {Inputs: 1, Actions: MaxEnds + 1, Width: 1}, {Inputs: 1, Actions: 1, Width: 1, Layers: -1},
		{Inputs: 1, Actions: 1, Width: 2, Layers: 2, Widths: []int{1}}, {Inputs: 1, Actions: 1, Width: 2, Widths: []int{}}, {Inputs: 1, Actions: 1, Width: 2, Layers: 1, Widths: []int{0}},
		{Inputs: 1, Actions: 1, Width: 2, Layers: 1, Residual: true, Widths: []int{2}}, {Inputs: 1, Actions: 1, Width: 2, Layers: 1, Widths: []int{MaxWidth + 1}}} {
		if err := s.Check(); err == nil {
			t.Errorf("%+v is a shape", s)
		}
	}
}

func TestFunctions(t *testing.T) {
	for x := -710.0; x < 705; x += 0.37 {
		if got, want := exp(x), math.Exp(min(x, 700)); x >= -700 && math.Abs(got-want) > 1e-14*want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	for x := float32(-30); x < 400; x += 0.011 {
		if got, want := Tanh(x), math.Tanh(float64(x)); math.Abs(float64(got)-want) > 1e-7 {
			t.Errorf("tanh(%v) = %v, want %v", x, got, want)
		}
	}
	logits := []float32{1, -2, 300, 299.5, 3}
	p := make([]float32, len(logits))
	Softmax(p, logits)
	sum := 0.0
	for _, x := range p {
		sum += float64(x)
	}
	if ratio := float64(p[3] / p[2]); math.Abs(sum-1) > 1e-6 || math.Abs(ratio-math.Exp(-0.5)) > 1e-6 || p[1] != 0 {
		t.Errorf("%v", p)
	}
}

// The networks are the default one for Notakto 4×4, and the one that was published for Nim with 5
// heaps.
func BenchmarkForward(b *testing.B) {
	b.Run("residual", func(b *testing.B) {
		benchmarkForward(b, Shape{Inputs: 18, Actions: 16, Width: 256, Layers: 2, Residual: true})
	})
	b.Run("lstm", func(b *testing.B) { benchmarkForward(b, Shape{Inputs: 29, Actions: 25, Width: 128, LSTM: true}) })
	b.Run("convolutions", func(b *testing.B) {
		benchmarkForward(b, Shape{Inputs: 32, Actions: 48, Width: 64, Layers: 1, Residual: true, Convolution: Convolution{Layers: 4, Channels: 64, Rows: 4, Columns: 4}})
	})
}

func benchmarkForward(b *testing.B, s Shape) {
	n := newNetwork(s)
	p := n.NewPass(256, false)
	fill(p, n.Inputs)
	for _, rows := range []int{1, 2, 3, 4, 256} {
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			for b.Loop() {
				if p.Sequence != nil {
					p.Sequence.packed = 0 // it forgets the beginnings
				}
				n.Forward(p, rows, 1)
			}
			b.ReportMetric(float64(b.N)*float64(rows)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
