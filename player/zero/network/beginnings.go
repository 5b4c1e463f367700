package network

import "backsolve/internal/matrix"

// beginnings are what an LSTM has found of the first inputs of positions, one or more. Positions
// whose first inputs are alike share it, also in later batches, until there is no more room or the
// parameters change.
type beginnings struct {
	known map[beginning]int32
	// H and the cell of each, the first of which is that of no inputs.
	h, cells *matrix.Matrix
	count    int32
	packed   uint64 // of the parameters
	last     []int32

	// Those that are found at once: what the layer is given, gates and tangents.
	added           []beginning
	in, gates, bent *matrix.Matrix
}

// There is room for that many batches without common beginnings, and some more beginnings for small
// ones.
const (
	inBatches = 8
	more      = 4096
)

func (n *Network) newBeginnings(rows int) *beginnings {
	room := inBatches*rows*n.Inputs + more
	return &beginnings{
		known: map[beginning]int32{}, h: matrix.New(room, n.Width), cells: matrix.New(room, n.Width), last: make([]int32, rows),
		in: matrix.New(rows, n.Width+1), gates: matrix.New(rows, Gates*n.Width), bent: matrix.New(rows, n.Width),
	}
}

// begin takes the inputs of the first positions, and only finds what is not known of them.
func (n *Network) begin(p *Pass, rows, threads int) {
	b := p.beginnings
	if b.packed != n.packed || int(b.count)+rows*n.Inputs > b.h.Rows {
		clear(b.known)
		b.packed, b.count = n.packed, 1
	}
	last := b.last[:rows]
	clear(last)
	for at := range n.Inputs {
		first := int(b.count)
		b.added = b.added[:0]
		for row := range last {
			next := beginning{last[row], p.Input.Row(row)[at]}
			found, ok := b.known[next]
			if !ok {
				found = b.count
				b.count++
				b.known[next], b.added = found, append(b.added, next)
			}
			last[row] = found
		}
		added := len(b.added)
		matrix.Share(matrix.Padded(added, matrix.Rows)/matrix.Rows, threads, func(from, to int) {
			n.find(b, first, from*matrix.Rows, min(to*matrix.Rows, added))
		})
	}
	for row, found := range last {
		copy(p.Hidden[0].Row(row), b.h.Row(int(found)))
	}
}

// find finds some of the beginnings that are added, the first of which becomes number first.
func (n *Network) find(b *beginnings, first, from, to int) {
	l := n.Layers[0]
	for row := from; row < to; row++ {
		in, added := b.in.Row(row), b.added[row]
		copy(in[:n.Width], b.h.Row(int(added.row)))
		in[n.Width] = added.input
		copy(b.gates.Row(row), l.Bias)
	}
	matrix.MultiplyAdd(rowsOf(b.gates, from, to), rowsOf(b.in, from, to), &l.packed, to-from, 1)
	for row := from; row < to; row++ {
		found := first + row
		n.step(b.gates.Row(row), b.cells.Row(int(b.added[row].row)), b.cells.Row(found), b.bent.Row(row), b.h.Row(found))
	}
}
