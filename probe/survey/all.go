package survey

import (
	"errors"
	"iter"
	"runtime"

	"backsolve/game"
	"backsolve/probe"
	"backsolve/tablebase"
)

// Stored is a state as a table has it.
type Stored struct {
	// Position is the state, X to move.
	Position game.Position
	probe.Value
	// Images is the number of states of the whole game that are stored as this one.
	Images uint64
}

// maxHeldByAll is the most bytes that a class takes in memory while All goes through
// it; the states of others are looked up in the file.
const maxHeldByAll = 1 << 26

// errEnough ends a loop whose body wants no more.
var errEnough = errors.New("enough")

// All goes through every stored state once: the fullest class first, by block and by
// index. After an error, which is one of reading the table, nothing follows.
func All(t *probe.Table) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		s := newStates(t, runtime.GOMAXPROCS(0), maxHeldByAll, nil)
		err := s.eachClass(func(c tablebase.ClassInfo) error {
			images := s.cut.Class(c.Class).Images
			for i := range storedStates(c) {
				block, index := int(i>>uint(c.IndexBits)), uint32(i&(1<<uint(c.IndexBits)-1))
				v, err := s.valueAt(c.Class, block, index)
				if err != nil {
					return err
				}
				if !yield(Stored{s.position(c.Class, block, index), v, uint64(images[block])}, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && err != errEnough {
			yield(Stored{}, err)
		}
	}
}
