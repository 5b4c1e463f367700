package outofcore

import (
	"errors"
	"fmt"

	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Opening is the table of the emptiest classes. Classes Classes−1 to 0 are sealed into it as
// they are solved.
type Opening struct {
	Writer  *writer.Writer
	Classes int
}

// ErrGone means that a class that is missing in the opening table was solved before, and its
// slices are gone.
var ErrGone = errors.New("solved without the opening table")

// next returns the class to be sealed next, −1 after the last.
func (o *Opening) next() int { return o.Classes - 1 - len(o.Writer.Sealed()) }

func (o *Opening) check() error {
	for i, c := range o.Writer.Sealed() {
		if c.Class != o.Classes-1-i {
			return fmt.Errorf("%w: the opening table has class %d, not %d", ErrGone, c.Class, o.Classes-1-i)
		}
	}
	return nil
}

// seal seals a class into the table, unless it is there. slices returns the slice of a block,
// valid until the next call. Its error wraps ErrGone where the slices are gone.
func (o *Opening) seal(c ClassCounts, masks []uint64, slices func(block int) ([]uint64, error)) error {
	if err := o.check(); err != nil {
		return err
	}
	switch next := o.next(); {
	case next < c.Class:
		return nil // before the interruption
	case next > c.Class:
		return fmt.Errorf("%w: of the opening table class %d is missing, and its slices are gone", ErrGone, next)
	}
	err := o.Writer.SealSlices(tablebase.Class{Class: c.Class, IndexBits: c.IndexBits, Masks: masks}, c.Counts, slices)
	if err != nil {
		return err
	}
	return o.Writer.Flush()
}

func (o *Opening) has(class int) bool { return o != nil && class < o.Classes }
