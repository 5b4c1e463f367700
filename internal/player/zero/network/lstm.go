package network

import "backsolve/internal/matrix"

// An LSTM (Hochreiter, Schmidhuber: Long short-term memory, 1997, with the forget gates of
// Gers, Schmidhuber, Cummins, 2000) is a first layer that takes the inputs x of a position
// one after another. For each it computes, from its previous output h, which is 0 at first,
//
//	i = σ(h·W + x·w + b), f = σ(…), g = tanh(…), o = σ(…)
//	c = f·c + i·g
//	h = o·tanh(c)
//
// with weights and biases for each of the four gates; c is 0 at first as well. The
// layers after it take the last h. As a Layer its inputs are h and then x,
// its outputs the gates in the order above.

// Gates is the number of gates of an LSTM.
const Gates = 4

// Sequence has the results of an LSTM for beginnings, which are the first inputs of positions, one or
// more. Positions that begin alike share it, also in later batches, until there is no more room or
// the parameters change. Number 0 is the beginning without inputs.
type Sequence struct {
	// Parents has for each beginning the one before its last input.
	Parents []int32
	// First has for each input the first beginning of the last batch that ends with it, and the end.
	First []int32
	// Last has for each position the beginning with all inputs.
	Last []int32
	// Cells has c after each beginning.
	Cells *matrix.Matrix
	// In is the layer's input for a beginning: the previous h, and then the input. Gates
	// has i, f, g and o, Bent the hyperbolic tangents of c. They have rows for all beginnings in a pass for
	// learning, else only for those computed together.
	In, Gates, Bent *matrix.Matrix

	h      *matrix.Matrix // after each beginning
	known  map[addition]int32
	learns bool
	packed uint64 // of the parameters
}

// addition is a beginning with the next input.
type addition struct {
	beginning int32
	input     float32
}

// The room for beginnings of earlier batches: for several batches, or at least for a number of beginnings, within a limit in bytes.
const (
	earlierBatches    = 7
	earlierBeginnings = 4096
	earlierBytes      = 64 << 20
)

func (n *Network) newSequence(rows int, learns bool) *Sequence {
	batch := rows * n.Inputs
	room, atOnce := batch+1+min(max(earlierBatches*batch, earlierBeginnings), earlierBytes/(8*n.Width)), rows
	if learns { // it is of one batch
		room = batch + matrix.Rows // as rows are padded
		atOnce = room
	}
	return &Sequence{
		Parents: make([]int32, room), First: make([]int32, n.Inputs+1), Last: make([]int32, rows), Cells: matrix.New(room, n.Width),
		In: matrix.New(atOnce, n.Width+1), Gates: matrix.New(atOnce, Gates*n.Width), Bent: matrix.New(atOnce, n.Width),
		h: matrix.New(room, n.Width), known: map[addition]int32{}, learns: learns,
	}
}

// Inputs returns the rows of In for the beginnings that end with input number at.
func (s *Sequence) Inputs(at int) *matrix.Matrix {
	return rowsOf(s.In, int(s.First[at]), int(s.First[at+1]))
}

// read finds the same for a position whatever the others are.
func (n *Network) read(p *Pass, rows, threads int) {
	s := p.Sequence
	count := s.First[n.Inputs]
	if s.learns || s.packed != n.packed || int(count)+rows*n.Inputs > len(s.Parents) {
		clear(s.known)
		s.packed, count = n.packed, 1
	}
	last := s.Last[:rows]
	clear(last)
	for at := range n.Inputs {
		first := count
		s.First[at] = first
		for row := range last {
			next := addition{last[row], p.Input.Row(row)[at]}
			found, ok := s.known[next]
			if !ok {
				found = count
				count++
				s.known[next], s.Parents[found] = found, next.beginning
				s.In.Row(s.row(found, first))[n.Width] = next.input
			}
			last[row] = found
		}
		added := int(count - first)
		matrix.Share(matrix.Padded(added, matrix.Rows)/matrix.Rows, threads, func(from, to int) {
			n.find(s, int(first), from*matrix.Rows, min(to*matrix.Rows, added))
		})
	}
	s.First[n.Inputs] = count
	for row, found := range last {
		copy(p.Hidden[0].Row(row), s.h.Row(int(found)))
	}
}

// row returns the row of a beginning in In, Gates and Bent, computed together with those from first.
func (s *Sequence) row(beginning, first int32) int {
	if s.learns {
		return int(beginning)
	}
	return int(beginning - first)
}

// find computes some of the beginnings from number first on; from is a multiple of matrix.Rows.
func (n *Network) find(s *Sequence, first, from, to int) {
	l, at := n.Layers[0], s.row(int32(first), int32(first))
	for i := from; i < to; i++ {
		copy(s.In.Row(at + i)[:n.Width], s.h.Row(int(s.Parents[first+i])))
		copy(s.Gates.Row(at+i), l.Bias)
	}
	matrix.MultiplyAdd(rowsOf(s.Gates, at+from, at+to), rowsOf(s.In, at+from, at+to), &l.packed, to-from, 1)
	for i := from; i < to; i++ {
		found := first + i
		n.step(s.Gates.Row(at+i), s.Cells.Row(int(s.Parents[found])), s.Cells.Row(found), s.Bent.Row(at+i), s.h.Row(found))
	}
}

// rowsOf returns some rows of a matrix, with their padding, as a matrix that shares them.
func rowsOf(m *matrix.Matrix, first, end int) *matrix.Matrix {
	return matrix.Of(m.Data[first*m.Columns:], matrix.Padded(end-first, matrix.Rows), m.Columns)
}

// step applies the gates' functions for a position, and sets the next cell, its hyperbolic tangent and h.
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
