package probe

import (
	"cmp"
	"fmt"

	"backsolve/game"
)

// Value is what a position is worth to the player to move.
type Value struct {
	Outcome game.Outcome
	// Steps is the number of plies to the end under best play, −1 for a draw
	// and where the table has none.
	Steps int
}

// Compare orders values from the best to the worst for the player who has
// them: wins, the fewest steps first, then draws, then losses, the most steps
// first. It is negative where v is better than w.
func (v Value) Compare(w Value) int { return cmp.Compare(v.place(), w.place()) }

// place is the greater the worse the value is; equal values have the same one.
func (v Value) place() int {
	const drawn, lost = 1 << 20, 1 << 22 // steps have at most 16 bits
	switch v.Outcome {
	case game.Win:
		return v.Steps
	case game.Draw:
		return drawn + v.Steps
	default:
		return lost - v.Steps
	}
}

// String returns the value in words: win in 21, draw, lose.
func (v Value) String() string {
	if v.Steps < 0 {
		return v.Outcome.String()
	}
	return fmt.Sprintf("%v in %d", v.Outcome, v.Steps)
}

// Before returns the value, one ply earlier and for the other player, of a move
// to a position of value v.
func (v Value) Before() Value {
	if v.Steps >= 0 {
		v.Steps++
	}
	v.Outcome = v.Outcome.Flip()
	return v
}
