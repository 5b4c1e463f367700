package zero

import (
	"fmt"
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/search"
)

// marking is the view of games on a grid in which every move marks an empty cell. An
// action is a cell, a state the cells of the player to move and those of the other.
// Inputs are the cells of the one and, where the players have marks of their own, of the
// other, each 1 where it is marked, and the parities if wanted.
type marking struct {
	core   search.Rules[search.Masks]
	start  game.Position
	cells  int
	marks  int
	all    uint64
	lines  []uint64
	parity bool
	group  []symmetry
}

// symmetry is a permutation of the cells, tabulated by four cells at once.
type symmetry struct {
	back   bitboard.Perm
	images [][16]uint64
}

func newMarking(grid game.Grid, e Encoding) (View, error) {
	n := grid.Size()
	v := &marking{
		core: search.New(grid), start: grid.Start(), cells: n * n, marks: grid.Marks(),
		all: bitboard.All(n), lines: bitboard.Lines(n), parity: e.Parity,
	}
	if e.Parity && (v.marks != 1 || grid.Info().CompleteLine != game.MoverLoses) {
		return nil, fmt.Errorf("the parities are inputs of Notakto, not of %s; leave them out", grid.Name())
	}
	switch e.Canonical {
	case NoGroup, "":
		v.group = tabulated(bitboard.SquareGroup(n)[:1])
	case SquareGroup:
		v.group = tabulated(bitboard.SquareGroup(n))
	case LineGroup:
		v.group = tabulated(bitboard.LineGroup(n))
	default:
		return nil, fmt.Errorf("%.40q are no symmetries; give %s, %s or %s", string(e.Canonical), NoGroup, SquareGroup, LineGroup)
	}
	return v, nil
}

func tabulated(group []bitboard.Perm) []symmetry {
	var all []symmetry
	for _, p := range group {
		s := symmetry{back: p.Inverse(), images: make([][16]uint64, (len(p)+3)/4)}
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

// canonical returns the least image of masks, and by which element of the group.
func (v *marking) canonical(m search.Masks) (least State, element int) {
	for i := range v.group {
		image := State{v.group[i].apply(m.Mover)}
		if v.marks == 2 {
			image[1] = v.group[i].apply(m.Waiting)
		}
		if i == 0 || image[0] < least[0] || image[0] == least[0] && image[1] < least[1] {
			least, element = image, i
		}
	}
	return least, element
}

func masks(s State) search.Masks { return search.Masks{Mover: s[0], Waiting: s[1]} }

func (v *marking) Inputs() int {
	inputs := v.cells * v.marks
	if v.parity {
		inputs += 2
	}
	return inputs
}

func (v *marking) Actions() int { return v.cells }

func (v *marking) Start() State {
	s, _ := v.canonical(search.MasksOf(v.start))
	return s
}

func (v *marking) Of(s game.State) (State, func(int) game.Move) {
	state, element := v.canonical(v.core.Of(s))
	back := v.group[element].back
	return state, func(action int) game.Move { return game.Move{From: back[action], To: back[action]} }
}

func (v *marking) Terminal(s State) (game.Outcome, bool) { return v.core.Terminal(masks(s)) }

func (v *marking) Legal(buf []int16, s State) []int16 {
	if _, over := v.Terminal(s); over {
		return buf
	}
	for left := v.all &^ s[0] &^ s[1]; left != 0; left &= left - 1 {
		buf = append(buf, int16(bits.TrailingZeros64(left)))
	}
	return buf
}

func (v *marking) Play(s State, action int) State {
	cell := uint8(action)
	after, _ := v.canonical(v.core.Play(masks(s), game.Move{From: cell, To: cell}))
	return after
}

func (v *marking) Encode(dst []float32, s State) {
	for side := range v.marks {
		for cell := range v.cells {
			dst[side*v.cells+cell] = float32(s[side] >> uint(cell) & 1)
		}
	}
	if v.parity {
		safe := v.all &^ s[0]
		for _, line := range v.lines {
			if left := line &^ s[0]; left&(left-1) == 0 {
				safe &^= left
			}
		}
		dst[v.cells] = float32(bits.OnesCount64(s[0]) & 1)
		dst[v.cells+1] = float32(bits.OnesCount64(safe) & 1)
	}
}
