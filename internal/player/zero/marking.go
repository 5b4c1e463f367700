package zero

import (
	"math/bits"

	"backsolve/bitboard"
	"backsolve/game"
)

// marking is the view of games on a grid in which every move marks an empty cell.
type marking struct {
	grid
	all    uint64
	lines  []uint64
	parity bool
}

func newMarking(rules game.Grid, e Encoding) (View, error) {
	notakto := rules.Marks() == 1 && rules.Info().CompleteLine == game.MoverLoses
	if err := e.check(rules.Info(), notakto, SquareGroup, LineGroup); err != nil {
		return nil, err
	}
	n := rules.Size()
	v := &marking{newGrid(rules, e), bitboard.All(n), bitboard.Lines(n), e.Parity}
	if e.Parity {
		v.inputs += 2
	}
	return v, nil
}

func (v *marking) Legal(buf []int16, s State) []int16 {
	if _, over := v.Terminal(s); over {
		return buf
	}
	for left := v.all &^ s[0] &^ s[1]; left != 0; left &= left - 1 {
		buf = append(buf, int16(bits.TrailingZeros64(left)))
	}
	return buf
}

func (v *marking) Encode(dst []float32, s State) {
	v.grid.Encode(dst, s)
	if v.parity {
		safe := v.all &^ s[0]
		for _, line := range v.lines {
			if left := line &^ s[0]; left&(left-1) == 0 {
				safe &^= left
			}
		}
		dst[v.actions] = float32(bits.OnesCount64(s[0]) & 1)
		dst[v.actions+1] = float32(bits.OnesCount64(safe) & 1)
	}
}
