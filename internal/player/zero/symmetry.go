package zero

import "backsolve/bitboard"

// symmetries are the symmetries used to replace a state by its least image.
type symmetries []symmetry

// symmetry is a permutation of the cells, tabulated by four cells at once.
type symmetry struct {
	back   bitboard.Perm
	forth  bitboard.Perm
	images [][16]uint64
}

func (g Group) permutations(n int) []bitboard.Perm {
	switch g {
	case SquareGroup:
		return bitboard.SquareGroup(n)
	case LineGroup:
		return bitboard.LineGroup(n)
	}
	return bitboard.SquareGroup(n)[:1]
}

func tabulated(group []bitboard.Perm) (all symmetries) {
	for _, p := range group {
		s := symmetry{back: p.Inverse(), forth: p, images: make([][16]uint64, (len(p)+3)/4)}
		for i := range s.images {
			for four := range uint64(16) {
				s.images[i][four] = p.Apply(four << (4 * i))
			}
		}
		all = append(all, s)
	}
	return all
}

func (s *symmetry) apply(mask uint64) (image uint64) {
	for i := range s.images {
		image |= s.images[i][mask>>(4*i&63)&15]
	}
	return image
}
