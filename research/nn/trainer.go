// Package nn trains the networks of package network by backpropagation and Adam.
package nn

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"backsolve/internal/matrix"
	"backsolve/internal/player/zero/network"
)

// Options are the options of a training.
type Options struct {
	Batch int     `json:"batch"` // positions a step
	Rate  float64 `json:"rate"`
	Decay float64 `json:"decay"` // the c of the loss
	// Average, if above 0, is the decay of the exponential mean of the parameters, less at
	// first (Polyak, Juditsky: Acceleration of stochastic approximation by averaging, 1992).
	Average float64 `json:"average,omitempty"`
	// AllActions computes probabilities for all actions in the loss, not only for those that can be
	// searched, so that the network also learns which these are.
	AllActions bool `json:"all_actions,omitempty"`
}

// MaxBatch is the largest batch.
const MaxBatch = 1 << 16

// Check returns a sentence that says which option is wrong.
func (o Options) Check() error {
	switch {
	case o.Batch < 1 || o.Batch > MaxBatch:
		return fmt.Errorf("batch is %d; give a number of positions from 1 to %d", o.Batch, MaxBatch)
	case !(o.Rate > 0 && o.Rate <= 1):
		return fmt.Errorf("rate is %v; give a number above 0 and not above 1", o.Rate)
	case !(o.Decay >= 0 && o.Decay <= 1):
		return fmt.Errorf("decay is %v; give a number from 0 to 1", o.Decay)
	case !(o.Average >= 0 && o.Average < 1):
		return fmt.Errorf("average is %v; give a number below 1, or 0 for no mean", o.Average)
	}
	return nil
}

// The constants of Adam, by Kingma and Ba.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// Target is the desired output for a position.
type Target struct {
	Actions []int16   // that can be searched
	Policy  []float32 // the probability of each
	Value   float32   // from −1 to 1
}

// Loss is (z − v)² and −πᵀ log p, as means over a batch. The regularisation c‖θ‖² is left out.
type Loss struct {
	Value, Policy float64
}

// Trainer trains a network, to the same bits with any number of threads.
type Trainer struct {
	Network       *network.Network
	First, Second []float32 // Adam's means
	Steps         int       // made so far
	Mean          []float32 // of the parameters over the steps, or nil

	options   Options
	threads   int
	pass      *network.Pass
	gradients *network.Network // of the shape of the network
	back      []*matrix.Matrix // the gradients of each layer's output
	output    *matrix.Matrix   // the gradient of the network's output
	found     *matrix.Matrix   // the gradient of a layer's activation
	panels    matrix.Panels
	sequence  *sequence // of an LSTM
	p, logits []float32
	all       Target // with all actions

	convolutions *convolutions
}

// NewTrainer returns the trainer of a network.
func NewTrainer(n *network.Network, o Options, threads int) *Trainer {
	t := &Trainer{
		Network: n, First: make([]float32, len(n.Parameters)), Second: make([]float32, len(n.Parameters)),
		options: o, threads: threads, pass: n.NewPass(o.Batch, true), gradients: network.New(n.Shape),
		output: matrix.New(o.Batch, n.Actions+1),
	}
	if o.Average > 0 {
		t.Mean = slices.Clone(n.Parameters)
	}
	for i := range n.Layers[1:] {
		t.back = append(t.back, n.NewHidden(i, o.Batch))
	}
	t.found = slices.MaxFunc(t.back, func(a, b *matrix.Matrix) int { return cmp.Compare(len(a.Data), len(b.Data)) })
	t.found = matrix.New(t.found.Rows, t.found.Columns)
	if n.Convolution.Layers > 0 {
		t.convolutions = newConvolutions(n, t.pass, threads)
	}
	if n.LSTM {
		state := func() *matrix.Matrix { return matrix.New(o.Batch, n.Width) }
		t.sequence = &sequence{gates: matrix.New(o.Batch, network.Gates*n.Width), below: state(), h: state(), cell: state(), hNext: state(), cellNext: state()}
	}
	return t
}

// Input returns the buffer for the inputs of a position of the batch, to be filled before Step.
func (t *Trainer) Input(i int) []float32 { return t.pass.Input.Row(i)[:t.Network.Inputs] }

// SetRate sets the learning rate of the next steps.
func (t *Trainer) SetRate(rate float64) { t.options.Rate = rate }

// Step makes a step by as many inputs as there are targets, and returns the loss before it.
func (t *Trainer) Step(targets []Target) Loss {
	loss := t.gradient(targets)
	t.Steps++
	correct1 := 1 - math.Pow(beta1, float64(t.Steps))
	correct2 := 1 - math.Pow(beta2, float64(t.Steps))
	rates := matrix.Rates{
		Beta1: beta1, Rest1: 1 - beta1, Beta2: beta2, Rest2: 1 - beta2,
		Decay: float32(2 * t.options.Decay), Epsilon: epsilon,
		Step: float32(t.options.Rate / correct1), Scale: float32(1 / math.Sqrt(correct2)),
	}
	n := t.Network
	const unit = matrix.Columns // whole vectors for each thread
	matrix.Share(len(n.Parameters)/unit, t.threads, func(first, end int) {
		at, to := first*unit, end*unit
		matrix.Adam(n.Parameters[at:to], t.gradients.Parameters[at:to], t.First[at:to], t.Second[at:to], &rates)
		if t.Mean != nil {
			t.average(at, to)
		}
	})
	n.Pack()
	return loss
}

func (t *Trainer) average(from, to int) {
	steps := float64(t.Steps)
	share := float32(1 - min(t.options.Average, (1+steps)/(10+steps)))
	mean := t.Mean[from:to]
	for i, p := range t.Network.Parameters[from:to] {
		mean[i] += float32(share * (p - mean[i]))
	}
}

// Averaged returns the result of the training: the mean of the parameters if there is one.
func (t *Trainer) Averaged() []float32 {
	if t.Mean != nil {
		return t.Mean
	}
	return t.Network.Parameters
}

func (t *Trainer) gradient(targets []Target) Loss {
	n, rows := t.Network, len(targets)
	n.Forward(t.pass, rows, t.threads)
	loss := t.outputs(targets)
	clear(t.gradients.Parameters)

	last := len(n.Layers) - 1
	t.through(last, t.output, rows)
	for i := last - 1; i >= 0; i-- {
		above := t.back[i] // the gradient of layer i's output
		if n.LSTM && i == 0 {
			t.throughSequence(above, rows)
			break
		}
		used := network.Used(above, rows, t.pass.Rows())
		found := above
		if n.Adds(i) {
			found = matrix.Of(t.found.Data, above.Rows, above.Columns)
			copy(found.Data[:used], above.Data)
		}
		matrix.Gate(found.Data[:used], t.pass.Found[i].Data[:used])
		if i < n.Convolution.Layers {
			t.throughConvolution(i, found, rows)
		} else {
			t.through(i, found, rows)
		}
		if n.Adds(i) {
			matrix.Add(t.back[i-1].Data[:used], above.Data[:used])
		}
	}
	return loss
}

func (t *Trainer) outputs(targets []Target) (loss Loss) {
	actions := t.Network.Actions
	clear(t.output.Data)
	each := 1 / float64(len(targets))
	for i, target := range targets {
		out, back := t.pass.Output.Row(i), t.output.Row(i)
		if t.options.AllActions {
			target = t.spread(target)
		}
		t.logits = t.logits[:0]
		for _, a := range target.Actions {
			t.logits = append(t.logits, out[a])
		}
		if len(t.logits) > 0 {
			t.p = append(t.p[:0], t.logits...)
			network.Softmax(t.p, t.logits)
		}
		for j, a := range target.Actions {
			p, want := float64(t.p[j]), float64(target.Policy[j])
			back[a] = float32((p - want) * each)
			if want > 0 {
				loss.Policy -= want * math.Log(max(p, 1e-30)) * each
			}
		}
		v := float64(network.Tanh(out[actions]))
		miss := v - float64(target.Value)
		back[actions] = float32(2 * miss * (1 - v*v) * each)
		loss.Value += miss * miss * each
	}
	return loss
}

// spread returns a target with all actions, valid until the next call.
func (t *Trainer) spread(target Target) Target {
	all := &t.all
	if all.Actions == nil {
		for a := range t.Network.Actions {
			all.Actions = append(all.Actions, int16(a))
		}
		all.Policy = make([]float32, len(all.Actions))
	}
	clear(all.Policy)
	for j, a := range target.Actions {
		all.Policy[a] = target.Policy[j]
	}
	all.Value = target.Value
	return *all
}

// through backpropagates from the gradient of a layer's sum to its parameters and its input.
func (t *Trainer) through(i int, above *matrix.Matrix, rows int) {
	layer, gradient, x := t.Network.Layers[i], t.gradients.Layers[i], t.Network.Given(t.pass, i)
	t.panels.Pack(above, rows)
	matrix.MultiplyAddTransposed(gradient.Weights, x, &t.panels, t.threads)
	for row := range rows {
		matrix.Add(gradient.Bias, above.Row(row))
	}
	if i == 0 {
		return
	}
	below := t.back[i-1]
	clear(below.Data)
	t.panels.PackTransposed(layer.Weights)
	matrix.MultiplyAdd(matrix.Of(below.Data, x.Rows, x.Columns), above, &t.panels, rows, t.threads)
}

// sequence holds the gradients of the current input's gates before their activation, of h and of the
// cell, and of the latter two for the input before it.
type sequence struct {
	gates, below    *matrix.Matrix
	h, cell         *matrix.Matrix
	hNext, cellNext *matrix.Matrix
	panels          matrix.Panels
}

// throughSequence backpropagates from the gradient of each position's last h to the parameters. Rows
// that several positions share have the sum of their gradients.
func (t *Trainer) throughSequence(above *matrix.Matrix, rows int) {
	n, s, q := t.Network, t.pass.Sequence, t.sequence
	layer, gradient := n.Layers[0], t.gradients.Layers[0]
	// The weights of h; padding may include those of the input, whose gradient is not used.
	columns := layer.Weights.Columns
	q.panels.PackTransposed(matrix.Of(layer.Weights.Data, matrix.Padded(n.Width, matrix.Columns), columns))
	weights := matrix.Of(gradient.Weights.Data, matrix.Padded(n.Width+1, matrix.Rows), columns)
	clear(q.h.Data)
	clear(q.cell.Data)
	for row, last := range s.Last[:rows] {
		matrix.Add(q.h.Row(int(last-s.First[n.Inputs-1])), above.Row(row))
	}
	for at := n.Inputs - 1; ; at-- {
		first := int(s.First[at])
		parents := s.Parents[first:s.First[at+1]]
		matrix.Share(len(parents), t.threads, func(from, to int) {
			for row := from; row < to; row++ {
				cell := s.Cells.Row(int(parents[row]))
				stepBack(s.Gates.Row(first+row), cell, s.Bent.Row(first+row), q.h.Row(row)[:n.Width], q.cell.Row(row), q.gates.Row(row))
			}
		})
		t.panels.Pack(q.gates, len(parents))
		matrix.MultiplyAddTransposed(weights, s.Inputs(at), &t.panels, t.threads)
		for row := range parents {
			matrix.Add(gradient.Bias, q.gates.Row(row))
		}
		if at == 0 {
			return
		}
		for _, m := range []*matrix.Matrix{q.below, q.hNext, q.cellNext} {
			clear(m.Data)
		}
		matrix.MultiplyAdd(q.below, q.gates, &q.panels, len(parents), t.threads)
		for row, parent := range parents {
			below := int(parent - s.First[at-1])
			matrix.Add(q.hNext.Row(below), q.below.Row(row))
			matrix.Add(q.cellNext.Row(below), q.cell.Row(row))
		}
		q.h, q.hNext, q.cell, q.cellNext = q.hNext, q.h, q.cellNext, q.cell
	}
}

// stepBack computes the gradients of a position's gate sums from the gradients of h and of the cell
// after the input. The latter becomes the gradient of the cell before it.
func stepBack(gates, cell, bent, h, backCell, back []float32) {
	w := len(h)
	i, f, g, o := gates[:w], gates[w:][:w], gates[2*w:][:w], gates[3*w:][:w]
	backI, backF, backG, backO := back[:w], back[w:][:w], back[2*w:][:w], back[3*w:][:w]
	cell, bent, backCell = cell[:w], bent[:w], backCell[:w]
	for j, d := range h {
		c := backCell[j] + float32(float32(d*o[j])*(1-float32(bent[j]*bent[j])))
		backI[j] = float32(float32(c*g[j]) * float32(i[j]*(1-i[j])))
		backF[j] = float32(float32(c*cell[j]) * float32(f[j]*(1-f[j])))
		backG[j] = float32(float32(c*i[j]) * (1 - float32(g[j]*g[j])))
		backO[j] = float32(float32(d*bent[j]) * float32(o[j]*(1-o[j])))
		backCell[j] = float32(c * f[j])
	}
}

// convolutions holds backpropagation through convolutions: what the cells of a kernel see and the gradient
// above them, and the kernels turned around.
type convolutions struct {
	patch      *matrix.Matrix   // of the first layer
	above      []*matrix.Matrix // for each thread
	seen, over *matrix.Matrix
	turned     *matrix.Matrix
	panels     matrix.Panels
}

// together is the number of positions whose kernel gradients are added up at once.
const together = 16

func newConvolutions(n *network.Network, p *network.Pass, threads int) *convolutions {
	shape, found := n.Convolution, n.Found(p.Found[0])
	c := &convolutions{patch: n.PlanesOf(p, 0).NewPatch()}
	for range threads {
		c.above = append(c.above, found.NewPatch())
	}
	c.seen, c.over = matrix.New(together*shape.Cells(), shape.Channels), matrix.New(together*shape.Cells(), shape.Channels)
	// The rows that pad the turned kernels are zero.
	c.turned = matrix.New(c.above[0].Columns, shape.Channels)
	return c
}

func (t *Trainer) throughConvolution(i int, above *matrix.Matrix, rows int) {
	n, c := t.Network, t.convolutions
	layer, gradient := n.Layers[i], t.gradients.Layers[i]
	x, cells, channels := n.PlanesOf(t.pass, i), rows*n.Convolution.Cells(), n.Convolution.Channels
	for cell := range cells {
		matrix.Add(gradient.Bias, above.Row(cell))
	}
	if i == 0 {
		for at := 0; at < cells; at += network.Patch {
			count := min(network.Patch, cells-at)
			n.Convolution.Gather(c.patch, x, at, count)
			t.panels.Pack(matrix.Of(above.Data[at*above.Columns:], matrix.Padded(count, matrix.Rows), above.Columns), count)
			matrix.MultiplyAddTransposed(gradient.Weights, c.patch, &t.panels, t.threads)
		}
		return
	}
	for k := range network.Around {
		weights := matrix.Of(gradient.Weights.Data[k*channels*channels:], channels, channels)
		for at := 0; at < rows; at += together {
			count := n.Convolution.Neighbours(c.seen, c.over, x, n.Found(above), k, at, min(together, rows-at))
			t.panels.Pack(c.over, count)
			matrix.MultiplyAddTransposed(weights, c.seen, &t.panels, t.threads)
		}
		for in := range channels {
			for out, w := range layer.Weights.Row(k*channels + in)[:channels] {
				c.turned.Row((network.Around-1-k)*channels + out)[in] = w
			}
		}
	}
	c.panels.Pack(c.turned, c.turned.Rows)
	clear(t.back[i-1].Data)
	n.Convolution.Convolve(t.back[i-1], n.Found(above), &c.panels, rows, c.above)
}
