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

// Sequence is what an LSTM has found. Positions whose first inputs are alike share what is found
// by these: after each input there is a row for each different beginning.
type Sequence struct {
	// Parents has of each row the one before the input, in the order in which positions bring
	// them. Last has the row of each position after all inputs.
	Parents [][]int32
	Last    []int32
	// In has what the layer is given: h as it was before, and then the input.
	In []*matrix.Matrix
	// Gates has i, f, g and o.
	Gates []*matrix.Matrix
	// Cells has c before the first input and after each, Bent the tangent of the latter.
	Cells, Bent []*matrix.Matrix

	h     [2]*matrix.Matrix // after inputs of even and of odd number
	known map[beginning]int32
}

// beginning is a row with the next input.
type beginning struct {
	row   int32
	input float32
}

func (n *Network) newSequence(rows int) *Sequence {
	s := &Sequence{
		Parents: make([][]int32, n.Inputs), Last: make([]int32, rows), Cells: []*matrix.Matrix{matrix.New(rows, n.Width)},
		h: [2]*matrix.Matrix{matrix.New(rows, n.Width), matrix.New(rows, n.Width)}, known: map[beginning]int32{},
	}
	for range n.Inputs {
		s.In = append(s.In, matrix.New(rows, n.Width+1))
		s.Gates = append(s.Gates, matrix.New(rows, Gates*n.Width))
		s.Cells = append(s.Cells, matrix.New(rows, n.Width))
		s.Bent = append(s.Bent, matrix.New(rows, n.Width))
	}
	return s
}

// branch finds the different beginnings of the first positions.
func (s *Sequence) branch(input *matrix.Matrix, rows, width int) {
	last := s.Last[:rows]
	clear(last)
	for at := range s.In {
		clear(s.known)
		parents := s.Parents[at][:0]
		for row := range last {
			b := beginning{last[row], input.Row(row)[at]}
			next, ok := s.known[b]
			if !ok {
				next = int32(len(parents))
				s.known[b], parents = next, append(parents, b.row)
				s.In[at].Row(int(next))[width] = b.input
			}
			last[row] = next
		}
		s.Parents[at] = parents
	}
}

// read takes the inputs of the first positions. What a position finds does not depend on the
// others.
func (n *Network) read(p *Pass, rows, threads int) {
	s := p.Sequence
	s.branch(p.Input, rows, n.Width)
	for at, parents := range s.Parents {
		matrix.Share(matrix.Padded(len(parents), matrix.Rows)/matrix.Rows, threads, func(first, end int) {
			n.readRows(s, at, first*matrix.Rows, min(end*matrix.Rows, len(parents)))
		})
	}
	h := s.h[(len(s.In)-1)%2]
	for row, last := range s.Last[:rows] {
		copy(p.Hidden[0].Row(row), h.Row(int(last)))
	}
}

// readRows takes the input number at of some rows, the first of which is a multiple of
// matrix.Rows.
func (n *Network) readRows(s *Sequence, at, first, end int) {
	l, in, gates, before, h := n.Layers[0], s.In[at], s.Gates[at], s.h[(at+1)%2], s.h[at%2]
	for row := first; row < end; row++ {
		if at > 0 {
			copy(in.Row(row)[:n.Width], before.Row(int(s.Parents[at][row])))
		}
		copy(gates.Row(row), l.Bias)
	}
	matrix.MultiplyAdd(rowsOf(gates, first, end), rowsOf(in, first, end), &l.packed, end-first, 1)
	for row := first; row < end; row++ {
		n.step(gates.Row(row), s.Cells[at].Row(int(s.Parents[at][row])), s.Cells[at+1].Row(row), s.Bent[at].Row(row), h.Row(row))
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
