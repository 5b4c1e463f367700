package retro

import (
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// tally sums up states of one class by the weight of their index and by steps,
// each counted as often as it has images in the whole game. Sums of tallies do
// not depend on who counted what.
type tally struct {
	wins, losses, terminalWins, terminalLosses []uint64 // by weight
	stepsWins, stepsLosses                     []uint64 // by steps
}

func (t *tally) reset(indexBits, digits int) {
	for _, by := range []*[]uint64{&t.wins, &t.losses, &t.terminalWins, &t.terminalLosses} {
		*by = zeroed(*by, indexBits+1)
	}
	for _, by := range []*[]uint64{&t.stepsWins, &t.stepsLosses} {
		*by = zeroed(*by, 1<<uint(digits))
	}
}

func zeroed(s []uint64, n int) []uint64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

func (t *tally) add(o *tally) {
	sum := func(a, b []uint64) {
		for i, v := range b {
			a[i] += v
		}
	}
	sum(t.wins, o.wins)
	sum(t.losses, o.losses)
	sum(t.terminalWins, o.terminalWins)
	sum(t.terminalLosses, o.terminalLosses)
	sum(t.stepsWins, o.stepsWins)
	sum(t.stepsLosses, o.stepsLosses)
}

// counts returns the sums as a table keeps them. The class has so many masks,
// symmetric ones counted, and so many times a binomial coefficient of states of
// each weight. Where the losses are not counted, all that is not won is lost.
// Sums that are wrong overflow; checkCounts finds them.
func (t *tally) counts(class *partition.Class, losses, steps bool) tablebase.Counts {
	var masks uint64
	for _, images := range class.Images {
		masks += uint64(images)
	}
	var c tablebase.Counts
	states := masks
	for w := range class.IndexBits + 1 {
		n := tablebase.Tally{
			Wins: t.wins[w], Losses: t.losses[w],
			TerminalWins: t.terminalWins[w], TerminalLosses: t.terminalLosses[w],
		}
		if losses {
			n.Draws = states - n.Wins - n.Losses
		} else {
			n.Losses = states - n.Wins
		}
		c.ByWeight = append(c.ByWeight, n)
		states = states * uint64(class.IndexBits-w) / uint64(w+1)
	}
	if !steps {
		return c
	}
	for s := range max(lastCounted(t.stepsWins), lastCounted(t.stepsLosses)) + 1 {
		c.BySteps = append(c.BySteps, tablebase.StepTally{Wins: t.stepsWins[s], Losses: t.stepsLosses[s]})
	}
	return c
}

// lastCounted returns the greatest number that is counted, −1 where none is.
func lastCounted(counts []uint64) int {
	last := len(counts) - 1
	for last >= 0 && counts[last] == 0 {
		last--
	}
	return last
}

// checkCounts says why a class cannot have these counts.
func checkCounts(f *partition.Facts, class *partition.Class, counts tablebase.Counts, steps bool) error {
	shape := tablebase.Shape{Planes: 1, Steps: steps}
	if f.Draws {
		shape.Planes = 2
	}
	err := counts.Check(shape, class.IndexBits, len(class.Masks))
	if want := f.Masks(class.Class); err == nil && counts.Masks() != want {
		err = fmt.Errorf("the blocks stand for %d masks, not for %d", counts.Masks(), want)
	}
	if err != nil {
		return fmt.Errorf("the counts of class %d cannot be: %w; this is a mistake in the program, please report it", class.Class, err)
	}
	return nil
}

// checkWhole says why the classes of a space cannot have these counts together.
func checkWhole(space partition.Space, classes []tablebase.Counts) error {
	var states uint64
	for _, c := range classes {
		for _, t := range c.ByWeight {
			n, _ := t.States()
			states += n
		}
	}
	if want := space.States(); states != want || len(classes) != space.MaskBits+1 {
		return fmt.Errorf("%d classes count %d states, and %s %d×%d has %d in %d; use --force to start over",
			len(classes), states, space.Game, space.Size, space.Size, want, space.MaskBits+1)
	}
	return nil
}

// count adds a unit's outcomes to the worker's tally. lose is nil in a game
// without draws.
func (w *worker) count(u units, unit int, images uint32, win, lose []uint64, ends terminals) {
	t, factor := &w.tally, uint64(images)
	first := uint32(unit%u.perBlock) * uint32(u.words)
	bitslice.CountByWeight(t.wins, win, first, factor)
	bitslice.CountByWeight(t.losses, lose, first, factor)
	bitslice.CountByWeight(t.terminalWins, ends.won, first, factor)
	bitslice.CountByWeight(t.terminalLosses, ends.lost, first, factor)
}

// countSteps adds a unit's steps to the worker's tally.
func (w *worker) countSteps(u units, images uint32, win, lose []uint64, steps bitslice.Numbers) {
	if lose == nil {
		lose = w.dirtyBuffer(countBuffer, len(win))
		valid := bitslice.Valid(u.k)
		for i, x := range win {
			lose[i] = ^x & valid
		}
	}
	steps.CountNumbers(w.tally.stepsWins, win, uint64(images))
	steps.CountNumbers(w.tally.stepsLosses, lose, uint64(images))
}

// digitsFor returns the binary digits that steps up to most take.
func digitsFor(most int) int { return bits.Len(uint(most)) }
