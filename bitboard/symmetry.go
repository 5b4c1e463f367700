package bitboard

import "slices"

// Perm is a permutation of the cells of a board: cell c goes to Perm[c].
type Perm []uint8

// Identity returns the permutation of k cells that moves none.
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

// Then returns the permutation that carries out p first and q after it.
func (p Perm) Then(q Perm) Perm {
	r := make(Perm, len(p))
	for c, to := range p {
		r[c] = q[to]
	}
	return r
}

// SquareGroup returns the symmetries of the n×n square, the identity first:
// 8 of them, for n = 1 only the identity.
func SquareGroup(n int) []Perm {
	reverse := make([]int, n)
	for i := range reverse {
		reverse[i] = n - 1 - i
	}
	return generate(n, [][]int{reverse})
}

// LineGroup returns the permutations of the n×n board's cells that map rows,
// columns and main diagonals onto such lines, the identity first. Beside the
// square's symmetries they are the permutations of the indices 0..n−1 that
// commute with i → n−1−i, applied to rows and columns alike: 4·2^k·k! elements
// with k = ⌊n/2⌋, that is 8 (n = 2, 3), 32 (4, 5), 192 (6, 7) and 1,536 (8).
// For n = 1 it is the identity only. From n = 3 on these are all permutations
// that keep the lines; on 2×2, where any two cells are a line, all 24 would.
func LineGroup(n int) []Perm {
	var sigmas [][]int
	for i := 0; i < n/2; i++ {
		swap := indices(n)
		swap[i], swap[n-1-i] = n-1-i, i
		sigmas = append(sigmas, swap)
		if i+1 < n/2 {
			exchange := indices(n)
			exchange[i], exchange[i+1] = i+1, i
			exchange[n-1-i], exchange[n-2-i] = n-2-i, n-1-i
			sigmas = append(sigmas, exchange)
		}
	}
	return generate(n, sigmas)
}

func indices(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// generate closes the transposition, the reversal of the columns and the given
// permutations of the indices (applied to rows and columns alike) to a group.
func generate(n int, sigmas [][]int) []Perm {
	cells := func(image func(row, col int) (int, int)) Perm {
		p := make(Perm, n*n)
		for c := range p {
			row, col := image(c/n, c%n)
			p[c] = uint8(row*n + col)
		}
		return p
	}
	generators := []Perm{
		cells(func(r, c int) (int, int) { return c, r }),
		cells(func(r, c int) (int, int) { return r, n - 1 - c }),
	}
	for _, s := range sigmas {
		generators = append(generators, cells(func(r, c int) (int, int) { return s[r], s[c] }))
	}
	group := []Perm{Identity(n * n)}
	seen := map[string]bool{string(group[0]): true}
	for i := 0; i < len(group); i++ {
		for _, g := range generators {
			next := group[i].Then(g)
			if !seen[string(next)] {
				seen[string(next)] = true
				group = append(group, next)
			}
		}
	}
	// No file depends on the order, but a fixed one makes runs comparable.
	slices.SortFunc(group[1:], func(a, b Perm) int { return slices.Compare(a, b) })
	return group
}

// Orbits returns the sets of cells that the group carries into one another, by
// their lowest cell.
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
