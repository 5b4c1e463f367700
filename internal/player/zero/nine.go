package zero

import (
	"slices"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/game/uttt"
	"backsolve/internal/search"
)

// nine is the view of Ultimate Tic-Tac-Toe. A state is the search core's, an action a cell
// of the 9×9 board. Inputs are five planes of cells: the mover's marks, the opponent's, the cells
// that may be marked, and the cells of the boards that the mover and the opponent have won.
type nine struct {
	dimensions
	core  search.Rules[search.Words]
	group []nineSymmetry
}

const ninePlanes = 5

// nineSymmetry is a symmetry of the square, which turns the board of boards and each board alike.
type nineSymmetry struct {
	cells, back bitboard.Perm // of the 9×9 board
	boards      bitboard.Perm // of 3×3
	masks       [uttt.Full + 1]uint16
}

func newNine(rules game.Rules, e Encoding) (View, error) {
	if err := e.check(rules.Info(), false, SquareGroup); err != nil {
		return nil, err
	}
	const cells = uttt.Size * uttt.Size
	v, group := &nine{dimensions: dimensions{inputs: ninePlanes * cells, actions: cells}}, e.Canonical.permutations(uttt.Size)
	search.Choose(rules, nil, func(core search.Rules[search.Words]) bool { v.core = core; return true }, nil)
	for i, small := range bitboard.SquareGroup(3)[:len(group)] {
		g := nineSymmetry{cells: group[i], back: group[i].Inverse(), boards: small}
		for mask := range g.masks {
			g.masks[mask] = uint16(small.Apply(uint64(mask)))
		}
		v.group = append(v.group, g)
	}
	v.start, _ = v.Of(rules.Start())
	return v, nil
}

// Cells returns the rows and the columns of the board.
func (v *nine) Cells() (rows, columns int) { return uttt.Size, uttt.Size }

// apply returns the image of a position in which X is to move.
func (g *nineSymmetry) apply(s *uttt.State) (image uttt.State) {
	for b := range uttt.Boards {
		to := g.boards[b]
		image.X[to], image.O[to] = g.masks[s.X[b]], g.masks[s.O[b]]
	}
	if image.Board = s.Board; s.Board != uttt.Any {
		image.Board = g.boards[s.Board]
	}
	return image
}

// canonical returns the least image of a state, and the symmetry that gives it.
func (v *nine) canonical(s search.Words) (least State, element int) {
	if len(v.group) == 1 {
		return State(s), 0
	}
	p := search.Ultimate(s)
	for i := range v.group {
		if image := State(v.core.Of(v.group[i].apply(&p))); i == 0 || image.less(least) {
			least, element = image, i
		}
	}
	return least, element
}

func (v *nine) Of(s game.State) (State, func(int) game.Move) {
	state, element := v.canonical(v.core.Of(s))
	back := v.group[element].back
	return state, func(action int) game.Move { return game.Move{From: back[action], To: back[action]} }
}

func (v *nine) Terminal(s State) (game.Outcome, bool) { return v.core.Terminal(search.Words(s)) }

func (v *nine) Legal(buf []int16, s State) []int16 {
	from := len(buf)
	var moves [uttt.Size * uttt.Size]game.Move
	for _, m := range v.core.Moves(moves[:0], search.Words(s)) {
		buf = append(buf, int16(m.To))
	}
	slices.Sort(buf[from:])
	return buf
}

func (v *nine) Play(s State, action int) State {
	after, _ := v.canonical(search.Words(v.image(s, action)))
	return after
}

func (v *nine) image(s State, action int) State {
	return State(v.core.Play(search.Words(s), game.Move{From: uint8(action), To: uint8(action)}))
}

func (v *nine) Encode(dst []float32, s State) {
	clear(dst)
	const cells = uttt.Size * uttt.Size
	p := search.Ultimate(search.Words(s))
	byX, byO := p.Won()
	for cell := range cells {
		board, within := uttt.Place(cell)
		dst[cell] = float32(p.X[board] >> within & 1)
		dst[cells+cell] = float32(p.O[board] >> within & 1)
		dst[3*cells+cell] = float32(byX >> board & 1)
		dst[4*cells+cell] = float32(byO >> board & 1)
	}
	var buffer [cells]int16
	for _, action := range v.Legal(buffer[:0], s) {
		dst[2*cells+int(action)] = 1
	}
}

// Images is the number of symmetries.
func (v *nine) Images() int { return len(v.group) }

// Image returns the image of a state, and what becomes of the actions.
func (v *nine) Image(s State, element int) (State, func(int16) int16) {
	p, g := search.Ultimate(search.Words(s)), &v.group[element]
	return State(v.core.Of(g.apply(&p))), func(action int16) int16 { return int16(g.cells[action]) }
}
