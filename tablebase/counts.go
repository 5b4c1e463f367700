package tablebase

import (
	"errors"
	"fmt"
	"math/bits"
)

// States returns the number of states counted; ok is false if it overflows.
func (t OutcomeCounts) States() (states uint64, ok bool) {
	states, carry := bits.Add64(t.Wins, t.Losses, 0)
	states, carry2 := bits.Add64(states, t.Draws, 0)
	return states, carry+carry2 == 0
}

// Masks returns the number of masks, with symmetric ones: each has one state of weight 0.
func (n Counts) Masks() uint64 {
	masks, _ := n.ByWeight[0].States()
	return masks
}

// Check says why no class with the given index bits and blocks can have these counts.
func (n Counts) Check(s Shape, indexBits, blocks int) error {
	if len(n.ByWeight) != indexBits+1 {
		return fmt.Errorf("counts for %d weights, not %d", len(n.ByWeight), indexBits+1)
	}
	var sum OutcomeCounts
	binomial := uint64(1)
	for weight, t := range n.ByWeight {
		states, fits := t.States()
		high, want := bits.Mul64(n.Masks(), binomial)
		if !fits || high != 0 || states != want {
			return fmt.Errorf("%d wins, %d losses and %d draws of index weight %d do not add up to %d masks times %d",
				t.Wins, t.Losses, t.Draws, weight, n.Masks(), binomial)
		}
		if t.TerminalWins > t.Wins || t.TerminalLosses > t.Losses {
			return fmt.Errorf("of index weight %d more states are terminal than won, or than lost: %+v", weight, t)
		}
		if s.Planes == 1 && t.Draws > 0 {
			return fmt.Errorf("%d states of index weight %d are drawn in a game without draws", t.Draws, weight)
		}
		if carried := sum.Add(t); carried {
			return errors.New("the counts overflow")
		}
		binomial = binomial * uint64(indexBits-weight) / uint64(weight+1)
	}
	if n.Masks() < uint64(blocks) {
		return fmt.Errorf("%d blocks stand for only %d masks", blocks, n.Masks())
	}
	if !s.Numbered() {
		return nil
	}
	return n.checkNumbers(s, sum)
}

// Add adds other counts. It reports whether a sum is too large for its type.
func (t *OutcomeCounts) Add(o OutcomeCounts) (carried bool) {
	var carry [5]uint64
	t.Wins, carry[0] = bits.Add64(t.Wins, o.Wins, 0)
	t.Losses, carry[1] = bits.Add64(t.Losses, o.Losses, 0)
	t.Draws, carry[2] = bits.Add64(t.Draws, o.Draws, 0)
	t.TerminalWins, carry[3] = bits.Add64(t.TerminalWins, o.TerminalWins, 0)
	t.TerminalLosses, carry[4] = bits.Add64(t.TerminalLosses, o.TerminalLosses, 0)
	return carry != [5]uint64{}
}

// checkNumbers compares the counts by steps or nimber with the sums by weight. Each state that is
// won or lost has steps, and only the terminal ones have 0. Each lost state has nimber 0 and each
// won one another, except the terminal ones, which are counted with 0.
func (n Counts) checkNumbers(s Shape, sum OutcomeCounts) error {
	kind, all := "steps", OutcomeCounts{Draws: sum.Draws}
	if s.Nimbers {
		kind = "nimber"
	}
	for number, t := range n.BySteps {
		row := OutcomeCounts{Wins: t.Wins, Losses: t.Losses}
		switch {
		case number == 0 && s.Steps:
			row.TerminalWins, row.TerminalLosses = t.Wins, t.Losses
		case number == 0:
			row.TerminalWins = t.Wins
		case s.Nimbers && t.Losses > 0:
			return fmt.Errorf("%d lost states have the nimber %d", t.Losses, number)
		}
		if all.Add(row) {
			return fmt.Errorf("the counts by %s overflow", kind)
		}
	}
	if all != sum {
		return fmt.Errorf("by %s there are %d wins and %d losses, %d and %d of them terminal; by weight %d and %d, %d and %d of them terminal",
			kind, all.Wins, all.Losses, all.TerminalWins, all.TerminalLosses, sum.Wins, sum.Losses, sum.TerminalWins, sum.TerminalLosses)
	}
	return nil
}
