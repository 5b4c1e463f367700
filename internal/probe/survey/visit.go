package survey

import (
	"iter"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Visit is a state that a walk visits.
type Visit struct {
	// Stratum is the number of its stratum in Strata.
	Stratum int
	// Images is the number of states of the whole game that it represents: all symmetric
	// images, or 1 if states are drawn.
	Images uint64
	// Position is the state, X to move.
	Position game.Position
	probe.Value
	// Terminal says that the game is over; there are no moves then.
	Terminal bool
	// Moves are all legal moves, ordered by their text, with their values.
	Moves []probe.Ranked
}

// visitor visits one state after the other.
type visitor struct {
	table *probe.Table
	rules game.Grid
	value func(p game.Position) (probe.Value, error) // as stored
	moves []game.Move
	visit Visit
}

func newVisitor(t *probe.Table, value func(p game.Position) (probe.Value, error)) *visitor {
	return &visitor{table: t, rules: t.Rules(), value: value}
}

// run calls work with the states that each visits; each yields after every one.
func (v *visitor) run(work func(visits iter.Seq[*Visit]) error, each func(yield func() bool) error) error {
	var failed error
	err := work(func(yield func(*Visit) bool) {
		failed = each(func() bool { return yield(&v.visit) })
	})
	if failed != nil {
		return failed
	}
	return err
}

// goTo visits a position.
func (v *visitor) goTo(p game.Position) (err error) {
	visit := &v.visit
	visit.Position, visit.Moves = p, visit.Moves[:0]
	if visit.Value, err = v.value(p); err != nil {
		return err
	}
	var best probe.Value
	outcome, over := v.rules.Terminal(p)
	if visit.Terminal = over; over {
		best = v.table.TerminalValue(outcome)
	}
	v.moves = v.rules.Moves(v.moves[:0], p)
	for i, m := range v.moves {
		child := v.rules.Play(p, m)
		worth, err := v.value(child)
		if err != nil {
			return err
		}
		worth = worth.Before()
		visit.Moves = append(visit.Moves, probe.Ranked{Move: m, Value: worth, Position: child})
		if i == 0 || worth.Compare(best) < 0 {
			best = worth
		}
	}
	if best != visit.Value {
		return damaged(v.table, "%s is stored as %v, but the rules lead to %v", v.rules.Format(p), visit.Value, best)
	}
	return nil
}
