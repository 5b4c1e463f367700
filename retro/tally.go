package retro

import (
	"math/bits"
	"slices"

	"backsolve/bitslice"
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
func (t *tally) counts(indexBits int, masks uint64, losses, steps bool) tablebase.Counts {
	var c tablebase.Counts
	binomial := uint64(1)
	for w := range indexBits + 1 {
		n := tablebase.Tally{
			Wins: t.wins[w], Losses: t.losses[w],
			TerminalWins: t.terminalWins[w], TerminalLosses: t.terminalLosses[w],
		}
		if losses {
			n.Draws = masks*binomial - n.Wins - n.Losses
		} else {
			n.Losses = masks*binomial - n.Wins
		}
		c.ByWeight = append(c.ByWeight, n)
		binomial = binomial * uint64(indexBits-w) / uint64(w+1)
	}
	if !steps {
		return c
	}
	for s := range t.stepsWins {
		c.BySteps = append(c.BySteps, tablebase.StepTally{Wins: t.stepsWins[s], Losses: t.stepsLosses[s]})
	}
	for len(c.BySteps) > 0 && c.BySteps[len(c.BySteps)-1] == (tablebase.StepTally{}) {
		c.BySteps = c.BySteps[:len(c.BySteps)-1]
	}
	return c
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
