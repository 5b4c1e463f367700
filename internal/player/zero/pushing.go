package zero

import (
	"math/rand/v2"

	"backsolve/game"
	"backsolve/internal/search"
)

// pushing is the view of Quixo. An action is a tile and where it is pushed back in.
type pushing struct{ grid }

func newPushing(rules game.Grid, e Encoding) (View, error) {
	if err := e.check(rules.Info(), false, SquareGroup); err != nil {
		return nil, err
	}
	return &pushing{newGrid(rules, e)}, nil
}

func (v *pushing) Legal(buf []int16, s State) []int16 {
	if _, over := v.Terminal(s); over {
		return buf
	}
	for i := range v.moves {
		if s[1]>>v.moves[i].From&1 == 0 {
			buf = append(buf, int16(i))
		}
	}
	return buf
}

// Random returns an open state, uniform over all boards: in Quixo every one is a position.
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
			s, _ := v.canonical(m)
			return s
		}
	}
}
