package outofcore

import (
	"errors"
	"fmt"

	"backsolve/tablebase"
	"backsolve/tablebase/writer"
)

// Opening is the table of the emptiest classes: Classes−1 to 0 are sealed as they are solved.
type Opening struct {
	Writer  *writer.Writer
	Classes int
}

// ErrGone means that a class missing in the opening table was solved before, and its slices are gone.
var ErrGone = errors.New("solved without the opening table")

// seal seals a class into the table, unless it is there. slices returns the slice of a block,
// valid until the next call. Its error wraps ErrGone where the slices are gone.
func (o *Opening) seal(c ClassCounts, masks []uint64, slices func(block int) ([]uint64, error)) error {
	next := o.Classes - 1
	for _, sealed := range o.Writer.Sealed() {
		if sealed.Class != next {
			return fmt.Errorf("%w: the opening table has class %d, not %d", ErrGone, sealed.Class, next)
		}
		next--
	}
	switch {
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
