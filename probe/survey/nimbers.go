package survey

import (
	"fmt"
	"math/bits"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// storesNimbers reports whether the states of a table have nimbers.
func storesNimbers(t *probe.Table) bool { return t.Stored().Shape().Nimbers }

// valueOf returns what stands of a state, as a deriver takes it.
func valueOf(e tablebase.Entry, nimbers bool) probe.Value {
	if nimbers {
		return probe.Value{Outcome: e.Outcome, Steps: max(e.Nimber, 0)}
	}
	return probe.Value{Outcome: e.Outcome, Steps: e.Steps}
}

// deriveNimber is derive in a table with nimbers. The outcome is derived by the rules of
// the game and the nimber as the least that no allowed move leads to, either without the
// other: that the nimber is 0 just where the state is lost comes out of it.
func (d *deriver) deriveNimber(p game.Position) (v probe.Value, over bool, err error) {
	if outcome, over := d.rules.Terminal(p); over {
		return probe.Value{Outcome: outcome}, true, nil
	}
	v.Outcome = game.Lose
	var reached uint64
	d.moves = d.rules.Moves(d.moves[:0], p)
	for _, m := range d.moves {
		after := d.rules.Play(p, m)
		child, err := d.value(after)
		if err != nil {
			return probe.Value{}, false, err
		}
		if child.Outcome == game.Lose {
			v.Outcome = game.Win
		}
		if _, ends := d.rules.Terminal(after); !ends {
			reached |= 1 << uint(child.Steps)
		}
	}
	v.Steps = bits.TrailingZeros64(^reached)
	return v, false, nil
}

// differValues takes note of a state whose value is stored otherwise than it was derived.
func (v *verification) differValues(where string, stored, derived probe.Value) {
	if !storesNimbers(v.table) {
		v.differ(where, stored, derived)
		return
	}
	text := func(v probe.Value) string {
		if v.Outcome == game.Win && v.Steps == 0 {
			return fmt.Sprintf("%v without a nimber", v.Outcome)
		}
		return fmt.Sprintf("%v with the nimber %d", v.Outcome, v.Steps)
	}
	v.differ(where, text(stored), text(derived))
}

// NimberStats counts the states with a nimber.
type NimberStats struct {
	Nimber int    `json:"nimber"`
	States uint64 `json:"states"`
}

// addNimbers adds the counts of a class with nimbers. The terminal states, which have
// none, stand with the wins of 0.
func (s *Stats) addNimbers(class *ClassStats, bySteps []tablebase.StepCounts) {
	for nimber, tally := range bySteps {
		states := tally.Wins
		if nimber == 0 {
			states = tally.Losses
		}
		class.Nimbers = append(class.Nimbers, NimberStats{nimber, states})
		if nimber == len(s.Nimbers) {
			s.Nimbers = append(s.Nimbers, NimberStats{Nimber: nimber})
		}
		s.Nimbers[nimber].States += states
	}
}
