package network

import (
	"fmt"
	"iter"

	"backsolve/internal/matrix"
)

// Convolution is layers of 3×3 kernels before the dense ones, for inputs that are planes of the
// cells of a board. Cells beyond its edge are zero. The outputs of its layers have the channels
// of a cell side by side. As a Layer its inputs are the channels of each of the nine cells around
// a cell, row by row.
type Convolution struct {
	// Layers is the number of layers, Channels the number of outputs for a cell.
	Layers   int `json:"layers"`
	Channels int `json:"channels"`
	// Rows and Columns are the size of the board.
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

// Around is the number of cells of a kernel.
const Around = 9

// MaxChannels is the largest number of channels.
const MaxChannels = 512

// check refuses a convolution that does not suit the number of inputs.
func (c Convolution) check(inputs int) error {
	switch {
	case c.Layers == 0 && c.Channels == 0:
		return nil
	case c.Layers < 1 || c.Layers > MaxLayers:
		return fmt.Errorf("convolutions is %d; give a number from 1 to %d, or leave out both it and channels", c.Layers, MaxLayers)
	case c.Channels < 1 || c.Channels > MaxChannels || c.Channels%matrix.Columns != 0:
		return fmt.Errorf("channels is %d; give a multiple of %d up to %d", c.Channels, matrix.Columns, MaxChannels)
	case c.Rows < 1 || c.Columns < 1 || inputs%c.Cells() != 0:
		return fmt.Errorf("the %d inputs are no planes of the cells of a board; leave out convolutions and channels", inputs)
	}
	return nil
}

// Cells is the number of cells of the board.
func (c Convolution) Cells() int { return c.Rows * c.Columns }

// Planes has position p, cell i and channel c at p·Position + i·Cell + c·Channel.
type Planes struct {
	Data                              []float32
	Position, Cell, Channel, Channels int
}

// PlanesOf returns the inputs of layer i of a convolution in a pass. Inputs are plane after plane.
func (n *Network) PlanesOf(p *Pass, i int) Planes {
	if cells := n.Convolution.Cells(); i == 0 {
		return Planes{p.Input.Data, p.Input.Columns, 1, cells, n.Inputs / cells}
	}
	return n.Found(p.Hidden[i-1])
}

// Found returns the outputs of a layer of a convolution, or their gradient.
func (n *Network) Found(m *matrix.Matrix) Planes {
	return Planes{m.Data, n.Convolution.Cells() * m.Columns, m.Columns, 1, m.Columns}
}

// Patch is the number of cells gathered at once, so that they stay in the cache.
const Patch = 64

// NewPatch returns a matrix for Gather.
func (p Planes) NewPatch() *matrix.Matrix { return matrix.New(Patch, Around*p.Channels) }

// Gather writes the inputs of a convolution's layer for some cells, counted through all
// positions, at most Patch of them, to the rows of a matrix.
func (c Convolution) Gather(to *matrix.Matrix, p Planes, first, count int) {
	for i := range count {
		position, cell := (first+i)/c.Cells(), (first+i)%c.Cells()
		row, column, at := cell/c.Columns, cell%c.Columns, position*p.Position
		into := to.Row(i)
		for k := range Around {
			r, s := row+k/3-1, column+k%3-1
			part := into[k*p.Channels : (k+1)*p.Channels]
			if r < 0 || r >= c.Rows || s < 0 || s >= c.Columns {
				clear(part)
				continue
			}
			from := at + (r*c.Columns+s)*p.Cell
			if p.Channel == 1 {
				copy(part, p.Data[from:])
				continue
			}
			for channel := range part {
				part[channel] = p.Data[from+channel*p.Channel]
			}
		}
	}
}

// Neighbours writes to the rows of two matrices, for the given positions from the first one, the input at cell k of the
// kernel and the gradient above, and returns the number of rows. Cells whose neighbour is beyond the edge have none.
func (c Convolution) Neighbours(seen, over *matrix.Matrix, x, above Planes, k, first, count int) (rows int) {
	for position := first; position < first+count; position++ {
		for cell, sees := range c.neighbourCells(k) {
			copy(seen.Row(rows)[:x.Channels], x.Data[position*x.Position+sees*x.Cell:])
			copy(over.Row(rows), above.Data[position*above.Position+cell*above.Cell:])
			rows++
		}
	}
	return rows
}

// neighbourCells yields the cells whose neighbour at cell k of the kernel is on the board, each with that neighbour.
func (c Convolution) neighbourCells(k int) iter.Seq2[int, int] {
	return func(yield func(cell, sees int) bool) {
		up, left := k/3-1, k%3-1
		for row := max(0, -up); row < min(c.Rows, c.Rows-up); row++ {
			for column := max(0, -left); column < min(c.Columns, c.Columns-left); column++ {
				if cell := row*c.Columns + column; !yield(cell, cell+up*c.Columns+left) {
					return
				}
			}
		}
	}
}

// Convolve adds a layer's outputs to the first cells of y. Patches has a matrix for each thread.
func (c Convolution) Convolve(y *matrix.Matrix, x Planes, packed *matrix.Panels, rows int, patches []*matrix.Matrix) {
	threads, strips := len(patches), matrix.Padded(rows, matrix.Rows)/matrix.Rows
	matrix.Share(threads, threads, func(first, end int) {
		for thread := first; thread < end; thread++ {
			for strip := thread * strips / threads; strip < (thread+1)*strips/threads; strip++ {
				at := strip * matrix.Rows
				if x.Channel == 1 && at+matrix.Rows <= rows {
					c.convolveUngathered(y, x, packed, at)
					continue
				}
				end := min(at+matrix.Rows, rows) * c.Cells()
				for at := at * c.Cells(); at < end; at += Patch {
					count := min(Patch, end-at)
					c.Gather(patches[thread], x, at, count)
					matrix.MultiplyAdd(rowsOf(y, at, at+count), patches[thread], packed, count, 1)
				}
			}
		}
	})
}

// convolveUngathered is Convolve for Rows positions from the given one, whose channels lie side by side: nothing is gathered,
// and cells beyond the edge take no time.
func (c Convolution) convolveUngathered(y *matrix.Matrix, x Planes, packed *matrix.Panels, position int) {
	stride := c.Cells() * y.Columns
	for panel := range y.Columns / matrix.Columns {
		for k := range Around {
			for cell, sees := range c.neighbourCells(k) {
				to, from := y.Data[position*stride+cell*y.Columns:], x.Data[position*x.Position+sees*x.Cell:]
				packed.AddBlock(to, stride, from, x.Position, panel, k*x.Channels, x.Channels)
			}
		}
	}
}

// convolve sets y to the outputs of layer i for the first positions.
func (n *Network) convolve(p *Pass, i, rows, threads int) {
	x, l, y := n.PlanesOf(p, i), n.Layers[i], p.Found[i]
	for len(p.patches[i]) < threads {
		p.patches[i] = append(p.patches[i], x.NewPatch())
	}
	for cell := range rows * n.Convolution.Cells() {
		copy(y.Row(cell), l.Bias)
	}
	n.Convolution.Convolve(y, x, &l.packed, rows, p.patches[i][:threads])
}
