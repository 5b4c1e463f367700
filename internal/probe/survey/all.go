package survey

import (
	"context"
	"errors"
	"iter"

	"backsolve/game"
	"backsolve/internal/probe"
)

// Stored is a stored state.
type Stored struct {
	// Position is the state, X to move.
	Position game.Position
	probe.Value
	// Images is the number of states of the whole game that are stored as this one.
	Images uint64
}

// errStop ends a loop that its body left.
var errStop = errors.New("stop")

// All iterates over every stored state: the fullest class first, by block and by index. An
// error, of reading the table, ends it.
func All(t *probe.Table) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		err := Select(context.Background(), t, Selection{}, func(states []Selected) error {
			for i := range states {
				s := &states[i]
				if !yield(Stored{s.State.(game.Position), s.Value, s.Images}, nil) {
					return errStop
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStop) {
			yield(Stored{}, err)
		}
	}
}
