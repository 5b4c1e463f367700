package zero

import (
	"fmt"
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/notakto"
)

// MaxWide is the largest board of Notakto that networks see: its cells fit into a State.
const MaxWide = 13

// wide is the view of Notakto on boards that are too large for grids. An action is a cell, a
// state the marked cells. Inputs are the cells, each 1 if it is marked, and the parities if
// wanted.
type wide struct {
	dimensions
	n      int
	all    State
	lines  []State
	parity bool
	group  []wideSymmetry
}

// wideSymmetry is a permutation of the cells, tabulated by four cells at once.
type wideSymmetry struct {
	back   bitboard.Perm
	images [][16]State
}

func newWide(rules game.Rules, e Encoding) (View, error) {
	board := rules.Info()
	n := board.Size
	if n > MaxWide {
		return nil, fmt.Errorf("networks see Notakto up to %d×%d, which %v is not; choose another agent", MaxWide, MaxWide, board)
	}
	if err := e.check(board, true, SquareGroup); err != nil { // a board's line symmetries are too many
		return nil, err
	}
	v := &wide{dimensions: dimensions{inputs: n * n, actions: n * n}, n: n, lines: wideLines(n), parity: e.Parity}
	if e.Parity {
		v.inputs += 2
	}
	for _, line := range v.lines[:n] {
		v.all = v.all.withCell(line)
	}
	for _, p := range e.Canonical.permutations(n) {
		v.group = append(v.group, tabulatedWide(p))
	}
	return v, nil
}

func cellIn(cell int) (s State) {
	s[cell/64] = 1 << uint(cell%64)
	return s
}

func (s State) withCell(other State) State {
	for i := range s {
		s[i] |= other[i]
	}
	return s
}

func (s State) withoutCell(other State) State {
	for i := range s {
		s[i] &^= other[i]
	}
	return s
}

func (s State) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

func wideLines(n int) (lines []State) {
	for cells := range bitboard.LineCells(n) {
		var s State
		for _, cell := range cells {
			s = s.withCell(cellIn(cell))
		}
		lines = append(lines, s)
	}
	return lines
}

func tabulatedWide(p bitboard.Perm) wideSymmetry {
	s := wideSymmetry{back: p.Inverse(), images: make([][16]State, (len(p)+3)/4)}
	for cell, to := range p {
		for four := range 16 {
			if four>>(cell%4)&1 == 1 {
				s.images[cell/4][four] = s.images[cell/4][four].withCell(cellIn(int(to)))
			}
		}
	}
	return s
}

func (s *wideSymmetry) apply(cells State) (image State) {
	for i := range s.images {
		four := &s.images[i][cells[i/16]>>(uint(i)%16*4)&15]
		for word := range image {
			image[word] |= four[word]
		}
	}
	return image
}

// canonical returns the least image of a state, and by which element of the group.
func (v *wide) canonical(s State) (least State, element int) {
	for i := range v.group {
		if image := v.group[i].apply(s); i == 0 || image.less(least) {
			least, element = image, i
		}
	}
	return least, element
}

func (s State) less(other State) bool {
	for i := range s {
		if s[i] != other[i] {
			return s[i] < other[i]
		}
	}
	return false
}

func (v *wide) Of(s game.State) (State, func(int) game.Move) {
	board := s.(notakto.Wide)
	var cells State
	for cell := range board.Cells() {
		if board.Marked(cell) {
			cells = cells.withCell(cellIn(cell))
		}
	}
	state, element := v.canonical(cells)
	back := v.group[element].back
	return state, func(action int) game.Move {
		cell := int(back[action])
		return game.Move{From: uint8(cell / v.n), To: uint8(cell % v.n)}
	}
}

// Terminal says that the player to move has won once a line is complete.
func (v *wide) Terminal(s State) (game.Outcome, bool) {
	for i := range v.lines {
		if line := &v.lines[i]; line[0]&^s[0]|line[1]&^s[1]|line[2]&^s[2] == 0 {
			return game.Win, true
		}
	}
	return game.Draw, false
}

func (v *wide) Legal(buf []int16, s State) []int16 {
	if _, over := v.Terminal(s); over {
		return buf
	}
	for word, left := range v.all.withoutCell(s) {
		for ; left != 0; left &= left - 1 {
			buf = append(buf, int16(64*word+bits.TrailingZeros64(left)))
		}
	}
	return buf
}

func (v *wide) Play(s State, action int) State {
	after, _ := v.canonical(v.image(s, action))
	return after
}

func (v *wide) image(s State, action int) State { return s.withCell(cellIn(action)) }

func (v *wide) Encode(dst []float32, s State) {
	for cell := range v.actions {
		dst[cell] = float32(s[cell/64] >> uint(cell%64) & 1)
	}
	if v.parity {
		safe := v.all.withoutCell(s)
		for _, line := range v.lines {
			if left := line.withoutCell(s); left.count() <= 1 {
				safe = safe.withoutCell(left)
			}
		}
		dst[v.actions] = float32(s.count() & 1)
		dst[v.actions+1] = float32(safe.count() & 1)
	}
}
