package survey

import (
	"context"
	"fmt"

	"backsolve/internal/bitslice"
	"backsolve/tablebase"
)

// recount reads all classes, checksums checked, and takes their counts again. It compares them
// once all could be read. It derives steps that an archive leaves out unless there is a sample.
// Damage ends it; a scan of the checksums alone lists all.
func (g grid) recount(ctx context.Context, v *verification) error {
	err := g.recountClasses(ctx, v)
	if err == nil {
		err = g.table.Stored().VerifyEnds()
	}
	if err == nil {
		return nil
	}
	if damage := v.checksums(ctx); damage != nil {
		return damage
	}
	return err
}

func (g grid) recountClasses(ctx context.Context, v *verification) error {
	stored, total, done := g.table.Stored(), StoredStates(g.table), uint64(0)
	read := stored.Planes
	if v.sampled() {
		read = stored.StoredPlanes
		v.result.StoredOnly = stored.Shape().Archive
	}
	var counts []*classCount
	for i, c := range stored.Classes() {
		count := newClassCount(c, stored.Shape())
		err := eachRun(ctx, g.table, i, v.options.Threads, read, func(r *gridRun) (more bool, err error) {
			of := newClassCount(c, stored.Shape())
			if err := of.addRun(r); err != nil {
				return false, err
			}
			v.lock.Lock()
			defer v.lock.Unlock()
			count.merge(of)
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

type classCount struct {
	class                  tablebase.ClassInfo
	shape                  tablebase.Shape
	masks                  uint64   // of the whole game
	wins, losses           []uint64 // by the weight of the index; without draws, wins alone are counted
	stepsWins, stepsLosses []uint64 // by steps
}

func newClassCount(c tablebase.ClassInfo, shape tablebase.Shape) *classCount {
	return &classCount{
		class: c, shape: shape,
		wins: make([]uint64, c.IndexBits+1), losses: make([]uint64, c.IndexBits+1),
		stepsWins: make([]uint64, 1<<uint(c.Digits)), stepsLosses: make([]uint64, 1<<uint(c.Digits)),
	}
}

func (c *classCount) merge(o *classCount) {
	c.masks += o.masks
	for i, by := range o.all() {
		for k, n := range by {
			c.all()[i][k] += n
		}
	}
}

func (c *classCount) all() [4][]uint64 {
	return [...][]uint64{c.wins, c.losses, c.stepsWins, c.stepsLosses}
}

// addRun counts neighbouring blocks by steps at once if they stand for as many masks.
func (c *classCount) addRun(r *gridRun) error {
	first, before := 0, uint64(0)
	for b := range r.masks {
		masks, err := r.times(b)
		if err != nil {
			return err
		}
		c.masks += masks
		words := c.class.Words()
		bitslice.CountByWeight(c.wins, r.planes.Win[b*words:(b+1)*words], 0, masks)
		if r.planes.Lose != nil {
			bitslice.CountByWeight(c.losses, r.planes.Lose[b*words:(b+1)*words], 0, masks)
		}
		if masks != before {
			c.addNumbers(r, first, b, before)
			first, before = b, masks
		}
	}
	c.addNumbers(r, first, len(r.masks), before)
	return nil
}

// addNumbers counts the steps or nimbers of blocks that each stand for a number of masks.
func (c *classCount) addNumbers(r *gridRun, firstBlock, endBlock int, masks uint64) {
	if !c.shape.Numbered() || firstBlock == endBlock {
		return
	}
	first, end := firstBlock*c.class.Words(), endBlock*c.class.Words()
	numbers := make(bitslice.Numbers, len(r.planes.Steps))
	for d, plane := range r.planes.Steps {
		numbers[d] = plane[first:end]
	}
	win, lose := r.planes.Win[first:end], r.lostOf(first, end)
	numbers.CountNumbers(c.stepsWins, c.stepsLosses, win, lose, masks)
}

func (v *verification) compareCounts(c *classCount) {
	states := c.masks // by the weight of the index: masks times a binomial coefficient
	for weight, stored := range c.class.Counts.ByWeight {
		where := fmt.Sprintf("class %d, index weight %d", c.class.Class, weight)
		v.compareCount(where+", wins", stored.Wins, c.wins[weight])
		if c.shape.Planes == 1 {
			c.losses[weight] = states - c.wins[weight]
		}
		v.compareCount(where+", losses", stored.Losses, c.losses[weight])
		v.compareCount(where+", draws", stored.Draws, states-c.wins[weight]-c.losses[weight])
		states = states * uint64(c.class.IndexBits-weight) / uint64(weight+1)
	}
	number := "class %d, %d steps"
	switch {
	case c.shape.Nimbers:
		number = "class %d, nimber %d"
	case !c.shape.Steps:
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
