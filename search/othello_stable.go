package search

import "math/bits"

// steps are the four directions of lines, as how far the next cell is.
var steps = [4]uint{1, 7, 8, 9}

// outsideOf returns, for each direction, the cells of a board that have a neighbour outside it.
func outsideOf(board uint64) (outside [4]uint64) {
	for cells := board; cells != 0; cells &= cells - 1 {
		cell := bits.TrailingZeros64(cells)
		for i, step := range [4][2]int{{0, 1}, {1, -1}, {1, 0}, {1, 1}} {
			if board&ray1(cell, step[0], step[1]) == 0 || board&ray1(cell, -step[0], -step[1]) == 0 {
				outside[i] |= 1 << cell
			}
		}
	}
	return outside
}

// stable returns discs of the player to move that nobody can flip any more. In each direction
// their line is full, or they are beside the edge or another one of them.
func (n *nullSearch) stable(d discs) (stable uint64) {
	safe := n.outside
	empty := n.board &^ (d.own | d.other)
	addFull(&safe, empty)
	stable = d.own & safe[0] & safe[1] & safe[2] & safe[3]
	for before := uint64(0); stable != before; {
		before = stable
		stable = d.own
		for i, step := range steps {
			stable &= safe[i] | before<<step | before>>step
		}
	}
	return stable
}

// addFull adds the cells of the lines without an empty cell in each direction.
func addFull(safe *[4]uint64, empty uint64) {
	const first, last, top = 0x0101010101010101, 0x8080808080808080, 0xff
	row := empty | empty>>4&0x0f0f0f0f0f0f0f0f
	row |= row >> 2 & 0x3f3f3f3f3f3f3f3f
	row |= row >> 1
	safe[0] |= ^(row & first * 0xff)
	col := empty | bits.RotateLeft64(empty, 32)
	col |= bits.RotateLeft64(col, 16)
	safe[2] |= ^(col | bits.RotateLeft64(col, 8))
	safe[1] |= ^alongRays(empty, 7, last, first)
	safe[3] |= ^alongRays(empty, 9, first, last)
}

// alongRays returns some cells and those in line with them in a diagonal direction, given the
// columns that a step up and a step down cannot lead to.
func alongRays(cells uint64, step uint, notUp, notDown uint64) uint64 {
	up, down := cells, cells
	mayUp, mayDown := ^notUp, ^notDown
	for range 3 {
		up |= up << step & mayUp
		down |= down >> step & mayDown
		mayUp &= mayUp << step
		mayDown &= mayDown >> step
		step *= 2
	}
	return up | down
}

// stableBound returns an upper bound on the score: what the opponent cannot lose.
func (n *nullSearch) stableBound(d discs, alpha int) int {
	if n.cells-2*bits.OnesCount64(d.other) > alpha {
		return n.cells
	}
	return n.cells - 2*bits.OnesCount64(n.stable(d.swapped()))
}
