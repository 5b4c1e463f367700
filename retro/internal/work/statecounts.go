package work

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"backsolve/bitslice"
	"backsolve/partition"
	"backsolve/tablebase"
)

// StateCounts counts states of one class by the weight of their index and by steps. Each
// state counts once for each of its images in the whole game. Sums do not depend on the
// order of adding.
type StateCounts struct {
	Wins, Losses, TerminalWins, TerminalLosses []uint64 // by weight
	StepsWins, StepsLosses                     []uint64 // by steps
}

// Reset clears the counts, for a class of so many index bits and digits of steps.
func (t *StateCounts) Reset(indexBits, digits int) {
	for _, by := range []*[]uint64{&t.Wins, &t.Losses, &t.TerminalWins, &t.TerminalLosses} {
		*by = zeroed(*by, indexBits+1)
	}
	for _, by := range []*[]uint64{&t.StepsWins, &t.StepsLosses} {
		*by = zeroed(*by, 1<<uint(digits))
	}
}

func zeroed(s []uint64, n int) []uint64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// Add adds other counts of the same class.
func (t *StateCounts) Add(o *StateCounts) {
	sum := func(a *[]uint64, b []uint64) {
		for len(*a) < len(b) {
			*a = append(*a, 0)
		}
		for i, v := range b {
			(*a)[i] += v
		}
	}
	sum(&t.Wins, o.Wins)
	sum(&t.Losses, o.Losses)
	sum(&t.TerminalWins, o.TerminalWins)
	sum(&t.TerminalLosses, o.TerminalLosses)
	sum(&t.StepsWins, o.StepsWins)
	sum(&t.StepsLosses, o.StepsLosses)
}

// Sub subtracts counts that were added.
func (t *StateCounts) Sub(o *StateCounts) {
	for _, by := range [][2][]uint64{
		{t.Wins, o.Wins}, {t.Losses, o.Losses}, {t.TerminalWins, o.TerminalWins}, {t.TerminalLosses, o.TerminalLosses},
		{t.StepsWins, o.StepsWins}, {t.StepsLosses, o.StepsLosses},
	} {
		for i := range min(len(by[0]), len(by[1])) { // beyond there is nothing but zeros
			by[0][i] -= by[1][i]
		}
	}
}

// Equal reports whether both count the same.
func (t *StateCounts) Equal(o *StateCounts) bool {
	same := func(a, b []uint64) bool {
		n := min(len(a), len(b))
		return slices.Equal(a[:n], b[:n]) && lastCounted(a[n:]) < 0 && lastCounted(b[n:]) < 0
	}
	return same(t.Wins, o.Wins) && same(t.Losses, o.Losses) && same(t.TerminalWins, o.TerminalWins) &&
		same(t.TerminalLosses, o.TerminalLosses) && same(t.StepsWins, o.StepsWins) && same(t.StepsLosses, o.StepsLosses)
}

// Trim drops the numbers behind the greatest one that is counted, so that equal sums are
// equal counts.
func (t *StateCounts) Trim() {
	n := max(lastCounted(t.StepsWins), lastCounted(t.StepsLosses)) + 1
	for _, by := range []*[]uint64{&t.StepsWins, &t.StepsLosses} {
		for len(*by) < n {
			*by = append(*by, 0)
		}
		*by = (*by)[:n]
	}
}

// TableCounts returns the sums as a table keeps them. The class has so many masks,
// symmetric ones counted, and so many times a binomial coefficient of states of
// each weight. Where the losses are not counted, all that is not won is lost.
// Sums that are wrong overflow; CheckCounts finds them.
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
	for s := range max(lastCounted(t.StepsWins), lastCounted(t.StepsLosses)) + 1 {
		c.BySteps = append(c.BySteps, tablebase.StepCounts{Wins: at(t.StepsWins, s), Losses: at(t.StepsLosses, s)})
	}
	return c
}

func at(counts []uint64, i int) uint64 {
	if i < len(counts) {
		return counts[i]
	}
	return 0
}

// lastCounted returns the greatest number that is counted, −1 where none is.
func lastCounted(counts []uint64) int {
	last := len(counts) - 1
	for last >= 0 && counts[last] == 0 {
		last--
	}
	return last
}

// CheckCounts says why a class cannot have these counts, of the given kind of numbers.
func CheckCounts(f *partition.Facts, class *partition.Class, counts tablebase.Counts, numbers tablebase.Shape) error {
	numbers.Planes = f.Planes()
	err := counts.Check(numbers, class.IndexBits, len(class.Masks))
	if want := f.Masks(class.Class); err == nil && counts.Masks() != want {
		err = fmt.Errorf("the blocks stand for %d masks, not for %d", counts.Masks(), want)
	}
	if err != nil {
		return fmt.Errorf("the counts of class %d cannot be: %w; this is a mistake in the program, please report it", class.Class, err)
	}
	return nil
}

// ErrUnusable is the cause where an interrupted solve has left what no solve of this
// board leaves.
var ErrUnusable = errors.New("the unfinished solve is unusable")

// CheckWhole says why the classes of a space cannot have these counts together; the
// error is an ErrUnusable.
func CheckWhole(space *partition.Space, classes []tablebase.Counts) error {
	var states uint64
	for _, c := range classes {
		for _, t := range c.ByWeight {
			n, _ := t.States()
			states += n
		}
	}
	if want := space.States(); states != want || len(classes) != space.MaskBits+1 {
		return fmt.Errorf("%w: its %d classes count %d states, and %s %d×%d has %d in %d", ErrUnusable,
			len(classes), states, space.Game, space.Size, space.Size, want, space.MaskBits+1)
	}
	return nil
}

// Count adds a unit's outcomes to the Worker's Counts. lose is nil in a game
// without draws.
func (w *Worker) Count(u Units, unit int, images uint32, win, lose []uint64, ends Terminals) {
	t, factor := &w.Counts, uint64(images)
	first := uint32(unit%u.PerBlock) * uint32(u.Words)
	bitslice.CountByWeight(t.Wins, win, first, factor)
	bitslice.CountByWeight(t.Losses, lose, first, factor)
	bitslice.CountByWeight(t.TerminalWins, ends.Won, first, factor)
	bitslice.CountByWeight(t.TerminalLosses, ends.Lost, first, factor)
}

// CountSteps adds a unit's steps to the Worker's Counts.
func (w *Worker) CountSteps(u Units, images uint32, win, lose []uint64, steps bitslice.Numbers) {
	if lose == nil {
		lose = w.DirtyBuffer(scratchBuffer, len(win))
		valid := bitslice.Valid(u.K)
		for i, x := range win {
			lose[i] = ^x & valid
		}
	}
	steps.CountNumbers(w.Counts.StepsWins, win, uint64(images))
	steps.CountNumbers(w.Counts.StepsLosses, lose, uint64(images))
}

// DigitsFor returns the binary digits that steps up to most take.
func DigitsFor(most int) int { return bits.Len(uint(most)) }

// MostDigits returns the binary digits that the greatest steps counted take.
func (t *StateCounts) MostDigits() int {
	return DigitsFor(max(lastCounted(t.StepsWins), lastCounted(t.StepsLosses), 0))
}
