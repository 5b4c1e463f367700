package survey

import (
	"context"
	"fmt"

	"backsolve/bitslice"
	"backsolve/tablebase"
)

// recount reads all classes, checksums checked, and takes their counts again. It compares them
// once all could be read. It derives steps that an archive leaves out unless there is a sample.
func (v *verification) recount(ctx context.Context) error {
	stored, total, done := v.table.Stored(), StoredStates(v.table), uint64(0)
	read := stored.Planes
	if v.sampled() {
		read = stored.StoredPlanes
		v.result.StoredOnly = stored.Shape().Archive
	}
	var counts []*classCount
	for i, c := range stored.Classes() {
		count := newClassCount(c, stored.Shape().Numbered())
		err := eachRun(ctx, v.table, i, v.options.Threads, read, func(r *run) (more bool, err error) {
			v.lock.Lock()
			defer v.lock.Unlock()
			for b, mask := range r.masks {
				times, err := images(v.table, c.Class, mask)
				if err != nil {
					return false, err
				}
				count.add(r, b, times)
			}
			done += uint64(len(r.masks)) << uint(c.IndexBits)
			v.notify(Recount, done, total)
			return true, nil
		})
		if err != nil {
			return err
		}
		counts = append(counts, count)
	}
	for _, c := range counts {
		v.compareCounts(c)
	}
	return nil
}

// classCount has the counts of a class, taken again.
type classCount struct {
	class                  tablebase.ClassInfo
	masks                  uint64   // of the whole game
	wins, losses           []uint64 // by the weight of the index
	stepsWins, stepsLosses []uint64 // by steps
	lost                   []uint64 // scratch: a block's lost states
	numbered               bool     // there are steps or nimbers
}

func newClassCount(c tablebase.ClassInfo, numbered bool) *classCount {
	return &classCount{
		class: c, numbered: numbered,
		wins: make([]uint64, c.IndexBits+1), losses: make([]uint64, c.IndexBits+1),
		stepsWins: make([]uint64, 1<<uint(c.Digits)), stepsLosses: make([]uint64, 1<<uint(c.Digits)),
		lost: make([]uint64, c.Words()),
	}
}

// add counts the b-th block of a run, which represents a number of masks.
func (c *classCount) add(r *run, b int, masks uint64) {
	first, end := b*len(c.lost), (b+1)*len(c.lost)
	for w := range c.lost {
		c.lost[w] = r.lost(first + w)
	}
	c.masks += masks
	bitslice.CountByWeight(c.wins, r.planes.Win[first:end], 0, masks)
	bitslice.CountByWeight(c.losses, c.lost, 0, masks)
	if !c.numbered {
		return
	}
	steps := make(bitslice.Numbers, len(r.planes.Steps))
	for d, plane := range r.planes.Steps {
		steps[d] = plane[first:end]
	}
	steps.CountNumbers(c.stepsWins, r.planes.Win[first:end], masks)
	steps.CountNumbers(c.stepsLosses, c.lost, masks)
}

// compareCounts compares the stored counts of a class.
func (v *verification) compareCounts(c *classCount) {
	states := c.masks // by the weight of the index: masks times a binomial coefficient
	for weight, stored := range c.class.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.class.Class, weight)
		v.compareCount(where+", wins", stored.Wins, c.wins[weight])
		v.compareCount(where+", losses", stored.Losses, c.losses[weight])
		v.compareCount(where+", draws", stored.Draws, states-c.wins[weight]-c.losses[weight])
		states = states * uint64(c.class.IndexBits-weight) / uint64(weight+1)
	}
	number := "class %d, %d steps"
	switch {
	case storesNimbers(v.table):
		number = "class %d, nimber %d"
	case !v.table.HasSteps():
		return
	}
	for steps := range c.stepsWins {
		var stored tablebase.StepCounts
		if steps < len(c.class.Counts.BySteps) {
			stored = c.class.Counts.BySteps[steps]
		}
		where := fmt.Sprintf(number, c.class.Class, steps)
		if !v.result.StoredOnly {
			v.compareCount(where+", wins", stored.Wins, c.stepsWins[steps])
		}
		v.compareCount(where+", losses", stored.Losses, c.stepsLosses[steps])
	}
}
