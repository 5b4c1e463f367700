package work

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/internal/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// StateCounts counts states of one class by the weight of their index and by steps or
// nimbers. Each state counts once for each of its images in the whole game. Sums do not
// depend on the order of addition.
type StateCounts struct {
	Wins, Losses, TerminalWins, TerminalLosses []uint64 // by weight
	StepsWins, StepsLosses                     []uint64 // by steps
}

// all returns all counts, those by steps last.
func (t *StateCounts) all() [6]*[]uint64 {
	return [...]*[]uint64{&t.Wins, &t.Losses, &t.TerminalWins, &t.TerminalLosses, &t.StepsWins, &t.StepsLosses}
}

// Reset clears the counts, for a class with that many index bits and binary digits of steps.
func (t *StateCounts) Reset(indexBits, digits int) {
	for i, by := range t.all() {
		n := indexBits + 1
		if i >= 4 {
			n = 1 << uint(digits)
		}
		*by = slices.Grow((*by)[:0], n)[:n]
		clear(*by)
	}
}

// Add adds other counts of the same class.
func (t *StateCounts) Add(o *StateCounts) {
	others := o.all()
	for i, by := range t.all() {
		*by = append(*by, make([]uint64, max(len(*others[i])-len(*by), 0))...)
		for k, v := range *others[i] {
			(*by)[k] += v
		}
	}
}

// Equal reports whether the counts are equal. Zeros at the end do not matter.
func (t *StateCounts) Equal(o *StateCounts) bool {
	others := o.all()
	for i, by := range t.all() {
		a, b := *by, *others[i]
		if !slices.Equal(a[:lastCounted(a)+1], b[:lastCounted(b)+1]) {
			return false
		}
	}
	return true
}

// Trim cuts the counts by steps to the greatest number counted, so that equal sums are encoded alike.
func (t *StateCounts) Trim() {
	n := max(lastCounted(t.StepsWins), lastCounted(t.StepsLosses)) + 1
	for _, by := range []*[]uint64{&t.StepsWins, &t.StepsLosses} {
		*by = append(*by, make([]uint64, max(n-len(*by), 0))...)[:n]
	}
}

// TableCounts returns the counts as a table stores them. Of each weight, a class has a
// binomial coefficient of states for every mask. Where losses are not counted, a state that
// is not won is lost. Wrong counts overflow here, and CheckCounts refuses them. It trims t.
func (t *StateCounts) TableCounts(class *partition.Class, losses, numbers bool) tablebase.Counts {
	var masks uint64
	for _, images := range class.Images {
		masks += uint64(images)
	}
	var c tablebase.Counts
	states := masks
	for w := range class.IndexBits + 1 {
		n := tablebase.OutcomeCounts{
			Wins: t.Wins[w], Losses: t.Losses[w],
			TerminalWins: t.TerminalWins[w], TerminalLosses: t.TerminalLosses[w],
		}
		if losses {
			n.Draws = states - n.Wins - n.Losses
		} else {
			n.Losses = states - n.Wins
		}
		c.ByWeight = append(c.ByWeight, n)
		states = states * uint64(class.IndexBits-w) / uint64(w+1)
	}
	if !numbers {
		return c
	}
	t.Trim()
	for s, wins := range t.StepsWins {
		c.BySteps = append(c.BySteps, tablebase.StepCounts{Wins: wins, Losses: t.StepsLosses[s]})
	}
	return c
}

// lastCounted returns the greatest number that is counted, or −1.
func lastCounted(counts []uint64) int {
	last := len(counts) - 1
	for last >= 0 && counts[last] == 0 {
		last--
	}
	return last
}

// CheckCounts returns an error if a class cannot have these counts. The shape has the kind of numbers.
func CheckCounts(f *partition.Facts, class *partition.Class, counts tablebase.Counts, numbers tablebase.Shape) error {
	numbers.Planes = f.Planes()
	err := counts.Check(numbers, class.IndexBits, len(class.Masks))
	if want := f.Masks(class.Class); err == nil && counts.Masks() != want {
		err = fmt.Errorf("the blocks stand for %d masks, not for %d", counts.Masks(), want)
	}
	if err != nil {
		return fmt.Errorf("the counts of class %d are inconsistent: %w: this is a bug; please report it", class.Class, err)
	}
	return nil
}

// ErrUnusable means that an unfinished table cannot be one of this board.
var ErrUnusable = errors.New("the unfinished solve is unusable")

// CheckWhole returns an error that wraps ErrUnusable if the classes of a space cannot have these counts.
func CheckWhole(space *partition.Space, classes []tablebase.Counts) error {
	var states uint64
	for _, c := range classes {
		for _, t := range c.ByWeight {
			n, _ := t.States()
			states += n
		}
	}
	if want := space.States(); states != want || len(classes) != space.MaskBits+1 {
		return fmt.Errorf("%w: its %d classes count %d states, and %s has %d in %d", ErrUnusable,
			len(classes), states, space.Board(), want, space.MaskBits+1)
	}
	return nil
}

// Count adds a unit's outcomes to the worker's counts. lose is nil for fixed slices.
func (w *Worker) Count(u Units, unit int, images uint32, win, lose []uint64, ends Terminals) {
	t, factor := &w.Counts, uint64(images)
	first := uint32(unit%u.PerBlock) * uint32(u.Words)
	bitslice.CountByWeight(t.Wins, win, first, factor)
	bitslice.CountByWeight(t.Losses, lose, first, factor)
	bitslice.CountByWeight(t.TerminalWins, ends.Won, first, factor)
	bitslice.CountByWeight(t.TerminalLosses, ends.Lost, first, factor)
}

// CountSteps adds the steps or nimbers of a block to the worker's counts. lose is nil for fixed slices.
func (w *Worker) CountSteps(u Units, images uint32, win, lose []uint64, steps bitslice.Numbers) {
	if lose == nil {
		lose = w.DirtyBuffer(scratchBuffer, len(win))
		for i, x := range win {
			lose[i] = ^x & bitslice.Valid(u.K)
		}
	}
	steps.CountNumbers(w.Counts.StepsWins, w.Counts.StepsLosses, win, lose, uint64(images))
}

// DigitsFor returns the number of binary digits of most.
func DigitsFor(most int) int { return bits.Len(uint(most)) }

// MostDigits returns the number of binary digits of the greatest steps counted.
func (t *StateCounts) MostDigits() int {
	return DigitsFor(max(lastCounted(t.StepsWins), lastCounted(t.StepsLosses), 0))
}
