package survey

import (
	"errors"
	"math/bits"

	"backsolve/game"
	"backsolve/internal/probe"
	"backsolve/tablebase"
)

func storesNimbers(t *probe.Table) bool { return t.Stored().Shape().Nimbers }

func valueOf(e tablebase.Entry, nimbers bool) probe.Value {
	if nimbers {
		return probe.Value{Outcome: e.Outcome, Steps: max(e.Nimber, 0)}
	}
	return probe.Value{Outcome: e.Outcome, Steps: e.Steps}
}

// deriver derives the values of positions from those after them. It is not safe for concurrent use. If the table has
// nimbers, they take the place of steps in values, and are 0 for terminal states, which have none.
type deriver struct {
	table   *probe.Table
	rules   game.Grid
	nimbers bool
	value   func(p game.Position) (probe.Value, error) // as stored
	moves   []game.Move
}

func newDeriver(t *probe.Table, value func(p game.Position) (probe.Value, error)) *deriver {
	return &deriver{table: t, rules: t.Rules(), nimbers: storesNimbers(t), value: value}
}

// derive fails with probe.ErrOutOfTable if a move leaves an opening table and no other one wins.
func (d *deriver) derive(p game.Position) (v probe.Value, over bool, err error) {
	if d.nimbers {
		return d.deriveNimber(p)
	}
	if outcome, over := d.rules.Terminal(p); over {
		return probe.TerminalValue(outcome, d.table.HasSteps()), true, nil
	}
	d.moves = d.rules.Moves(d.moves[:0], p)
	known := 0
	var outOfTable error
	for _, m := range d.moves {
		child, err := d.value(d.rules.Play(p, m))
		if errors.Is(err, probe.ErrOutOfTable) {
			outOfTable = err
			continue
		}
		if err != nil {
			return probe.Value{}, false, err
		}
		if w := child.Before(); known == 0 || w.Compare(v) < 0 {
			v = w
		}
		known++
		if v == (probe.Value{Outcome: game.Win, Steps: -1}) {
			return v, false, nil // nothing is better without steps
		}
	}
	return v, false, outOfTable
}

// deriveNimber is derive in a table with nimbers. It derives outcome and nimber, the least that no allowed move leads
// to, independently, and so verifies that the nimber is 0 exactly if the state is lost.
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
		if _, over := d.rules.Terminal(after); !over {
			reached |= 1 << uint(child.Steps)
		}
	}
	v.Steps = bits.TrailingZeros64(^reached)
	return v, false, nil
}
