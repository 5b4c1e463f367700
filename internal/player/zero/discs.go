package zero

import (
	"math/bits"

	"backsolve/game"
)

// discs is the view of Othello. An action is the cell of a new disc; the last one is the pass.
type discs struct{ grid }

func newDiscs(rules game.Grid, e Encoding) (View, error) {
	if err := e.check(rules.Info(), false, SquareGroup); err != nil {
		return nil, err
	}
	return &discs{newGrid(rules, e)}, nil
}

// Legal appends the cells in ascending order, or only the pass.
func (v *discs) Legal(buf []int16, s State) []int16 {
	var cells uint64
	for _, m := range v.core.Moves(make([]game.Move, 0, v.actions), masks(s)) {
		if m == game.Pass {
			return append(buf, int16(v.actions-1))
		}
		cells |= 1 << (m.To & 63)
	}
	for ; cells != 0; cells &= cells - 1 {
		buf = append(buf, int16(bits.TrailingZeros64(cells)))
	}
	return buf
}
