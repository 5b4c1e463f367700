// Package network has networks with a policy and a value: their shape, and the computation from
// inputs to outputs. Training is elsewhere.
//
// The first layer is rectified, h = max(0, x·W + b), or an LSTM, which takes the inputs one after
// another; convolutional layers may precede it. The others are rectified; the output of each
// replaces h in a dense network, and is added to it in a residual one. The last layer is linear;
// it gives a logit for each action, which make the policy, and one more number, whose hyperbolic
// tangent is the value.
package network

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"backsolve/internal/matrix"
)

// Shape is the architecture of a network.
type Shape struct {
	// Inputs and Actions are the numbers of inputs and of actions.
	Inputs  int `json:"inputs"`
	Actions int `json:"actions"`
	// Width is the width of the first hidden layer, and of the others unless Widths is set.
	Width int `json:"width"`
	// Layers is the number of layers from the first hidden one to the last, 0 or more.
	Layers int   `json:"layers"`
	Widths []int `json:"widths,omitempty"`
	// Residual adds each hidden layer's output to its input.
	Residual bool `json:"residual"`
	// LSTM makes the first layer an LSTM of that width.
	LSTM bool `json:"lstm,omitempty"`
	// Convolution precedes the first dense layer, if it has layers.
	Convolution Convolution `json:"convolution,omitzero"`
}

// The largest shape: a network that fits into the memory of small machines.
const (
	MaxWidth  = 4096
	MaxLayers = 64
	MaxEnds   = 4096 // inputs and actions
)

// Check returns an error for an invalid shape.
func (s Shape) Check() error {
	for _, v := range []struct {
		name       string
		value      int
		least, max int
	}{{"inputs", s.Inputs, 1, MaxEnds}, {"actions", s.Actions, 1, MaxEnds}, {"width", s.Width, 1, MaxWidth}, {"layers", s.Layers, 0, MaxLayers}} {
		if v.value < v.least || v.value > v.max {
			return fmt.Errorf("%s is %d; give a number from %d to %d", v.name, v.value, v.least, v.max)
		}
	}
	if w := s.Widths; w != nil && (len(w) == 0 || len(w) != s.Layers || s.Residual || slices.Min(w) < 1 || slices.Max(w) > MaxWidth) {
		return fmt.Errorf("widths is %v; give each layer after the first, none of them residual, a number from 1 to %d", w, MaxWidth)
	}
	if s.LSTM && s.Convolution.Layers > 0 {
		return errors.New("an LSTM takes the inputs one after another, so no convolution can precede it; leave one out")
	}
	return s.Convolution.check(s.Inputs)
}

// Adds reports whether the output of layer i is added to its input.
func (s Shape) Adds(i int) bool { return s.Residual && i > 0 && i != s.Convolution.Layers }

// Layer has a row of weights for each input and a bias for each output, all padded by zeros.
type Layer struct {
	Inputs, Outputs int // without padding
	Weights         *matrix.Matrix
	Bias            []float32
	packed          matrix.Panels
}

// Network is a network. It may be read by many goroutines at once.
type Network struct {
	Shape
	// Layers are the first one, the hidden ones and the last one.
	Layers []*Layer
	// Parameters are all weights and biases, padding included, which the layers share.
	Parameters []float32

	packed uint64 // how often Pack was called
}

// New returns a network of zeros. The shape must be valid.
func New(s Shape) *Network {
	n := &Network{Shape: s}
	first, sizes := [2]int{s.Inputs, s.Width}, [][2]int(nil)
	if s.LSTM {
		first = [2]int{s.Width + 1, Gates * s.Width}
	}
	if c := s.Convolution; c.Layers > 0 {
		channels := s.Inputs / c.Cells()
		for range c.Layers {
			sizes = append(sizes, [2]int{Around * channels, c.Channels})
			channels = c.Channels
		}
		first[0] = c.Cells() * channels
	}
	sizes = append(sizes, first)
	width := s.Width
	for i := range s.Layers {
		next := s.Width
		if len(s.Widths) > 0 {
			next = s.Widths[i]
		}
		sizes, width = append(sizes, [2]int{width, next}), next
	}
	sizes = append(sizes, [2]int{width, s.Actions + 1})
	total := 0
	for _, size := range sizes {
		in, out := padded(size)
		total += in*out + out
	}
	n.Parameters = make([]float32, total)
	rest := n.Parameters
	for _, size := range sizes {
		in, out := padded(size)
		n.Layers = append(n.Layers, &Layer{Inputs: size[0], Outputs: size[1], Weights: matrix.Of(rest, in, out), Bias: rest[in*out : in*out+out : in*out+out]})
		rest = rest[in*out+out:]
	}
	n.Pack()
	return n
}

func padded(size [2]int) (in, out int) {
	return matrix.Padded(size[0], matrix.Columns), matrix.Padded(size[1], matrix.Columns)
}

// Init sets the parameters to their values before training: weights normally
// distributed with variance 2 divided by the number of inputs (He, Zhang, Ren, Sun: Delving deep
// into rectifiers, 2015), those of the last layer a tenth of that wide, and no bias. In
// an LSTM the variance is 1 divided by the width, and the biases of the forget gates are 1, so that it
// remembers at first (Jozefowicz, Zaremba, Sutskever: An empirical exploration of recurrent
// network architectures, 2015).
func (n *Network) Init(r *rand.Rand) {
	clear(n.Parameters)
	for i, l := range n.Layers {
		deviation := math.Sqrt(2 / float64(l.Inputs))
		switch {
		case n.LSTM && i == 0:
			deviation = 1 / math.Sqrt(float64(n.Width))
			for j := range n.Width {
				l.Bias[n.Width+j] = 1
			}
		case i == len(n.Layers)-1:
			deviation /= 10
		}
		for input := range l.Inputs {
			row := l.Weights.Row(input)
			for output := range l.Outputs {
				row[output] = float32(deviation * r.NormFloat64())
			}
		}
	}
	n.Pack()
}

// InitUniform is Init as PyTorch does it: uniform within 1/√width of 0 in an LSTM, whose biases are sums of two, and
// within 1/√inputs elsewhere.
func (n *Network) InitUniform(r *rand.Rand) {
	clear(n.Parameters)
	for i, l := range n.Layers {
		inputs, biases := l.Inputs, 1
		if n.LSTM && i == 0 {
			inputs, biases = n.Width, 2
		}
		add := func(row []float32) {
			for j := range row {
				row[j] += float32((2*r.Float64() - 1) / math.Sqrt(float64(inputs)))
			}
		}
		for input := range l.Inputs {
			add(l.Weights.Row(input)[:l.Outputs])
		}
		for range biases {
			add(l.Bias[:l.Outputs])
		}
	}
	n.Pack()
}

// Pack must be called after the parameters have changed, before the next Forward.
func (n *Network) Pack() {
	n.packed++
	for i, l := range n.Layers {
		rows := l.Weights.Rows
		if n.LSTM && i == 0 {
			rows = l.Inputs // often one more than a multiple of the padding
		}
		l.packed.Pack(l.Weights, rows)
	}
}

// Clone returns a copy of the network.
func (n *Network) Clone() *Network {
	c := New(n.Shape)
	c.Set(n.Parameters)
	return c
}

// Set sets all parameters, in the order of Parameters.
func (n *Network) Set(parameters []float32) {
	copy(n.Parameters, parameters)
	n.Pack()
}

// Count returns the number of parameters without the padding.
func (n *Network) Count() (count int) {
	for _, l := range n.Layers {
		count += (l.Inputs + 1) * l.Outputs
	}
	return count
}

// Export appends each layer's weights, input by input, and its biases, without padding.
func (n *Network) Export(dst []float32) []float32 {
	for _, l := range n.Layers {
		for input := range l.Inputs {
			dst = append(dst, l.Weights.Row(input)[:l.Outputs]...)
		}
		dst = append(dst, l.Bias[:l.Outputs]...)
	}
	return dst
}

// errNumbers: the numbers are not the parameters of a network.
var errNumbers = errors.New("not the parameters of the network")

// Import sets the parameters from the output of Export.
func (n *Network) Import(src []float32) error {
	if len(src) != n.Count() {
		return fmt.Errorf("%w: there are %d, and it has %d", errNumbers, len(src), n.Count())
	}
	for i, x := range src {
		if x != x || math.IsInf(float64(x), 0) {
			return fmt.Errorf("%w: number %d is %v", errNumbers, i+1, x)
		}
	}
	for _, l := range n.Layers {
		for input := range l.Inputs {
			src = src[copy(l.Weights.Row(input)[:l.Outputs], src):]
		}
		src = src[copy(l.Bias[:l.Outputs], src):]
	}
	n.Pack()
	return nil
}

// Pass is the memory for evaluating some positions. It is not safe for concurrent use.
type Pass struct {
	// Input has a row of inputs for each position, to be filled before Forward. The rest stays zero.
	Input *matrix.Matrix
	// Hidden is what each layer but the last passes to the next. In a residual network
	// Found is the layer's own output, nil for the first one; else both are the same.
	Hidden, Found []*matrix.Matrix
	// Sequence has the intermediate results of an LSTM, nil without one.
	Sequence *Sequence
	// Output has for each position the logits of the actions, and the value before the hyperbolic tangent.
	Output *matrix.Matrix

	patches [][]*matrix.Matrix // of each convolution, for each thread
}

// NewPass returns a pass for up to a number of positions. One that learns keeps the values needed for learning.
func (n *Network) NewPass(rows int, learns bool) *Pass {
	p := &Pass{Input: matrix.New(rows, n.Inputs), Output: matrix.New(rows, n.Actions+1), patches: make([][]*matrix.Matrix, n.Convolution.Layers)}
	for i := range n.Layers[:len(n.Layers)-1] {
		h := n.NewHidden(i, rows)
		p.Hidden = append(p.Hidden, h)
		if n.Adds(i) {
			h = n.NewHidden(i, rows)
		}
		p.Found = append(p.Found, h)
	}
	if n.LSTM {
		p.Sequence = n.newSequence(rows, learns)
	}
	return p
}

// NewHidden returns a matrix for a layer's outputs, with a row for each position or, in a convolution, each cell.
func (n *Network) NewHidden(i, rows int) *matrix.Matrix {
	if c := n.Convolution; i < c.Layers {
		return matrix.New(matrix.Padded(rows, matrix.Rows)*c.Cells(), c.Channels)
	}
	return matrix.New(rows, n.Layers[i+1].Inputs)
}

// Given returns the input of layer i. A dense layer after a convolution takes all channels of all cells.
func (n *Network) Given(p *Pass, i int) *matrix.Matrix {
	if i == 0 {
		return p.Input
	}
	h := p.Hidden[i-1]
	if c := n.Convolution; i == c.Layers {
		return matrix.Of(h.Data, h.Rows/c.Cells(), c.Cells()*h.Columns)
	}
	return h
}

// Rows returns how many positions the pass has room for.
func (p *Pass) Rows() int { return p.Input.Rows }

// Forward computes the outputs of the first positions.
func (n *Network) Forward(p *Pass, rows, threads int) {
	threads = min(threads, (rows+perThread-1)/perThread)
	last := len(n.Layers) - 1
	for i, l := range n.Layers[:last] {
		found := p.Found[i]
		switch {
		case n.LSTM && i == 0:
			n.read(p, rows, threads)
			continue
		case i < n.Convolution.Layers:
			n.convolve(p, i, rows, threads)
		default:
			l.apply(found, n.Given(p, i), rows, threads)
		}
		used := Used(found, rows, p.Rows())
		matrix.Rectify(found.Data[:used])
		if n.Adds(i) {
			next := p.Hidden[i].Data[:used]
			copy(next, p.Hidden[i-1].Data)
			matrix.Add(next, found.Data[:used])
		}
	}
	n.Layers[last].apply(p.Output, n.Given(p, last), rows, threads)
}

// Used returns how many numbers of a layer's matrix belong to the first positions.
func Used(m *matrix.Matrix, rows, room int) int {
	return len(m.Data) / room * matrix.Padded(rows, matrix.Rows)
}

// perThread is the number of positions that make starting another thread worthwhile.
const perThread = 32

// apply sets y to x·W + b.
func (l *Layer) apply(y, x *matrix.Matrix, rows, threads int) {
	for i := range matrix.Padded(rows, matrix.Rows) {
		copy(y.Row(i), l.Bias)
	}
	matrix.MultiplyAdd(y, x, &l.packed, rows, threads)
}
