package probe

import (
	"fmt"
	"math/bits"

	"backsolve/partition"
	"backsolve/tablebase"
)

func (s *States) checkShape() error {
	shape, want, all := s.stored.Shape(), Shape(s.space, s.steps), s.space.MaskBits+1
	switch {
	case shape.Game != want.Game || shape.Size != want.Size:
		return s.otherBoard(fmt.Sprintf("it holds %v, not %s", shape, s.Board()), "give it back its name")
	case shape.Planes != want.Planes:
		return s.stored.Damaged("it has %d planes of outcomes, not %d", shape.Planes, want.Planes)
	case !shape.Opening && s.classes != all:
		return s.stored.Damaged("it has %d classes, not %d", s.classes, all)
	case shape.Opening && (s.classes >= all || shape.Steps || shape.Planes != 1):
		return s.stored.Damaged("it is not an opening table of %s: %d of %d classes, %v", s.Board(), s.classes, all, shape)
	}
	blocks := partition.BlockCounts(s.space)
	for _, c := range s.stored.Classes() {
		if c.Class >= len(blocks) || int64(c.Blocks) != blocks[c.Class] || c.IndexBits != s.space.IndexBits[c.Class] {
			return s.stored.Damaged("class %d has %d blocks of 2^%d states, which does not fit %s", c.Class, c.Blocks, c.IndexBits, s.Board())
		}
		if err := s.checkCounts(c); err != nil {
			return err
		}
	}
	return nil
}

// checkCounts compares counts with each other and the partition; survey.Verify, with the states.
func (s *States) checkCounts(c tablebase.ClassInfo) error {
	shape := s.stored.Shape()
	if err := c.Counts.Check(shape, c.IndexBits, c.Blocks); err != nil {
		return s.stored.Damaged("class %d: %v", c.Class, err)
	}
	if masks := s.space.Masks(c.Class); c.Counts.Masks() != masks {
		return s.stored.Damaged("class %d counts %d masks, but has %d", c.Class, c.Counts.Masks(), masks)
	}
	if !shape.Steps && !shape.Nimbers {
		return nil
	}
	last := len(c.Counts.BySteps) - 1
	if digits := bits.Len(uint(max(last, 0))); c.Digits != digits {
		return s.stored.Damaged("class %d has %d digits for numbers up to %d, not %d", c.Class, c.Digits, max(last, 0), digits)
	}
	if last >= 0 && c.Counts.BySteps[last] == (tablebase.StepCounts{}) {
		return s.stored.Damaged("class %d counts numbers up to %d, but no state with that", c.Class, last)
	}
	return nil
}
