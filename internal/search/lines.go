package search

// lines has the cells at which lines of each direction begin, on an n×n board, n ≥ 2.
type lines struct {
	size                                  int
	rows, columns, diagonal, antidiagonal uint64
}

func newLines(n int) lines {
	l := lines{size: n, columns: 1<<uint(n) - 1, diagonal: 1, antidiagonal: 1 << uint(n-1)}
	for row := range n {
		l.rows |= 1 << uint(row*n)
	}
	return l
}

// packed returns the lines of two boards in one word, the second 32 bits higher.
func (l lines) packed() lines {
	const both = 1<<32 | 1
	return lines{l.size, l.rows * both, l.columns * both, l.diagonal * both, l.antidiagonal * both}
}

// complete returns the cells at which complete lines of the mask begin, 0 if there are none. With
// the sizes written out, all shifts are by constants, and no size pays for a larger one.
func (l *lines) complete(mask uint64) uint64 {
	switch l.size {
	case 2:
		return l.rows&run(2, 1, mask) | l.columns&run(2, 2, mask) | l.diagonal&run(2, 3, mask) | l.antidiagonal&run(2, 1, mask)
	case 3:
		return l.rows&run(3, 1, mask) | l.columns&run(3, 3, mask) | l.diagonal&run(3, 4, mask) | l.antidiagonal&run(3, 2, mask)
	case 4:
		return l.rows&run(4, 1, mask) | l.columns&run(4, 4, mask) | l.diagonal&run(4, 5, mask) | l.antidiagonal&run(4, 3, mask)
	case 5:
		return l.rows&run(5, 1, mask) | l.columns&run(5, 5, mask) | l.diagonal&run(5, 6, mask) | l.antidiagonal&run(5, 4, mask)
	case 6:
		return l.rows&run(6, 1, mask) | l.columns&run(6, 6, mask) | l.diagonal&run(6, 7, mask) | l.antidiagonal&run(6, 5, mask)
	case 7:
		return l.rows&run(7, 1, mask) | l.columns&run(7, 7, mask) | l.diagonal&run(7, 8, mask) | l.antidiagonal&run(7, 6, mask)
	default:
		return l.rows&run(8, 1, mask) | l.columns&run(8, 8, mask) | l.diagonal&run(8, 9, mask) | l.antidiagonal&run(8, 7, mask)
	}
}

// run returns the cells at which a run of n cells of the mask begins, 2 ≤ n ≤ 8,
// each a fixed number of bits from the one before. Shifting a mask onto itself shows runs
// of 2, then of 4, then of n.
func run(n, step uint, mask uint64) uint64 {
	mask &= mask >> step
	if n < 4 {
		return mask & (mask >> ((n - 2) * step))
	}
	mask &= mask >> (2 * step)
	return mask & (mask >> ((n - 4) * step))
}
