package zero

import (
	"math/rand/v2"

	"backsolve/bitboard"
	"backsolve/game"
	"backsolve/internal/search"
)

// pushing is the view of Quixo. A state has the tiles of the player to move and of the
// opponent. An action is a slide, that is a tile and where it is pushed back in. Inputs are one
// plane of cells for each player, 1 for a tile.
type pushing struct {
	core   search.Rules[search.Masks]
	start  game.Position
	n      int
	slides []bitboard.Slide
	group  symmetries
	// images has, by the element of the group, what each slide becomes.
	images [][]int16
}

func newPushing(grid game.Grid, e Encoding) (View, error) {
	n := grid.Size()
	group, err := squareSymmetries(grid, e)
	if err != nil {
		return nil, err
	}
	v := &pushing{core: search.New(grid), start: grid.Start(), n: n, slides: bitboard.Slides(n), group: group}
	number := map[[2]int]int16{}
	for i, s := range v.slides {
		number[[2]int{s.From, s.To}] = int16(i)
	}
	for _, g := range group {
		forth, images := g.forth, []int16{}
		for _, s := range v.slides {
			images = append(images, number[[2]int{int(forth[s.From]), int(forth[s.To])}])
		}
		v.images = append(v.images, images)
	}
	return v, nil
}

func (v *pushing) Inputs() int { return colours * v.n * v.n }

func (v *pushing) Actions() int { return len(v.slides) }

func (v *pushing) Start() State {
	s, _ := v.group.canonical(search.MasksOf(v.start), colours)
	return s
}

func (v *pushing) Of(s game.State) (State, func(int) game.Move) {
	state, element := v.group.canonical(v.core.Of(s), colours)
	back := v.group[element].back
	return state, func(action int) game.Move {
		slide := &v.slides[action]
		return game.Move{From: back[slide.From], To: back[slide.To]}
	}
}

func (v *pushing) Terminal(s State) (game.Outcome, bool) { return v.core.Terminal(masks(s)) }

func (v *pushing) Legal(buf []int16, s State) []int16 {
	if _, over := v.Terminal(s); over {
		return buf
	}
	for i := range v.slides {
		if s[1]>>uint(v.slides[i].From)&1 == 0 {
			buf = append(buf, int16(i))
		}
	}
	return buf
}

func (v *pushing) Play(s State, action int) State {
	after, _ := v.group.canonical(masks(v.image(s, action)), colours)
	return after
}

func (v *pushing) image(s State, action int) State {
	slide := &v.slides[action]
	return State{slide.Shift(s[1]), slide.Shift(s[0]) | 1<<uint(slide.To)}
}

func (v *pushing) Encode(dst []float32, s State) { encodeMasks(dst, s, colours, v.n*v.n) }

// Cells returns the rows and the columns of the board.
func (v *pushing) Cells() (rows, columns int) { return v.n, v.n }

// Images is the number of symmetries.
func (v *pushing) Images() int { return len(v.group) }

// Image returns the image of a state, and what becomes of the actions.
func (v *pushing) Image(s State, element int) (State, func(int16) int16) {
	g, images := &v.group[element], v.images[element]
	return State{g.apply(s[0]), g.apply(s[1])}, func(action int16) int16 { return images[action] }
}

// Random returns an open state in which every tile is equally often blank, the mover's and the
// opponent's: in Quixo every board is a position.
func (v *pushing) Random(r *rand.Rand) State {
	for {
		var m search.Masks
		for cell := range v.n * v.n {
			switch r.IntN(3) {
			case 1:
				m.Mover |= 1 << uint(cell)
			case 2:
				m.Waiting |= 1 << uint(cell)
			}
		}
		if _, over := v.core.Terminal(m); !over {
			s, _ := v.group.canonical(m, colours)
			return s
		}
	}
}
