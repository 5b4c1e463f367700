package nn

import (
	"backsolve/internal/matrix"
	"backsolve/player/zero/network"
)

// sequence holds backpropagation through an LSTM: for the current input the gradients of the
// gates before their activation, of the cell, and of the previous h.
type sequence struct {
	gates, cell, below *matrix.Matrix
	panels             matrix.Panels
}

func newSequence(n *network.Network, batch int) *sequence {
	return &sequence{gates: matrix.New(batch, network.Gates*n.Width), cell: matrix.New(batch, n.Width), below: matrix.New(batch, n.Width)}
}

// throughSequence backpropagates through the inputs of an LSTM, from the gradient of its last h,
// which it overwrites, to those of its parameters.
func (t *Trainer) throughSequence(above *matrix.Matrix, rows int) {
	n, s, q := t.Network, t.pass.Sequence, t.sequence
	layer, gradient := n.Layers[0], t.gradients.Layers[0]
	// The weights of h; padding may include those of the input, whose gradient is not used.
	columns := layer.Weights.Columns
	q.panels.PackTransposed(matrix.Of(layer.Weights.Data, matrix.Padded(n.Width, matrix.Columns), columns))
	weights := matrix.Of(gradient.Weights.Data, matrix.Padded(n.Width+1, matrix.Rows), columns)
	clear(q.cell.Data)
	below := q.below
	for at := len(s.In) - 1; ; at-- {
		matrix.Share(rows, t.threads, func(first, end int) {
			for row := first; row < end; row++ {
				stepBack(s.Gates[at].Row(row), s.Cells[at].Row(row), s.Bent[at].Row(row), above.Row(row)[:n.Width], q.cell.Row(row), q.gates.Row(row))
			}
		})
		t.panels.Pack(q.gates, rows)
		matrix.MultiplyAddTransposed(weights, s.In[at], &t.panels, t.threads)
		for row := range rows {
			matrix.Add(gradient.Bias, q.gates.Row(row))
		}
		if at == 0 {
			return
		}
		clear(below.Data)
		matrix.MultiplyAdd(below, q.gates, &q.panels, rows, t.threads)
		above, below = below, above
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
