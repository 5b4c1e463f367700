package probe

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"

	"backsolve/bitslice"
	"backsolve/tablebase"
)

// recount takes the counts of all classes from the data again.
func (v *verifier) recount(ctx context.Context) error {
	var total, done uint64
	classes := v.stored.Classes()
	for _, c := range classes {
		total += storedStates(c)
	}
	for i, c := range classes {
		masks, err := v.stored.Masks(i)
		if err != nil {
			return err
		}
		count := newClassCount(c)
		var wrong error
		err = v.eachRun(ctx, i, func(first int, planes *tablebase.Planes) bool {
			blocks := len(planes.Win) / c.Words()
			for b := range blocks {
				var times uint64
				if times, wrong = v.images(c.Class, masks[first+b]); wrong != nil {
					return false
				}
				count.add(planes, b, times)
			}
			done += uint64(blocks) << uint(c.IndexBits)
			v.tell(Recount, done, total)
			return true
		})
		if err = cmp.Or(err, wrong); err != nil {
			return err
		}
		v.compareCounts(count)
	}
	return nil
}

// storedStates returns the number of states that a class stores.
func storedStates(c tablebase.ClassInfo) uint64 { return uint64(c.Blocks) << uint(c.IndexBits) }

// images returns how many masks share the block of a mask: by the orbit-stabilizer
// theorem, the order of the group over the number of elements that keep the mask. A
// mask that is no block's of its class is damage; where none is, the ascending masks
// are all that there are, for their number is checked.
func (t *Table) images(class int, mask uint64) (uint64, error) {
	group, keep := t.space.Symmetries, 0
	if bits.Len64(mask) > t.space.MaskBits || bits.OnesCount64(mask) != class {
		return 0, t.damaged("class %d has a block of the mask %#x, which is not one of %d marked cells", class, mask, class)
	}
	for g := range group.Len() {
		switch image := group.Image(g, mask); {
		case image < mask:
			return 0, t.damaged("class %d has a block of the mask %#x, whose least image is another", class, mask)
		case image == mask:
			keep++
		}
	}
	return uint64(group.Len() / keep), nil
}

// classCount is the counts of a class, taken again.
type classCount struct {
	tablebase.ClassInfo
	masks                  uint64   // of the whole game that the blocks stand for
	wins, losses           []uint64 // by the weight of the index
	stepsWins, stepsLosses []uint64 // by steps
	lost                   []uint64 // scratch: a block's lost states
}

func newClassCount(c tablebase.ClassInfo) *classCount {
	return &classCount{
		ClassInfo: c,
		wins:      make([]uint64, c.IndexBits+1), losses: make([]uint64, c.IndexBits+1),
		stepsWins: make([]uint64, 1<<uint(c.Digits)), stepsLosses: make([]uint64, 1<<uint(c.Digits)),
		lost: make([]uint64, c.Words()),
	}
}

// add counts the b-th block of a run, which stands for so many masks.
func (c *classCount) add(planes *tablebase.Planes, b int, masks uint64) {
	first, end := b*c.Words(), (b+1)*c.Words()
	for w := range c.lost {
		c.lost[w] = lost(planes, first+w, c.IndexBits)
	}
	steps := make(bitslice.Numbers, len(planes.Steps))
	for d, plane := range planes.Steps {
		steps[d] = plane[first:end]
	}
	c.masks += masks
	bitslice.CountByWeight(c.wins, planes.Win[first:end], 0, masks)
	bitslice.CountByWeight(c.losses, c.lost, 0, masks)
	steps.CountNumbers(c.stepsWins, planes.Win[first:end], masks)
	steps.CountNumbers(c.stepsLosses, c.lost, masks)
}

// compareCounts reports where the stored counts of a class are others.
func (v *verifier) compareCounts(c *classCount) {
	states := c.masks // by the weight of the index: masks times a binomial coefficient
	for weight, stored := range c.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.Class, weight)
		v.compareCount(where+", wins", stored.Wins, c.wins[weight])
		v.compareCount(where+", losses", stored.Losses, c.losses[weight])
		v.compareCount(where+", draws", stored.Draws, states-c.wins[weight]-c.losses[weight])
		states = states * uint64(c.IndexBits-weight) / uint64(weight+1)
	}
	if !v.HasSteps() {
		return
	}
	for steps := range c.stepsWins {
		var stored tablebase.StepTally
		if steps < len(c.Counts.BySteps) {
			stored = c.Counts.BySteps[steps]
		}
		where := fmt.Sprintf("class %d, %d steps", c.Class, steps)
		v.compareCount(where+", wins", stored.Wins, c.stepsWins[steps])
		v.compareCount(where+", losses", stored.Losses, c.stepsLosses[steps])
	}
}

func (v *verifier) compareCount(where string, stored, counted uint64) {
	if stored != counted {
		v.differ(where, stored, counted)
	}
}
