package nn

import (
	"backsolve/internal/matrix"
	"backsolve/internal/player/zero/network"
)

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
