package custom

import (
	"fmt"
	"math/bits"
	"sync"
)

// Helpers for games whose boards are masks of cells; bit 0 is the first cell.

// Mask is a set of cells.
type Mask interface{ ~uint16 | ~uint32 | ~uint64 }

// Bit returns a mask of one bit if set, and 0 otherwise.
func Bit(set bool, at int) uint64 {
	if set {
		return 1 << at
	}
	return 0
}

// Around returns the neighbours of a cell that are on the board. near lists them as digits: 0 to
// 8 row by row around the cell itself, which is 4. "1357" are those that share a side.
func Around(rows, columns, cell int, near string) (mask uint64) {
	for _, n := range near {
		if r, c := cell/columns+int(n-'0')/3-1, cell%columns+int(n-'0')%3-1; r >= 0 && r < rows && c >= 0 && c < columns {
			mask |= 1 << (r*columns + c)
		}
	}
	return mask
}

// Map moves the cells of masks, as a symmetry of the board does. It looks up eight cells at
// a time.
type Map[M Mask] [][256]M

// NewMap returns the map that moves each of the cells; M must have a bit for each.
func NewMap[M Mask](cells int, to func(cell int) int) Map[M] {
	m := make(Map[M], (cells+7)/8)
	for cell := range cells {
		for part := range m[cell/8] {
			if part>>(cell%8)&1 != 0 {
				m[cell/8][part] |= 1 << to(cell)
			}
		}
	}
	return m
}

// Apply returns the mask after all its cells have moved.
func (m Map[M]) Apply(mask M) (moved M) {
	for i := range m {
		moved |= m[i][uint8(mask)]
		mask >>= 8
	}
	return moved
}

// Symmetries finds the least images of positions under the maps of a board.
type Symmetries[M Mask] struct {
	// Cells is the number of cells. Maps form a group that includes the identity.
	Cells int
	Maps  []Map[M]

	once sync.Once
	// For boards with few cells, least has each mask's least image and the maps to it.
	least []M
	by    []uint32
}

// prepare finds the least images of all masks if there are few.
func (s *Symmetries[M]) prepare() {
	if s.Cells > 16 || len(s.Maps) > 32 {
		return
	}
	s.least, s.by = make([]M, 1<<s.Cells), make([]uint32, 1<<s.Cells)
	for mask := range s.least {
		s.least[mask] = ^M(0)
		for i, m := range s.Maps {
			switch image := m.Apply(M(mask)); {
			case image < s.least[mask]:
				s.least[mask], s.by[mask] = image, 1<<i
			case image == s.least[mask]:
				s.by[mask] |= 1 << i
			}
		}
	}
}

// Least returns the least image of two masks: the one with the least first mask and, among those,
// the least second one.
func (s *Symmetries[M]) Least(first, second M) (M, M) {
	s.once.Do(s.prepare)
	least, other := ^M(0), ^M(0)
	if s.least != nil {
		for by := s.by[first]; by != 0; by &= by - 1 {
			other = min(other, s.Maps[bits.TrailingZeros32(by)].Apply(second))
		}
		return s.least[first], other
	}
	for _, m := range s.Maps {
		image := m.Apply(first)
		if image > least {
			continue
		}
		if with := m.Apply(second); image < least || with < other {
			least, other = image, with
		}
	}
	return least, other
}

// SquareMaps returns the eight symmetries of a board of n×n cells, the identity first.
func SquareMaps[M Mask](n int) (maps []Map[M]) {
	for i := range 8 {
		maps = append(maps, NewMap[M](n*n, func(cell int) int {
			r, c := cell/n, cell%n
			if i&1 != 0 {
				r = n - 1 - r
			}
			if i&2 != 0 {
				c = n - 1 - c
			}
			if i&4 != 0 {
				r, c = c, r
			}
			return r*n + c
		}))
	}
	return maps
}

// Parsed returns what Parse has read. It returns an error if err is one, if Format writes another
// text, or if the position is in no tier.
func Parsed[S comparable](g Game[S], s S, text string, err error) (S, error) {
	if err != nil {
		return s, err
	}
	tiered, _ := g.(Tiered[S])
	if tier := tierOf(tiered, s); g.Format(s) != text || tier < 0 || tiered != nil && tier >= tiered.Tiers() {
		return s, fmt.Errorf("%q is not a position of %s, which begins with %s", text, g.Name(), g.Format(g.Start()))
	}
	return s, nil
}
