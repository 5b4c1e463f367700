// Package matrix is the arithmetic of networks: products of matrices of float32 and what
// is done to their numbers one by one.
//
// Every product is rounded before it is added, and every sum is taken in the order of
// its terms, whatever the processor and however many threads share the work. So the
// vector kernels, the portable ones and all numbers of threads give the same bits.
package matrix

import (
	"slices"
	"sync"
)

const (
	// Columns is what the length of a row is a multiple of, and Rows what the number of
	// rows is a multiple of. What is added to reach that is zero.
	Columns = 32
	Rows    = 8
)

// Padded returns the least multiple of a unit that is not less than n.
func Padded(n, unit int) int { return (n + unit - 1) / unit * unit }

// Matrix is a matrix, row after row. Its shape is a multiple of Rows and Columns.
type Matrix struct {
	Data          []float32
	Rows, Columns int
}

// New returns a matrix of zeros, padded to at least the given rows and columns.
func New(rows, columns int) *Matrix {
	rows, columns = Padded(rows, Rows), Padded(columns, Columns)
	return &Matrix{make([]float32, rows*columns), rows, columns}
}

// Of returns a matrix that shares the numbers of a slice. The shape must be padded.
func Of(data []float32, rows, columns int) *Matrix {
	return &Matrix{data[: rows*columns : rows*columns], rows, columns}
}

// Row returns a row.
func (m *Matrix) Row(i int) []float32 {
	return m.Data[i*m.Columns : (i+1)*m.Columns : (i+1)*m.Columns]
}

// Panels is the right factor of a product, cut into contiguous panels as wide as a kernel.
type Panels struct {
	data  []float32
	depth int // rows of the factor
	count int // of panels
}

// resize gives the panels their shape; their content is then undefined.
func (p *Panels) resize(depth, columns int) {
	p.depth, p.count = depth, columns/Columns
	p.data = slices.Grow(p.data[:0], depth*columns)[:depth*columns]
}

// Pack makes the panels of the first rows of a matrix.
func (p *Panels) Pack(m *Matrix, rows int) {
	p.resize(rows, m.Columns)
	for panel := range p.count {
		to := p.data[panel*rows*Columns:][:rows*Columns]
		for i := range rows {
			copy(to[i*Columns:(i+1)*Columns], m.Data[i*m.Columns+panel*Columns:])
		}
	}
}

// PackTransposed makes the panels of a transposed matrix, whose rows are a multiple of Columns.
func (p *Panels) PackTransposed(m *Matrix) {
	p.resize(m.Columns, m.Rows)
	for panel := range p.count {
		to := p.data[panel*m.Columns*Columns:][:m.Columns*Columns]
		for column := range Columns {
			row := m.Row(panel*Columns + column)
			for i, x := range row {
				to[i*Columns+column] = x
			}
		}
	}
}

// MultiplyAdd adds the product of a and b to the first rows of c: c += a·b. The rows
// after them up to the next multiple of Rows are then undefined.
func MultiplyAdd(c, a *Matrix, b *Panels, rows, threads int) {
	multiply(c, a.Data, a.Columns, 1, b, rows, threads)
}

// MultiplyAddTransposed adds the product of the transposed of a, of which as many rows
// count as b has, and b to c: c += aᵀ·b.
func MultiplyAddTransposed(c, a *Matrix, b *Panels, threads int) {
	multiply(c, a.Data, 1, a.Columns, b, c.Rows, threads)
}

// few is the number of rows up to which row by row is faster than a block.
const few = 3

// multiply adds a product to the first rows of c. The left factor is a[i·row + k·column].
func multiply(c *Matrix, a []float32, row, column int, b *Panels, rows, threads int) {
	if b.depth == 0 || rows == 0 {
		return
	}
	strips := Padded(rows, Rows) / Rows
	Share(strips, threads, func(first, end int) {
		for panel := range b.count {
			from := b.data[panel*b.depth*Columns:][:b.depth*Columns]
			for strip := first; strip < end; strip++ {
				at := strip * Rows
				to, left := c.Data[at*c.Columns+panel*Columns:], a[at*row:]
				if rows-at > few {
					block(to, c.Columns, left, row, column, from, b.depth)
					continue
				}
				for i := range rows - at {
					line(to[i*c.Columns:], left[i*row:], column, from, b.depth)
				}
			}
		}
	})
}

// AddBlock adds to Rows × Columns numbers of c, whose rows are stride apart, the product of as many rows
// of a, which are row apart, and of some rows of a panel.
func (p *Panels) AddBlock(c []float32, stride int, a []float32, row, panel, first, depth int) {
	block(c[panel*Columns:], stride, a, row, 1, p.data[(panel*p.depth+first)*Columns:][:depth*Columns], depth)
}

// Share cuts the numbers 0 to n − 1 into a run for each thread, and works on all at once.
func Share(n, threads int, work func(first, end int)) {
	threads = max(1, min(threads, n))
	if threads == 1 {
		work(0, n)
		return
	}
	var workers sync.WaitGroup
	for i := range threads {
		workers.Go(func() { work(i*n/threads, (i+1)*n/threads) })
	}
	workers.Wait()
}
