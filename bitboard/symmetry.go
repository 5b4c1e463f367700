package bitboard

import (
	"math"
	"slices"
)

// Perm is a permutation of the cells of a board: cell c goes to Perm[c].
type Perm []uint8

// Identity returns the permutation of k cells that leaves all in place.
func Identity(k int) Perm {
	p := make(Perm, k)
	for i := range p {
		p[i] = uint8(i)
	}
	return p
}

// Apply returns the image of a mask.
func (p Perm) Apply(mask uint64) uint64 {
	var image uint64
	for c, to := range p {
		image |= mask >> uint(c) & 1 << to
	}
	return image
}

// Inverse returns the permutation that undoes p.
func (p Perm) Inverse() Perm {
	q := make(Perm, len(p))
	for c, to := range p {
		q[to] = uint8(c)
	}
	return q
}

// Then returns the permutation that applies p first and then q.
func (p Perm) Then(q Perm) Perm {
	r := make(Perm, len(p))
	for c, to := range p {
		r[c] = q[to]
	}
	return r
}

// SquareGroup returns the geometric symmetries of a board, the identity first: 8 of them for a
// square, 4 for another rectangle, fewer with a single row or column. They keep the lines of all
// variants.
func SquareGroup(size int) []Perm {
	rows, cols := Size(size).Rows(), Size(size).Cols()
	generators := []Perm{
		cellPerm(rows, cols, func(r, c int) (int, int) { return r, cols - 1 - c }),
		cellPerm(rows, cols, func(r, c int) (int, int) { return rows - 1 - r, c }),
	}
	if rows == cols {
		generators = append(generators, cellPerm(rows, cols, func(r, c int) (int, int) { return c, r }))
	}
	return generate(generators)
}

// LineGroup returns the permutations of the n×n board's cells that map the set of rows, columns
// and main diagonals onto itself, the identity first. Besides the square's symmetries they are
// the permutations of the indices 0..n−1 that commute with i → n−1−i, applied to rows and columns
// alike: 4·2^k·k! elements with k = ⌊n/2⌋, that is 8 (n = 2, 3), 32 (4, 5), 192 (6, 7) and 1,536
// (8). For n = 1 there is only the identity. From n = 3 on these are all permutations that keep
// the lines; on 2×2, where any two cells are a line, all 24 would.
func LineGroup(n int) []Perm {
	generators := SquareGroup(n)
	add := func(sigma func(i int) int) {
		generators = append(generators, cellPerm(n, n, func(r, c int) (int, int) { return sigma(r), sigma(c) }))
	}
	for i := range n / 2 {
		add(func(x int) int { return swapped(x, i, n-1-i) })
		if i+1 < n/2 {
			add(func(x int) int { return swapped(swapped(x, i, i+1), n-1-i, n-2-i) })
		}
	}
	return generate(generators)
}

// LineSymmetries returns permutations of a board's cells that map lines onto lines: the swaps of
// two rows or columns, translations, shears, reflections and the transposition that do so. They
// generate a group that may be far too large to list.
func LineSymmetries(size int) (perms []Perm) {
	rows, cols := Size(size).Rows(), Size(size).Cols()
	lines := Lines(size)
	add := func(image func(r, c int) (int, int)) {
		p := cellPerm(rows, cols, image)
		if !slices.ContainsFunc(lines, func(line uint64) bool { return !slices.Contains(lines, p.Apply(line)) }) {
			perms = append(perms, p)
		}
	}
	for i := range rows {
		for j := range i {
			add(func(r, c int) (int, int) { return swapped(r, i, j), c })
		}
	}
	for i := range cols {
		for j := range i {
			add(func(r, c int) (int, int) { return r, swapped(c, i, j) })
		}
	}
	for i := 1; i < rows; i++ {
		add(func(r, c int) (int, int) { return (r + i) % rows, c })
	}
	for i := 1; i < cols; i++ {
		add(func(r, c int) (int, int) { return r, (c + i) % cols })
		add(func(r, c int) (int, int) { return (r + i*c) % rows, c })
	}
	return append(perms, SquareGroup(size)...)
}

func swapped(x, i, j int) int {
	switch x {
	case i:
		return j
	case j:
		return i
	}
	return x
}

func cellPerm(rows, cols int, image func(row, col int) (int, int)) Perm {
	p := make(Perm, rows*cols)
	for c := range p {
		row, col := image(c/cols, c%cols)
		p[c] = uint8(row*cols + col)
	}
	return p
}

// generate closes permutations to a group, in a fixed order so that runs are comparable.
func generate(generators []Perm) []Perm {
	group, _ := Generate(generators, math.MaxInt)
	slices.SortFunc(group[1:], func(a, b Perm) int { return slices.Compare(a, b) })
	return group
}

// Generate returns the group that permutations generate, the identity first, or false if it has
// more than the given number of elements.
func Generate(generators []Perm, most int) (group []Perm, ok bool) {
	group = []Perm{Identity(len(generators[0]))}
	seen := map[string]bool{string(group[0]): true}
	for i := 0; i < len(group); i++ {
		for _, g := range generators {
			next := group[i].Then(g)
			if seen[string(next)] {
				continue
			}
			if len(group) == most {
				return nil, false
			}
			seen[string(next)] = true
			group = append(group, next)
		}
	}
	return group, true
}

// Orbits returns the sets of cells that the group carries into one another, by their lowest cell.
func Orbits(group []Perm) []uint64 {
	var orbits []uint64
	var seen uint64
	for c := range len(group[0]) {
		if seen>>uint(c)&1 == 1 {
			continue
		}
		var orbit uint64
		for _, g := range group {
			orbit |= 1 << g[c]
		}
		seen |= orbit
		orbits = append(orbits, orbit)
	}
	return orbits
}
