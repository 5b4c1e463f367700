package zero

import (
	"backsolve/game"
	"backsolve/internal/player"
	"backsolve/internal/search"
)

type dimensions struct {
	inputs, actions int
	start           State
}

func (d *dimensions) Inputs() int  { return d.inputs }
func (d *dimensions) Actions() int { return d.actions }
func (d *dimensions) Start() State { return d.start }

// grid is what the views of games on grids have in common. A state has the cells of the player to
// move and the opponent's, an action is one of player.Actions. Inputs are a plane of cells for
// each kind of marks, 1 where there is one.
type grid struct {
	dimensions
	core   search.Rules[search.Masks]
	n      int
	marks  int // kinds of marks; if there is one, all marks are the mover's
	group  symmetries
	moves  []game.Move   // by action
	number [64][64]int16 // of an action, by its move
}

func newGrid(rules game.Grid, e Encoding) grid {
	n := rules.Size()
	v := grid{core: search.New(rules), n: n, marks: rules.Marks(), group: tabulated(e.Canonical.permutations(n)), moves: player.Actions(game.Opaque[game.Position](rules))}
	for action, m := range v.moves {
		if m != game.Pass {
			v.number[m.From][m.To] = int16(action)
		}
	}
	v.inputs, v.actions = v.marks*n*n, len(v.moves)
	v.start, _ = v.Of(rules.Start())
	return v
}

func (v *grid) Of(s game.State) (State, func(int) game.Move) {
	state, element := v.canonical(v.core.Of(s))
	back := v.group[element].back
	return state, func(action int) game.Move {
		m := v.moves[action]
		if m == game.Pass {
			return m
		}
		return game.Move{From: back[m.From], To: back[m.To]}
	}
}

func (v *grid) Terminal(s State) (game.Outcome, bool) { return v.core.Terminal(masks(s)) }

func (v *grid) Play(s State, action int) State {
	after, _ := v.canonical(v.core.Play(masks(s), v.moves[action]))
	return after
}

func (v *grid) image(s State, action int) State {
	m := v.core.Play(masks(s), v.moves[action])
	return State{m.Mover, m.Waiting}
}

func (v *grid) Encode(dst []float32, s State) {
	cells := v.n * v.n
	for side := range v.marks {
		for cell := range cells {
			dst[side*cells+cell] = float32(s[side] >> uint(cell) & 1)
		}
	}
}

// Cells returns the rows and the columns of the board, or none if there are inputs other than cells.
func (v *grid) Cells() (rows, columns int) {
	if v.inputs > v.marks*v.n*v.n {
		return 0, 0
	}
	return v.n, v.n
}

// Images is the number of symmetries.
func (v *grid) Images() int { return len(v.group) }

// Image returns the image of a state, and what becomes of the actions.
func (v *grid) Image(s State, element int) (State, func(int16) int16) {
	g := &v.group[element]
	return State{g.apply(s[0]), g.apply(s[1])}, func(action int16) int16 {
		m := v.moves[action]
		if m == game.Pass {
			return action
		}
		return v.number[g.forth[m.From]][g.forth[m.To]]
	}
}

// canonical returns the least image of a position, and by which of the symmetries.
func (v *grid) canonical(m search.Masks) (least State, element int) {
	group, both := v.group, v.marks == 2
	for i := range group {
		image := State{group[i].apply(m.Mover)}
		if both {
			image[1] = group[i].apply(m.Waiting)
		}
		if i == 0 || image.less(least) {
			least, element = image, i
		}
	}
	return least, element
}

func masks(s State) search.Masks { return search.Masks{Mover: s[0], Waiting: s[1]} }
