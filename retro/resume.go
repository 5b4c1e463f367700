package retro

import (
	"fmt"

	"backsolve/bitslice"
	"backsolve/tablebase"
)

// resume takes up after the classes that are sealed already.
func (e *engine) resume(w *tablebase.Writer) error {
	sealed := w.Sealed()
	for i, s := range sealed {
		if want := e.cut.Class(e.cut.MaskBits - i); s.Class != want.Class || s.Blocks != len(want.Masks) {
			return fmt.Errorf("the unfinished solve holds class %d with %d blocks where class %d with %d is due; use --force to start over",
				s.Class, s.Blocks, want.Class, len(want.Masks))
		}
		e.before += e.cut.Class(s.Class).States()
	}
	if len(sealed) == 0 || len(sealed) > e.cut.MaskBits {
		return nil
	}
	planes, err := w.Load(len(sealed) - 1)
	if err != nil {
		return err
	}
	class := e.cut.Class(sealed[len(sealed)-1].Class)
	e.above = &level{class: class, words: class.Words(), ledger: e.ledger}
	if e.above.win, err = e.adopt(planes.Win); err != nil {
		return err
	}
	if e.above.lose, err = e.adoptLose(planes); err != nil {
		return err
	}
	for _, digit := range planes.Steps {
		plane, err := e.adopt(digit)
		if err != nil {
			return err
		}
		e.above.digits = append(e.above.digits, plane)
	}
	return nil
}

// adoptLose is adopt for the lost states, where the engine keeps a plane of them.
// A table of a space without draws does not.
func (e *engine) adoptLose(p tablebase.Planes) ([]uint64, error) {
	switch {
	case e.cut.FixedSlice:
		return nil, nil
	case p.Lose != nil:
		return e.adopt(p.Lose)
	}
	lose, err := e.ledger.Plane(len(p.Win))
	if err != nil {
		return nil, err
	}
	valid := bitslice.Valid(e.above.class.IndexBits)
	for i, won := range p.Win {
		lose[i] = valid &^ won
	}
	return lose, nil
}

// adopt copies a plane into memory of the ledger's.
func (e *engine) adopt(loaded []uint64) ([]uint64, error) {
	plane, err := e.ledger.Plane(len(loaded))
	if err == nil {
		copy(plane, loaded)
	}
	return plane, err
}
