package zero

import (
	"fmt"
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/search"
)

// marking is the view of games on a grid in which every move marks an empty cell. An
// action is a cell, a state the cells of the player to move and those of the other.
// Inputs are the cells of the one and, where the players have marks of their own, of the
// other, each 1 where it is marked, and the parities if wanted.
type marking struct {
	core   search.Rules[search.Masks]
	start  game.Position
	cells  int
	n      int
	marks  int
	all    uint64
	lines  []uint64
	parity bool
	group  symmetries
}

func newMarking(grid game.Grid, e Encoding) (View, error) {
	n := grid.Size()
	v := &marking{
		core: search.New(grid), start: grid.Start(), cells: n * n, n: n, marks: grid.Marks(),
		all: bitboard.All(n), lines: bitboard.Lines(n), parity: e.Parity,
	}
	if e.Parity && (v.marks != 1 || grid.Info().CompleteLine != game.MoverLoses) {
		return nil, errParity(grid)
	}
	var err error
	v.group, err = symmetriesOf(n, e.Canonical)
	return v, err
}

// errParity refuses inputs that only Notakto has, of the games on grids.
func errParity(grid game.Grid) error {
	return fmt.Errorf("the parities are inputs of Notakto, not of %s; leave them out", grid.Name())
}

func (v *marking) Inputs() int {
	inputs := v.cells * v.marks
	if v.parity {
		inputs += 2
	}
	return inputs
}

func (v *marking) Actions() int { return v.cells }

func (v *marking) Start() State {
	s, _ := v.group.canonical(search.MasksOf(v.start), v.marks)
	return s
}

func (v *marking) Of(s game.State) (State, func(int) game.Move) {
	state, element := v.group.canonical(v.core.Of(s), v.marks)
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
	after, _ := v.group.canonical(v.after(s, action), v.marks)
	return after
}

func (v *marking) image(s State, action int) State { return stateOf(v.after(s, action)) }

// after returns the position after a cell is marked.
func (v *marking) after(s State, action int) search.Masks {
	cell := uint8(action)
	return v.core.Play(masks(s), game.Move{From: cell, To: cell})
}

func (v *marking) Encode(dst []float32, s State) {
	encodeMasks(dst, s, v.marks, v.cells)
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

// Images is the number of symmetries.
func (v *marking) Images() int { return len(v.group) }

// Image returns the image of a state, and what becomes of the actions.
func (v *marking) Image(s State, element int) (State, func(int16) int16) {
	return v.group.image(s, element)
}

// Cells returns the rows and the columns of the board, of which the parities are no cells.
func (v *marking) Cells() (rows, columns int) {
	if v.parity {
		return 0, 0
	}
	return v.n, v.n
}
