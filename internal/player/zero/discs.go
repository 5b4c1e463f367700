package zero

import (
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/internal/search"
)

// discs is the view of Othello. A state has the discs of the player to move and of the
// opponent, which determine the legal moves, passes and the end of the game. An action is
// the cell of a new disc; the last one is the pass. Inputs are one plane of cells for each
// player, 1 for a disc.
type discs struct {
	core  search.Rules[search.Masks]
	start game.Position
	cells int
	n     int
	group symmetries
}

// colours are whose discs there are: the mover's and the other's.
const colours = 2

// squareSymmetries returns the symmetries of an encoding for a game that has no parity and only the
// symmetries of the square.
func squareSymmetries(grid game.Grid, e Encoding) (symmetries, error) {
	switch {
	case e.Parity:
		return nil, errParity(grid)
	case e.Canonical == LineGroup:
		return nil, fmt.Errorf("%q are symmetries of lines, and %s has those of the square only; give %s or %s", string(LineGroup), grid.Name(), NoGroup, SquareGroup)
	}
	return symmetriesOf(grid.Size(), e.Canonical)
}

func newDiscs(grid game.Grid, e Encoding) (View, error) {
	n := grid.Size()
	group, err := squareSymmetries(grid, e)
	if err != nil {
		return nil, err
	}
	return &discs{core: search.New(grid), start: grid.Start(), cells: n * n, n: n, group: group}, nil
}

func (v *discs) Inputs() int { return colours * v.cells }

func (v *discs) Actions() int { return v.cells + 1 }

// pass is the action of who can place no disc.
func (v *discs) pass() int { return v.cells }

// move returns the move of an action on a state's board.
func (v *discs) move(action int) game.Move {
	if action == v.pass() {
		return game.Pass
	}
	return game.Move{From: uint8(action), To: uint8(action)}
}

func (v *discs) Start() State {
	s, _ := v.group.canonical(search.MasksOf(v.start), colours)
	return s
}

func (v *discs) Of(s game.State) (State, func(int) game.Move) {
	state, element := v.group.canonical(v.core.Of(s), colours)
	back := v.group[element].back
	return state, func(action int) game.Move {
		if action != v.pass() {
			action = int(back[action])
		}
		return v.move(action)
	}
}

func (v *discs) Terminal(s State) (game.Outcome, bool) { return v.core.Terminal(masks(s)) }

// Legal appends the cells in their order.
func (v *discs) Legal(buf []int16, s State) []int16 {
	var cells uint64
	for _, m := range v.core.Moves(make([]game.Move, 0, v.cells), masks(s)) {
		if m == game.Pass {
			return append(buf, int16(v.pass()))
		}
		cells |= 1 << (m.To & 63)
	}
	for ; cells != 0; cells &= cells - 1 {
		buf = append(buf, int16(bits.TrailingZeros64(cells)))
	}
	return buf
}

func (v *discs) Play(s State, action int) State {
	after, _ := v.group.canonical(v.core.Play(masks(s), v.move(action)), colours)
	return after
}

func (v *discs) image(s State, action int) State {
	return stateOf(v.core.Play(masks(s), v.move(action)))
}

func (v *discs) Encode(dst []float32, s State) { encodeMasks(dst, s, colours, v.cells) }

// Images is the number of symmetries.
func (v *discs) Images() int { return len(v.group) }

// Image returns the image of a state, and what becomes of the actions.
func (v *discs) Image(s State, element int) (State, func(int16) int16) {
	return v.group.image(s, element)
}

// Cells returns the rows and the columns of the board.
func (v *discs) Cells() (rows, columns int) { return v.n, v.n }
