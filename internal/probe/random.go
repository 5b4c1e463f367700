package probe

import (
	"math/rand/v2"

	"backsolve/game"
)

// RandomPosition is uniform over all states with X to move, also terminal and unreachable ones.
func RandomPosition(rules game.Grid, r *rand.Rand) game.Position {
	var p game.Position
	cells := rules.Rows() * rules.Cols()
	if rules.Marks() == 1 {
		p.X = r.Uint64() >> uint(64-cells)
		return p
	}
	for cell := range cells {
		switch r.Uint64N(3) {
		case 1:
			p.X |= 1 << uint(cell)
		case 2:
			p.O |= 1 << uint(cell)
		}
	}
	return p
}

// RandomOpenPosition is RandomPosition among those that are not over.
func RandomOpenPosition(rules game.Grid, r *rand.Rand) game.Position {
	for {
		p := RandomPosition(rules, r)
		if _, over := rules.Terminal(p); !over {
			return p
		}
	}
}
