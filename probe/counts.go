package probe

import (
	"math/bits"

	"backsolve/tablebase"
)

// checkCounts refuses counts of a class that contradict each other or the cut. What
// they say of single states, Verify compares with the data.
func (t *Table) checkCounts(c tablebase.ClassInfo) error {
	if err := c.Counts.Check(t.stored.Shape(), c.IndexBits, c.Blocks); err != nil {
		return t.damaged("class %d: %v", c.Class, err)
	}
	if masks := t.space.Masks(c.Class); c.Counts.Masks() != masks {
		return t.damaged("class %d counts %d masks, but has %d", c.Class, c.Counts.Masks(), masks)
	}
	if !t.HasSteps() {
		return nil
	}
	last := len(c.Counts.BySteps) - 1
	if digits := bits.Len(uint(max(last, 0))); c.Digits != digits {
		return t.damaged("class %d has %d digits for up to %d steps, not %d", c.Class, c.Digits, max(last, 0), digits)
	}
	if last >= 0 && c.Counts.BySteps[last] == (tablebase.StepTally{}) {
		return t.damaged("class %d counts up to %d steps, but no state of so many", c.Class, last)
	}
	return nil
}
