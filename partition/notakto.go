package partition

import (
	"slices"

	"backsolve/bitboard"
)

// newNotakto cuts Notakto. The slice cells are the two diagonals and, for odd n, the
// middle row and column: the symmetries of the lines permute them among themselves. The
// first diagonal has the low index bits and the second the next, as half of the
// symmetries keep the two apart. Taken cells are neither in the mask nor in the slice, so
// lines are shorter by them.
func newNotakto(n int, taken uint64) (*Space, error) {
	k := &oneMark{taken: taken}
	slice := map[int]bool{}
	add := func(cell int) {
		if !slice[cell] && taken>>uint(cell)&1 == 0 {
			slice[cell] = true
			k.sliceCells = append(k.sliceCells, cell)
		}
	}
	for i := range n {
		add(i*n + i)
	}
	for i := range n {
		add(i*n + n - 1 - i)
	}
	if n%2 == 1 {
		for i := range n {
			add(n/2*n + i)
			add(i*n + n/2)
		}
	}
	for c := range n * n {
		if !slice[c] && taken>>uint(c)&1 == 0 {
			k.maskCells = append(k.maskCells, c)
		}
	}
	group := slices.DeleteFunc(bitboard.LineGroup(n), func(g bitboard.Perm) bool { return g.Apply(taken) != taken })
	return k.space("notakto", n, n*n, bitboard.Lines(n), restrict(group, k.maskCells), restrict(group, k.sliceCells))
}
