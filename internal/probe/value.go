package probe

import (
	"cmp"
	"fmt"

	"backsolve/game"
)

// Value is the game-theoretic value of a position for the player to move.
type Value struct {
	Outcome game.Outcome
	// Steps is the plies to the end under best play, −1 for a draw and if unknown.
	Steps int
}

// Compare orders values from the best to the worst: wins with the fewest steps first, then
// draws, then losses with the most steps. It is negative if v is better than w.
func (v Value) Compare(w Value) int { return cmp.Compare(v.rank(), w.rank()) }

func (v Value) rank() int {
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

// Before returns the value of a move to a position of value v, for the player who makes it.
func (v Value) Before() Value {
	if v.Steps >= 0 {
		v.Steps++
	}
	v.Outcome = v.Outcome.Flip()
	return v
}

// complete reports whether no steps are missing.
func (v Value) complete() bool { return v.Steps >= 0 || v.Outcome == game.Draw }

// TerminalValue returns the value of a position that is over; steps says that values have steps.
func TerminalValue(outcome game.Outcome, steps bool) Value {
	if !steps || outcome == game.Draw {
		return Value{outcome, -1}
	}
	return Value{outcome, 0}
}
