package network

import (
	"fmt"

	"backsolve/internal/matrix"
)

// Convolution is layers of 3×3 kernels in front of the dense ones, for inputs that are planes of
// the cells of a board. Cells beyond its edge are zero. The numbers of its layers have the
// channels of a cell side by side. As a Layer its inputs are, for each of the nine cells around
// one, row by row, the channels there.
type Convolution struct {
	// Layers is the number of layers, Channels what each finds of a cell.
	Layers   int `json:"layers"`
	Channels int `json:"channels"`
	// Rows and Columns are those of the board.
	Rows    int `json:"rows"`
	Columns int `json:"columns"`
}

// around is the number of cells of a kernel.
const around = 9

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

// PlanesOf are what layer i of a convolution is given on a pass. Inputs are plane after plane.
func (n *Network) PlanesOf(p *Pass, i int) Planes {
	if cells := n.Convolution.Cells(); i == 0 {
		return Planes{p.Input.Data, p.Input.Columns, 1, cells, n.Inputs / cells}
	}
	return n.Found(p.Hidden[i-1])
}

// Found are what a layer of a convolution finds, or the gradient of that.
func (n *Network) Found(m *matrix.Matrix) Planes {
	return Planes{m.Data, n.Convolution.Cells() * m.Columns, m.Columns, 1, m.Columns}
}

// Patch is how many cells are gathered at once, so that they stay in a cache.
const Patch = 64

// NewPatch returns room for what Gather gathers.
func (p Planes) NewPatch() *matrix.Matrix { return matrix.New(Patch, around*p.Channels) }

// Gather writes the inputs of a convolution's layer for some cells, counted through all
// positions, at most Patch of them, to the rows of a matrix.
func (c Convolution) Gather(to *matrix.Matrix, p Planes, first, count int) {
	for i := range count {
		position, cell := (first+i)/c.Cells(), (first+i)%c.Cells()
		row, column, at := cell/c.Columns, cell%c.Columns, position*p.Position
		into := to.Row(i)
		for k := range around {
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

// Convolve adds to the first cells of y what a layer finds. Patches has room for each thread.
func (c Convolution) Convolve(y *matrix.Matrix, x Planes, packed *matrix.Panels, cells int, patches []*matrix.Matrix) {
	threads, strips := len(patches), (cells+Patch-1)/Patch
	matrix.Share(threads, threads, func(first, end int) {
		for thread := first; thread < end; thread++ {
			for at := thread * strips / threads * Patch; at < min((thread+1)*strips/threads*Patch, cells); at += Patch {
				count := min(Patch, cells-at)
				c.Gather(patches[thread], x, at, count)
				matrix.MultiplyAdd(rowsOf(y, at, at+count), patches[thread], packed, count, 1)
			}
		}
	})
}

// convolve sets y to what layer i finds of the first positions.
func (n *Network) convolve(p *Pass, i, rows, threads int) {
	x, l, y := n.PlanesOf(p, i), n.Layers[i], p.Found[i]
	for len(p.patches[i]) < threads {
		p.patches[i] = append(p.patches[i], x.NewPatch())
	}
	cells := rows * n.Convolution.Cells()
	for cell := range cells {
		copy(y.Row(cell), l.Bias)
	}
	n.Convolution.Convolve(y, x, &l.packed, cells, p.patches[i][:threads])
}
