package survey

import (
	"context"
	"errors"
	"iter"

	"backsolve/game"
	"backsolve/probe"
)

// Stored is a state as a table has it.
type Stored struct {
	// Position is the state, X to move.
	Position game.Position
	probe.Value
	// Images is the number of states of the whole game that are stored as this one.
	Images uint64
}

// errEnough ends a loop whose body wants no more.
var errEnough = errors.New("enough")

// All goes through every stored state once: the fullest class first, by block and by
// index. After an error, which is one of reading the table, nothing follows.
func All(t *probe.Table) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		err := Select(context.Background(), t, Selection{}, func(states []Selected) error {
			for i := range states {
				s := &states[i]
				if !yield(Stored{s.Position, s.Value, s.Images}, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(Stored{}, err)
		}
	}
}
