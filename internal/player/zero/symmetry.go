package zero

import (
	"fmt"

	"backsolve/bitboard"
	"backsolve/internal/search"
)

// masks is the position of a state on a grid, which has the cells of the player to move
// and those of the other.
func masks(s State) search.Masks { return search.Masks{Mover: s[0], Waiting: s[1]} }

// stateOf is the state of a position as it stands.
func stateOf(m search.Masks) State { return State{m.Mover, m.Waiting} }

// encodeMasks writes the cells of the first of both, or of both, 1 where there is a mark.
func encodeMasks(dst []float32, s State, marks, cells int) {
	for side := range marks {
		for cell := range cells {
			dst[side*cells+cell] = float32(s[side] >> uint(cell) & 1)
		}
	}
}

// symmetries are those of which a state is replaced by its least image.
type symmetries []symmetry

// symmetry is a permutation of the cells, tabulated by four cells at once.
type symmetry struct {
	back   bitboard.Perm
	forth  bitboard.Perm
	images [][16]uint64
}

// image returns the image of a state whose actions are cells, but for those beyond the board.
func (g symmetries) image(s State, element int) (State, func(int16) int16) {
	e := &g[element]
	return State{e.apply(s[0]), e.apply(s[1])}, func(action int16) int16 {
		if int(action) < len(e.forth) {
			return int16(e.forth[action])
		}
		return action
	}
}

// symmetriesOf returns the symmetries of the n×n board that have a name.
func symmetriesOf(n int, name Group) (symmetries, error) {
	switch name {
	case NoGroup, "":
		return tabulated(bitboard.SquareGroup(n)[:1]), nil
	case SquareGroup:
		return tabulated(bitboard.SquareGroup(n)), nil
	case LineGroup:
		return tabulated(bitboard.LineGroup(n)), nil
	}
	return nil, fmt.Errorf("%.40q are no symmetries; give %s, %s or %s", string(name), NoGroup, SquareGroup, LineGroup)
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

// canonical returns the least image of masks, and by which of the symmetries. Where there
// is one kind of marks, all are the mover's.
func (g symmetries) canonical(m search.Masks, marks int) (least State, element int) {
	for i := range g {
		image := State{g[i].apply(m.Mover)}
		if marks == 2 {
			image[1] = g[i].apply(m.Waiting)
		}
		if i == 0 || image.before(least) {
			least, element = image, i
		}
	}
	return least, element
}
