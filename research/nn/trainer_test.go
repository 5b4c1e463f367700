package nn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"backsolve/internal/player/zero/network"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(16, 2)) }

// newTrainer returns a trainer with biases and a batch of random inputs and targets.
func newTrainer(s network.Shape, batch, threads int) (*Trainer, []Target) {
	n, r := network.New(s), random()
	n.Init(r)
	for i, l := range n.Layers {
		for j := range l.Outputs {
			l.Bias[j] = float32(0.1 * r.NormFloat64())
		}
		if i == len(n.Layers)-1 { // so that policies and values are not all alike
			for j := range l.Weights.Data {
				l.Weights.Data[j] *= 10
			}
		}
	}
	n.Pack()
	t := NewTrainer(n, Options{Batch: batch, Rate: 1e-3, Decay: 1e-4}, threads)
	return t, fill(t, r, batch)
}

// fill gives the trainer random inputs, and returns random targets.
func fill(t *Trainer, r *rand.Rand, batch int) (targets []Target) {
	for i := range batch {
		for j := range t.Input(i) {
			t.Input(i)[j] = float32(r.NormFloat64())
			if t.Network.LSTM { // some positions begin alike
				t.Input(i)[j] = float32(r.IntN(3) - 1)
			}
		}
		target := Target{Value: float32(r.IntN(3) - 1)}
		sum := float32(0)
		for a := range t.Network.Actions {
			if a == 0 || r.IntN(3) > 0 {
				target.Actions = append(target.Actions, int16(a))
				x := float32(r.IntN(3)) + 0.01
				target.Policy = append(target.Policy, x)
				sum += x
			}
		}
		for j := range target.Policy {
			target.Policy[j] /= sum
		}
		targets = append(targets, target)
	}
	return targets
}

// lossOf computes the loss of a batch with loops over float64.
func lossOf(n *network.Network, parameters []float64, inputs [][]float32, targets []Target) (value, policy float64) {
	for i, target := range targets {
		out := outputs(n, parameters, inputs[i])
		most, sum := math.Inf(-1), 0.0
		for _, a := range target.Actions {
			most = max(most, out[a])
		}
		for _, a := range target.Actions {
			sum += math.Exp(out[a] - most)
		}
		for j, a := range target.Actions {
			policy -= float64(target.Policy[j]) * (out[a] - most - math.Log(sum)) / float64(len(targets))
		}
		miss := math.Tanh(out[n.Actions]) - float64(target.Value)
		value += miss * miss / float64(len(targets))
	}
	return value, policy
}

// outputs evaluates a network with the given parameters, padding included.
func outputs(n *network.Network, parameters []float64, input []float32) []float64 {
	var h []float64
	for _, x := range input {
		h = append(h, float64(x))
	}
	for i, l := range n.Layers {
		if n.LSTM && i == 0 {
			h = lastOfLSTM(l, parameters, h)
			parameters = parameters[len(l.Weights.Data)+len(l.Bias):]
			continue
		}
		weights, bias := parameters[:len(l.Weights.Data)], parameters[len(l.Weights.Data):]
		if i < n.Convolution.Layers {
			h, parameters = convolved(n, i, weights, bias, h), bias[len(l.Bias):]
			continue
		}
		y := make([]float64, l.Outputs)
		for out := range y {
			y[out] = bias[out]
			for in, x := range h {
				y[out] += x * weights[in*l.Weights.Columns+out]
			}
			if i < len(n.Layers)-1 {
				y[out] = max(y[out], 0)
				if n.Residual && i > 0 && i != n.Convolution.Layers {
					y[out] += h[out]
				}
			}
		}
		h, parameters = y, parameters[len(l.Weights.Data)+len(l.Bias):]
	}
	return h
}

// convolved evaluates layer i of a convolution, of which the first is given planes.
func convolved(n *network.Network, i int, weights, bias, h []float64) []float64 {
	c, l := n.Convolution, n.Layers[i]
	channels := l.Inputs / 9
	y := make([]float64, c.Cells()*c.Channels)
	for cell := range c.Cells() {
		for out := range c.Channels {
			sum := bias[out]
			for k := range l.Inputs {
				row, column, channel := cell/c.Columns+k/channels/3-1, cell%c.Columns+k/channels%3-1, k%channels
				if row < 0 || row >= c.Rows || column < 0 || column >= c.Columns {
					continue
				}
				x := channel*c.Cells() + row*c.Columns + column
				if i > 0 {
					x = (row*c.Columns+column)*channels + channel
				}
				sum += h[x] * weights[k*l.Weights.Columns+out]
			}
			y[cell*c.Channels+out] = max(sum, 0)
			if n.Residual && i > 0 {
				y[cell*c.Channels+out] += h[cell*c.Channels+out]
			}
		}
	}
	return y
}

// lastOfLSTM evaluates an LSTM with the given parameters and returns its last h.
func lastOfLSTM(l *network.Layer, parameters []float64, inputs []float64) []float64 {
	w := l.Inputs - 1
	bias := parameters[len(l.Weights.Data):]
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	h, c := make([]float64, w), make([]float64, w)
	for _, x := range inputs {
		before := append(slices.Clone(h), x)
		sum := func(gate, unit int) float64 {
			s := bias[gate*w+unit]
			for k, y := range before {
				s += y * parameters[k*l.Weights.Columns+gate*w+unit]
			}
			return s
		}
		for j := range w {
			c[j] = sigmoid(sum(1, j))*c[j] + sigmoid(sum(0, j))*math.Tanh(sum(2, j))
			h[j] = sigmoid(sum(3, j)) * math.Tanh(c[j])
		}
	}
	return h
}

// The gradient of every parameter, for both terms of the loss and all kinds of shapes, is a
// finite difference.
func TestGradients(t *testing.T) {
	for _, s := range []network.Shape{
		{Inputs: 3, Actions: 2, Width: 5},
		{Inputs: 4, Actions: 5, Width: 7, Layers: 2},
		{Inputs: 4, Actions: 5, Width: 7, Layers: 2, Widths: []int{9, 4}},
		{Inputs: 4, Actions: 5, Width: 6, Layers: 3, Residual: true},
		{Inputs: 2, Actions: 2, Width: 3, LSTM: true},
		{Inputs: 6, Actions: 4, Width: 5, LSTM: true},
		{Inputs: 3, Actions: 3, Width: 8, Layers: 1, Residual: true, LSTM: true},
		{Inputs: 2, Actions: 3, Width: 32, LSTM: true},
		{Inputs: 12, Actions: 3, Width: 8, Convolution: network.Convolution{Layers: 1, Channels: 32, Rows: 2, Columns: 3}},
		{Inputs: 6, Actions: 3, Width: 8, Layers: 1, Residual: true, Convolution: network.Convolution{Layers: 2, Channels: 32, Rows: 2, Columns: 3}},
	} {
		const batch = 13
		trainer, targets := newTrainer(s, batch, 1)
		loss := trainer.gradient(targets)
		parameters := make([]float64, len(trainer.Network.Parameters))
		for i, x := range trainer.Network.Parameters {
			parameters[i] = float64(x)
		}
		var inputs [][]float32
		for i := range batch {
			inputs = append(inputs, trainer.Input(i))
		}
		value, policy := lossOf(trainer.Network, parameters, inputs, targets)
		if math.Abs(loss.Value-value) > 1e-5 || math.Abs(loss.Policy-policy) > 1e-5 {
			t.Errorf("%+v: loss %+v, want %v and %v", s, loss, value, policy)
		}
		tried := 2500
		if s.Convolution.Layers > 0 {
			tried = 300
		}
		moved, stride := 0, 1+len(parameters)/tried // not all of very many are tried
		for i, x := range parameters {
			if trainer.gradients.Parameters[i] != 0 {
				moved++
			}
			if i%stride != 0 {
				continue
			}
			const h = 1e-6
			parameters[i] = x + h
			v1, p1 := lossOf(trainer.Network, parameters, inputs, targets)
			parameters[i] = x - h
			v0, p0 := lossOf(trainer.Network, parameters, inputs, targets)
			parameters[i] = x
			got, want := float64(trainer.gradients.Parameters[i]), (v1+p1-v0-p0)/(2*h)
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("%+v: gradient %d is %v, want %v", s, i, got, want)
			}
		}
		if moved < trainer.Network.Count()/2 {
			t.Errorf("%+v: %d gradients of %d are not zero", s, moved, trainer.Network.Count())
		}
	}
}

// With all actions in the loss, those that cannot be searched are wanted with probability 0.
func TestAllActions(t *testing.T) {
	masked, targets := newTrainer(network.Shape{Inputs: 4, Actions: 5, Width: 7}, 13, 1)
	o := masked.options
	o.AllActions = true
	all := NewTrainer(masked.Network.Clone(), o, 1)
	for i := range targets {
		copy(all.Input(i), masked.Input(i))
	}
	var spread []Target
	for _, target := range targets {
		wanted := Target{Actions: []int16{0, 1, 2, 3, 4}, Policy: make([]float32, 5), Value: target.Value}
		for j, a := range target.Actions {
			wanted.Policy[a] = target.Policy[j]
		}
		spread = append(spread, wanted)
	}
	if less := masked.gradient(targets); all.gradient(targets).Policy <= less.Policy {
		t.Errorf("the loss of all actions is not above %v", less.Policy)
	}
	if a, b := all.Step(targets), masked.Step(spread); a != b || !slices.Equal(all.Network.Parameters, masked.Network.Parameters) {
		t.Errorf("loss %v, want %v, or other parameters", a, b)
	}
}

// Steps with any number of threads give the same parameters, to the bit.
func TestThreadsGiveTheSameBits(t *testing.T) {
	for _, s := range []network.Shape{
		{Inputs: 20, Actions: 16, Width: 96, Layers: 2, Residual: true},
		{Inputs: 7, Actions: 16, Width: 32, LSTM: true},
		{Inputs: 40, Actions: 9, Width: 32, Residual: true, Convolution: network.Convolution{Layers: 2, Channels: 32, Rows: 4, Columns: 5}},
	} {
		checkThreads(t, s)
	}
}

func checkThreads(t *testing.T, s network.Shape) {
	t.Helper()
	var want []float32
	for _, threads := range []int{1, 2, 3, 7} {
		trainer, targets := newTrainer(s, 100, threads)
		for range 5 {
			trainer.Step(targets)
		}
		if want == nil {
			want = trainer.Network.Parameters
			continue
		}
		if !slices.Equal(trainer.Network.Parameters, want) {
			t.Errorf("%d threads give other parameters", threads)
		}
	}
}

// A batch may be smaller than the buffers.
func TestPartOfABatch(t *testing.T) {
	for _, s := range []network.Shape{{Inputs: 5, Actions: 4, Width: 32, Layers: 1, Residual: true}, {Inputs: 5, Actions: 4, Width: 20, LSTM: true},
		{Inputs: 12, Actions: 3, Width: 8, Residual: true, Convolution: network.Convolution{Layers: 2, Channels: 32, Rows: 2, Columns: 3}}} {
		checkPart(t, s)
	}
}

func checkPart(t *testing.T, s network.Shape) {
	t.Helper()
	small, targets := newTrainer(s, 9, 1)
	large, _ := newTrainer(s, 64, 1)
	large.Step(fill(large, random(), 64)) // leaves something in all rows
	large.Network.Set(small.Network.Parameters)
	clear(large.First)
	clear(large.Second)
	large.Steps = 0
	for i := range 9 {
		copy(large.Input(i), small.Input(i))
	}
	if a, b := small.Step(targets), large.Step(targets); a != b || !slices.Equal(small.Network.Parameters, large.Network.Parameters) {
		t.Errorf("%v and %v, or other parameters", a, b)
	}
}

// The mean of the parameters follows its definition, and does not change them.
func TestAverage(t *testing.T) {
	shape := network.Shape{Inputs: 5, Actions: 4, Width: 20}
	plain, targets := newTrainer(shape, 9, 1)
	o := plain.options
	o.Average = 0.7
	averaged := NewTrainer(plain.Network.Clone(), o, 2)
	for i := range 9 {
		copy(averaged.Input(i), plain.Input(i))
	}
	mean := make([]float64, len(plain.Network.Parameters))
	for i, p := range plain.Network.Parameters {
		mean[i] = float64(p)
	}
	for step := 1; step <= 40; step++ {
		plain.Step(targets)
		averaged.Step(targets)
		kept := min(0.7, float64(1+step)/float64(10+step))
		for i, p := range plain.Network.Parameters {
			mean[i] = kept*mean[i] + (1-kept)*float64(p)
		}
	}
	if !slices.Equal(plain.Network.Parameters, averaged.Network.Parameters) || !slices.Equal(plain.Averaged(), plain.Network.Parameters) {
		t.Error("the mean makes another network")
	}
	apart := 0
	for i, want := range mean {
		got := averaged.Averaged()[i]
		if math.Abs(float64(got)-want) > 1e-5 {
			t.Fatalf("parameter %d has the mean %v, want %v", i, got, want)
		}
		if got != averaged.Network.Parameters[i] {
			apart++
		}
	}
	if apart < 100 {
		t.Errorf("%d parameters are not their mean", apart)
	}
}

// Weights decay by c‖θ‖² if the loss has no slope.
func TestDecay(t *testing.T) {
	trainer, _ := newTrainer(network.Shape{Inputs: 2, Actions: 2, Width: 4}, 1, 1)
	before := slices.Clone(trainer.Network.Parameters)
	clear(trainer.Input(0))
	for range 50 {
		trainer.Step([]Target{{Actions: []int16{0}, Policy: []float32{1}, Value: network.Tanh(0)}})
	}
	first := trainer.Network.Layers[0].Weights // no input reaches them
	for input := range 2 {
		for i, x := range first.Row(input)[:4] {
			if was := before[input*first.Columns+i]; math.Abs(float64(x)) >= math.Abs(float64(was)) {
				t.Errorf("a weight of %v is %v after 50 steps", was, x)
			}
		}
	}
}

// A network can memorise the policy and the value of 512 states.
func TestMemorisesATable(t *testing.T) {
	checkMemory(t, network.Shape{Inputs: 9, Actions: 9, Width: 128, Layers: 2, Residual: true}, 1e-3, 1000)
}

// So can an LSTM, of a smaller table, as it takes longer.
func TestLSTMMemorisesATable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	checkMemory(t, network.Shape{Inputs: 7, Actions: 9, Width: 48, LSTM: true}, 5e-3, 1500)
}

// checkMemory lets a network memorise all states of its inputs within a number of steps.
func checkMemory(t *testing.T, shape network.Shape, rate float64, most int) {
	t.Helper()
	states, actions := 1<<shape.Inputs, shape.Actions
	n, r := network.New(shape), random()
	n.Init(r)
	trainer := NewTrainer(n, Options{Batch: states, Rate: rate}, 1)
	var targets []Target
	for s := range states {
		for j := range shape.Inputs {
			trainer.Input(s)[j] = float32(2*(s>>j&1) - 1)
		}
		target := Target{Value: float32(2*r.IntN(2) - 1)}
		best := r.IntN(actions)
		for a := range actions {
			target.Actions = append(target.Actions, int16(a))
			target.Policy = append(target.Policy, 0)
			if a == best {
				target.Policy[a] = 1
			}
		}
		targets = append(targets, target)
	}
	loss := Loss{Value: 1}
	for loss.Value > 0.002 || loss.Policy > 0.01 {
		if loss = trainer.Step(targets); trainer.Steps == most {
			t.Fatalf("%+v after %d steps", loss, trainer.Steps)
		}
	}
	trainer.Network.Forward(trainer.pass, states, 1)
	for s, target := range targets {
		out := trainer.pass.Output.Row(s)
		best := slices.Index(out[:actions], slices.Max(out[:actions]))
		if target.Policy[best] != 1 || (out[actions] > 0) != (target.Value > 0) {
			t.Errorf("state %d: action %d, value %v; want %+v", s, best, network.Tanh(out[actions]), target)
		}
	}
}

// The networks of the default description of Notakto 4×4, and of the published one for Nim
// with 5 heaps.
func BenchmarkStep(b *testing.B) {
	b.Run("residual", func(b *testing.B) {
		benchmarkStep(b, network.Shape{Inputs: 18, Actions: 16, Width: 256, Layers: 2, Residual: true})
	})
	b.Run("lstm", func(b *testing.B) { benchmarkStep(b, network.Shape{Inputs: 29, Actions: 25, Width: 128, LSTM: true}) })
	b.Run("convolutions", func(b *testing.B) {
		benchmarkStep(b, network.Shape{Inputs: 32, Actions: 48, Width: 64, Layers: 1, Residual: true,
			Convolution: network.Convolution{Layers: 4, Channels: 64, Rows: 4, Columns: 4}})
	})
}

func benchmarkStep(b *testing.B, s network.Shape) {
	trainer, targets := newTrainer(s, 256, 1)
	for b.Loop() {
		trainer.Step(targets)
	}
	b.ReportMetric(float64(b.N)*256/b.Elapsed().Seconds(), "positions/s")
}
