package survey

import (
	"errors"

	"backsolve/game"
	"backsolve/probe"
)

// deriver derives the values of positions from those of the positions after
// them, one at a time. Of a table with nimbers, values have these where else the steps
// stand, and 0 where a terminal state has none.
type deriver struct {
	table *probe.Table
	rules game.Grid
	value func(p game.Position) (probe.Value, error) // as stored
	moves []game.Move
}

func newDeriver(t *probe.Table, value func(p game.Position) (probe.Value, error)) *deriver {
	return &deriver{table: t, rules: t.Rules(), value: value}
}

// derive returns the value that a position has by the rules, and whether it is
// over. Where a move leads beyond an opening table and no other one wins, the error
// is a probe.ErrOutOfTable.
func (d *deriver) derive(p game.Position) (v probe.Value, over bool, err error) {
	if storesNimbers(d.table) {
		return d.deriveNimber(p)
	}
	if outcome, over := d.rules.Terminal(p); over {
		return d.table.TerminalValue(outcome), true, nil
	}
	d.moves = d.rules.Moves(d.moves[:0], p)
	known := 0
	var beyond error
	for _, m := range d.moves {
		child, err := d.value(d.rules.Play(p, m))
		if errors.Is(err, probe.ErrOutOfTable) {
			beyond = err
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
			return v, false, nil // nothing is better where there are no steps
		}
	}
	return v, false, beyond
}
