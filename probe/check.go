package probe

import (
	"fmt"
	"math/bits"

	"backsolve/partition"
	"backsolve/tablebase"
)

// checkCounts refuses counts of a class that contradict each other or the cut. What
// they say of single states, survey.Verify compares with the data.
func (t *Table) checkCounts(c tablebase.ClassInfo) error {
	if err := c.Counts.Check(t.stored.Shape(), c.IndexBits, c.Blocks); err != nil {
		return t.damaged("class %d: %v", c.Class, err)
	}
	if masks := t.space.Masks(c.Class); c.Counts.Masks() != masks {
		return t.damaged("class %d counts %d masks, but has %d", c.Class, c.Counts.Masks(), masks)
	}
	if !t.HasSteps() && !t.stored.Shape().Nimbers {
		return nil
	}
	last := len(c.Counts.BySteps) - 1
	if digits := bits.Len(uint(max(last, 0))); c.Digits != digits {
		return t.damaged("class %d has %d digits for numbers up to %d, not %d", c.Class, c.Digits, max(last, 0), digits)
	}
	if last >= 0 && c.Counts.BySteps[last] == (tablebase.StepCounts{}) {
		return t.damaged("class %d counts numbers up to %d, but no state with that", c.Class, last)
	}
	return nil
}

// checkShape refuses a table that cannot be the one of this board.
func (t *Table) checkShape() error {
	shape, want := t.stored.Shape(), Shape(t.space, t.steps)
	if shape.Game != want.Game || shape.Size != want.Size {
		return t.otherBoard(fmt.Sprintf("it holds %v, not %s", shape, t.Board()),
			"give it back its name")
	}
	if shape.Planes != want.Planes {
		return t.damaged("it has %d planes of outcomes, not %d", shape.Planes, want.Planes)
	}
	blocks := partition.BlockCounts(t.space)
	var err error
	if t.classes, err = t.countClasses(); err != nil {
		return err
	}
	for _, c := range t.stored.Classes() {
		if c.Class >= len(blocks) || int64(c.Blocks) != blocks[c.Class] || c.IndexBits != t.space.IndexBits[c.Class] {
			return t.damaged("class %d has %d blocks of 2^%d states, which is not the cut of %s",
				c.Class, c.Blocks, c.IndexBits, t.Board())
		}
		if err := t.checkCounts(c); err != nil {
			return err
		}
	}
	return nil
}
