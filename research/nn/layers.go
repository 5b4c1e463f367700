package nn

import (
	"backsolve/internal/matrix"
	"backsolve/internal/player/zero/network"
)

// sequence holds backpropagation through an LSTM: for the current input the gradients of the
// gates before their activation, of h and of the cell, and for the input before it those of the
// latter two.
type sequence struct {
	gates, below    *matrix.Matrix
	h, cell         *matrix.Matrix
	hNext, cellNext *matrix.Matrix
	panels          matrix.Panels
}

func newSequence(n *network.Network, batch int) *sequence {
	state := func() *matrix.Matrix { return matrix.New(batch, n.Width) }
	return &sequence{gates: matrix.New(batch, network.Gates*n.Width), below: state(), h: state(), cell: state(), hNext: state(), cellNext: state()}
}

// throughSequence backpropagates through the inputs of an LSTM, from the gradient of each
// position's last h to those of the parameters. Rows that several positions share have the sum of
// their gradients.
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

// stepBack computes the gradients of a position's gate sums from those of h and of the cell
// after the input. The latter becomes that of the cell before it.
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

// convolutions holds backpropagation through convolutions: patches of each layer's input and of
// the gradient above it, and the kernels turned around.
type convolutions struct {
	patches []*matrix.Matrix
	above   []*matrix.Matrix // for each thread
	turned  *matrix.Matrix
	panels  matrix.Panels
}

func newConvolutions(n *network.Network, p *network.Pass, threads int) *convolutions {
	c := &convolutions{}
	for i := range n.Convolution.Layers {
		c.patches = append(c.patches, n.PlanesOf(p, i).NewPatch())
	}
	found := n.Found(p.Found[0])
	for range threads {
		c.above = append(c.above, found.NewPatch())
	}
	// The rows that pad the turned kernels are zero.
	c.turned = matrix.New(matrix.Padded(c.above[0].Columns, matrix.Columns), n.Convolution.Channels)
	return c
}

// throughConvolution is through for a layer of a convolution.
func (t *Trainer) throughConvolution(i int, above *matrix.Matrix, rows int) {
	n, c := t.Network, t.convolutions
	layer, gradient := n.Layers[i], t.gradients.Layers[i]
	x, cells := n.PlanesOf(t.pass, i), rows*n.Convolution.Cells()
	for at := 0; at < cells; at += network.Patch {
		count := min(network.Patch, cells-at)
		n.Convolution.Gather(c.patches[i], x, at, count)
		t.panels.Pack(matrix.Of(above.Data[at*above.Columns:], matrix.Padded(count, matrix.Rows), above.Columns), count)
		matrix.MultiplyAddTransposed(gradient.Weights, c.patches[i], &t.panels, t.threads)
	}
	for cell := range cells {
		matrix.Add(gradient.Bias, above.Row(cell))
	}
	if i == 0 {
		return
	}
	channels := n.Convolution.Channels
	for k := range 9 {
		for in := range channels {
			for out, w := range layer.Weights.Row(k*channels + in)[:channels] {
				c.turned.Row((8-k)*channels + out)[in] = w
			}
		}
	}
	c.panels.Pack(c.turned, c.turned.Rows)
	clear(t.back[i-1].Data)
	n.Convolution.Convolve(t.back[i-1], n.Found(above), &c.panels, cells, c.above)
}
