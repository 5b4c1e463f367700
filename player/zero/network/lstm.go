package network

import (
	"math"
	"math/rand/v2"

	"backsolve/internal/matrix"
)

// An LSTM (Hochreiter, Schmidhuber: Long short-term memory, 1997, with the forget gates of
// Gers, Schmidhuber, Cummins, 2000) is a first layer that takes the inputs x of a position
// one after another. For each it finds, from what it gave before, h, which is 0 at first,
//
//	i = σ(h·W + x·w + b), f = σ(…), g = tanh(…), o = σ(…)
//	c = f·c + i·g
//	h = o·tanh(c)
//
// with weights and biases for each of the four gates, and c being 0 at first as well. The
// layers behind it are given the last h. As a Layer its inputs are those of h and then x,
// its outputs the gates in the order above.

// Gates is the number of gates of an LSTM.
const Gates = 4

// Sequence is what an LSTM has found, by the inputs, with a row for each position.
type Sequence struct {
	// In has what the layer is given: h as it was before, and then the input.
	In []*matrix.Matrix
	// Gates has i, f, g and o.
	Gates []*matrix.Matrix
	// Cells has c before the first input and after each, Bent the tangent of the latter.
	Cells, Bent []*matrix.Matrix
}

func (n *Network) newSequence(rows int) *Sequence {
	s := &Sequence{Cells: []*matrix.Matrix{matrix.New(rows, n.Width)}}
	for range n.Inputs {
		s.In = append(s.In, matrix.New(rows, n.Width+1))
		s.Gates = append(s.Gates, matrix.New(rows, Gates*n.Width))
		s.Cells = append(s.Cells, matrix.New(rows, n.Width))
		s.Bent = append(s.Bent, matrix.New(rows, n.Width))
	}
	return s
}

// read takes the inputs of the first positions. A position does not depend on the others,
// so that each thread goes through all inputs of its own.
func (n *Network) read(p *Pass, rows, threads int) {
	matrix.Share(matrix.Padded(rows, matrix.Rows)/matrix.Rows, threads, func(first, end int) {
		n.readRows(p, first*matrix.Rows, min(end*matrix.Rows, rows))
	})
}

// readRows takes the inputs of some positions, the first of which has a number that is a
// multiple of matrix.Rows.
func (n *Network) readRows(p *Pass, first, end int) {
	l, s := n.Layers[0], p.Sequence
	for at := range s.In {
		in, gates := s.In[at], s.Gates[at]
		for row := first; row < end; row++ {
			in.Row(row)[n.Width] = p.Input.Row(row)[at]
			copy(gates.Row(row), l.Bias)
		}
		matrix.MultiplyAdd(rowsOf(gates, first, end), rowsOf(in, first, end), &l.packed, end-first, 1)
		out := p.Hidden[0]
		if at+1 < len(s.In) {
			out = s.In[at+1]
		}
		for row := first; row < end; row++ {
			n.step(gates.Row(row), s.Cells[at].Row(row), s.Cells[at+1].Row(row), s.Bent[at].Row(row), out.Row(row))
		}
	}
}

// rowsOf returns some rows of a matrix as one that shares them, and those that pad them.
func rowsOf(m *matrix.Matrix, first, end int) *matrix.Matrix {
	return matrix.Of(m.Data[first*m.Columns:], matrix.Padded(end-first, matrix.Rows), m.Columns)
}

// step bends the gates of a position, and sets the next cell, its tangent and h.
func (n *Network) step(gates, cell, next, bent, h []float32) {
	w := n.Width
	matrix.Sigmoid(gates[:2*w])
	matrix.Tanh(gates[2*w : 3*w])
	matrix.Sigmoid(gates[3*w : 4*w])
	i, f, g, o := gates[:w], gates[w:][:w], gates[2*w:][:w], gates[3*w:][:w]
	cell, next, bent, h = cell[:w], next[:w], bent[:w], h[:w]
	for j := range next {
		next[j] = float32(f[j]*cell[j]) + float32(i[j]*g[j])
	}
	copy(bent, next)
	matrix.Tanh(bent)
	for j := range h {
		h[j] = float32(o[j] * bent[j])
	}
}

// initLSTM gives the layer the values that training begins with: weights normally
// distributed with variance 1 by the width, the biases of the forget gates 1, so that it
// remembers at first (Jozefowicz, Zaremba, Sutskever: An empirical exploration of recurrent
// network architectures, 2015), and no others.
func (l *Layer) initLSTM(r *rand.Rand) {
	width := l.Inputs - 1
	deviation := 1 / math.Sqrt(float64(width))
	for input := range l.Inputs {
		row := l.Weights.Row(input)
		for output := range l.Outputs {
			row[output] = float32(deviation * r.NormFloat64())
		}
	}
	for j := range width {
		l.Bias[width+j] = 1
	}
}
