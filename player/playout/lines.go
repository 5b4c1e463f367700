package playout

// lines finds the complete lines of an n×n board, n ≥ 2, without a loop: the
// cells of a line are n bits at one distance, and shifting a mask onto itself
// shows runs of 2, then of up to 4, then of n.
type lines struct {
	rows, columns, diagonal, antidiagonal run
}

// run is the lines in one direction: the bits where one begins, and how far a
// mask is shifted to double a run twice and to fill it up.
type run struct {
	starts  uint64
	a, b, c uint8
}

func newLines(n int) lines {
	direction := func(step int, starts uint64) run {
		double, fill := 2, n-4
		if n < 4 {
			double, fill = n-2, 0
		}
		return run{starts, uint8(step), uint8(double * step), uint8(fill * step)}
	}
	var rowStarts uint64
	for row := range n {
		rowStarts |= 1 << uint(row*n)
	}
	return lines{
		rows:         direction(1, rowStarts),
		columns:      direction(n, 1<<uint(n)-1),
		diagonal:     direction(n+1, 1),
		antidiagonal: direction(n-1, 1<<uint(n-1)),
	}
}

// packed returns the lines of two boards in one word, the second 32 bits higher.
func (l lines) packed() lines {
	for _, r := range []*run{&l.rows, &l.columns, &l.diagonal, &l.antidiagonal} {
		r.starts |= r.starts << 32
	}
	return l
}

// complete returns bits where complete lines of the mask begin, 0 if there are
// none.
func (l *lines) complete(mask uint64) uint64 {
	return l.rows.complete(mask) | l.columns.complete(mask) |
		l.diagonal.complete(mask) | l.antidiagonal.complete(mask)
}

func (r *run) complete(mask uint64) uint64 {
	mask &= mask >> (r.a & 63)
	mask &= mask >> (r.b & 63)
	mask &= mask >> (r.c & 63)
	return mask & r.starts
}
