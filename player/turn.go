package player

import (
	"math/bits"

	"backsolve/game"
)

// Turn returns whose turn it is in a position: X is the player who begins with
// the empty board. Where every mark is an X, the number of marks tells, as each
// move adds one.
func Turn(rules game.Rules, p game.Position) game.Side {
	if rules.Marks() == 1 && bits.OnesCount64(p.X)%2 == 1 {
		return game.O
	}
	return p.ToMove
}

// Winner returns who has won a game that is over; ok is false where it is not
// over or nobody has.
func Winner(rules game.Rules, p game.Position) (winner game.Side, ok bool) {
	outcome, over := rules.Terminal(p)
	switch {
	case !over || outcome == game.Draw:
		return 0, false
	case outcome == game.Win:
		return Turn(rules, p), true
	}
	return Turn(rules, p).Other(), true
}
