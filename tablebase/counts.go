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

// Masks returns the number of masks of the class, with symmetric ones: each has one state of
// weight 0.
func (n Counts) Masks() uint64 {
	masks, _ := n.ByWeight[0].States()
	return masks
}

// Check says why no class of a table of the shape, with the given index bits and blocks, can have
// these counts.
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
		if carried := sum.add(t); carried {
			return errors.New("the counts overflow")
		}
		binomial = binomial * uint64(indexBits-weight) / uint64(weight+1)
	}
	if n.Masks() < uint64(blocks) {
		return fmt.Errorf("%d blocks stand for only %d masks", blocks, n.Masks())
	}
	switch {
	case s.Steps:
		return n.checkSteps(sum)
	case s.Nimbers:
		return n.checkNimbers(sum)
	}
	return nil
}

// add adds counts and reports whether they overflow.
func (t *OutcomeCounts) add(o OutcomeCounts) (carried bool) {
	for _, n := range []struct {
		to *uint64
		by uint64
	}{{&t.Wins, o.Wins}, {&t.Losses, o.Losses}, {&t.Draws, o.Draws},
		{&t.TerminalWins, o.TerminalWins}, {&t.TerminalLosses, o.TerminalLosses}} {
		var carry uint64
		*n.to, carry = bits.Add64(*n.to, n.by, 0)
		carried = carried || carry != 0
	}
	return carried
}

// checkSteps compares the counts by steps with the sums by weight: each state that is won or
// lost has steps, and only the terminal ones have 0.
func (n Counts) checkSteps(sum OutcomeCounts) error {
	var steps OutcomeCounts
	for i, t := range n.BySteps {
		row := OutcomeCounts{Wins: t.Wins, Losses: t.Losses}
		if i == 0 {
			row.TerminalWins, row.TerminalLosses = t.Wins, t.Losses
		}
		if steps.add(row) {
			return errors.New("the counts by steps overflow")
		}
	}
	if steps.Draws = sum.Draws; steps != sum {
		return fmt.Errorf("by steps there are %d wins and %d losses, %d and %d of these in 0 steps; by weight %d and %d, %d and %d of them terminal",
			steps.Wins, steps.Losses, steps.TerminalWins, steps.TerminalLosses, sum.Wins, sum.Losses, sum.TerminalWins, sum.TerminalLosses)
	}
	return nil
}

// checkNimbers compares the counts by nimber with the sums by weight: each lost state has
// nimber 0, each won one another, except the terminal ones, which are counted with 0.
func (n Counts) checkNimbers(sum OutcomeCounts) error {
	var all OutcomeCounts
	for nimber, t := range n.BySteps {
		row := OutcomeCounts{Wins: t.Wins, Losses: t.Losses}
		if nimber == 0 {
			row.TerminalWins = t.Wins
		} else if t.Losses > 0 {
			return fmt.Errorf("%d lost states have the nimber %d", t.Losses, nimber)
		}
		if all.add(row) {
			return errors.New("the counts by nimber overflow")
		}
	}
	if all != sum {
		return fmt.Errorf("by nimber there are %d wins, %d of these terminal, and %d losses; by weight %d wins, %d losses, %d and %d of them terminal",
			all.Wins, all.TerminalWins, all.Losses, sum.Wins, sum.Losses, sum.TerminalWins, sum.TerminalLosses)
	}
	return nil
}
