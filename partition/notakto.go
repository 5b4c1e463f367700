package partition

import (
	"slices"

	"backsolve/bitboard"
	"backsolve/game"
)

// newNotakto cuts Notakto. Taken cells are in neither mask nor slice, so lines are shorter by them.
func newNotakto(size int, taken uint64) (*Space, error) {
	s := game.Size(size)
	k := &oneMark{taken: taken, lost: s.Has(bitboard.Normal)}
	var group []bitboard.Perm
	if s.Rows() == s.Cols() && s.Variant()&(bitboard.NoDiagonals|bitboard.Torus) == 0 {
		k.cutDiagonals(s.Rows())
		group = bitboard.LineGroup(s.Rows())
	} else {
		group = k.cutColumns(s)
	}
	group = slices.DeleteFunc(group, func(g bitboard.Perm) bool { return g.Apply(taken) != taken })
	return k.space("notakto", size, s.Cells(), bitboard.Lines(size), restrict(group, k.maskCells), restrict(group, k.sliceCells))
}

// cutColumns puts half of the columns into the slice and returns symmetries that keep
// them there. Rows and columns alone are lines under far more symmetries than a cut can have,
// so it is a subgroup. On a torus the columns of the slice are spread evenly, as translations
// then keep them.
func (k *oneMark) cutColumns(s game.Size) []bitboard.Perm {
	rows, cols := s.Rows(), s.Cols()
	slice, inSlice := max(cols/2, 1), uint64(0)
	for i := range slice {
		col := cols - slice + i
		if s.Has(bitboard.Torus) {
			col = i * cols / slice
		}
		for row := range rows {
			inSlice |= 1 << uint(row*cols+col)
		}
	}
	k.sliceCells = appendCells(nil, inSlice&^k.taken)
	k.maskCells = appendCells(nil, bitboard.All(int(s))&^inSlice&^k.taken)
	perms := slices.DeleteFunc(bitboard.LineSymmetries(int(s)), func(g bitboard.Perm) bool {
		moves := slices.ContainsFunc(k.maskCells, func(c int) bool { return int(g[c]) != c })
		return g.Apply(inSlice) != inSlice || !moves
	})
	return boundedGroup(perms, rows*cols)
}

// cutDiagonals puts the two diagonals of the n×n board into the slice and, for odd n, the
// middle row and column: the symmetries of the lines permute them among themselves. The
// first diagonal has the low index bits and the second the next, as half of the
// symmetries keep the two apart.
func (k *oneMark) cutDiagonals(n int) {
	add := func(cell int) {
		if k.taken>>uint(cell)&1 == 0 && !slices.Contains(k.sliceCells, cell) {
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
		if k.taken>>uint(c)&1 == 0 && !slices.Contains(k.sliceCells, c) {
			k.maskCells = append(k.maskCells, c)
		}
	}
}
