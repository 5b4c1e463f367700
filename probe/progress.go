package probe

import (
	"math/bits"

	"backsolve/game"
	"backsolve/partition"
)

// classOf returns what tells a move from others that are as good, as Rated.Class.
//
// Without steps no win is known to be nearer than another, and where play can go in
// circles, who plays any move that wins may never come to the end. But a cell that was
// marked is never blank again, so whoever marks one where that wins as well does so at
// most as often as there are cells.
func (t *Table) classOf(m Ranked) int {
	if t.Opening() {
		return t.class(m.Position)
	}
	if t.steps || t.space.Kind != partition.Cyclic || m.Outcome != game.Win {
		return 0
	}
	if _, over := t.rules.Terminal(m.Position); over {
		return 0
	}
	n := t.rules.Size()
	return 1 + n*n - bits.OnesCount64(m.Position.X|m.Position.O)
}
