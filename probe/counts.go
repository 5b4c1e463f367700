package probe

import (
	"math/bits"

	"backsolve/tablebase"
)

// checkCounts refuses counts of a class that contradict each other or the cut. What
// they say of single states, Verify compares with the data.
func (t *Table) checkCounts(c tablebase.ClassInfo) error {
	var sum tablebase.Tally
	states := choose(t.space.MaskBits(), c.Class) // of a weight: masks times a binomial coefficient
	for weight, n := range c.Counts.ByWeight {
		switch {
		case max(n.Wins, n.Losses, n.Draws) > states || n.Wins+n.Losses+n.Draws != states:
			return t.damaged("class %d counts %d wins, %d losses and %d draws of index weight %d, which has %d states",
				c.Class, n.Wins, n.Losses, n.Draws, weight, states)
		case n.TerminalWins > n.Wins || n.TerminalLosses > n.Losses:
			return t.damaged("class %d counts more terminal states of index weight %d than it has", c.Class, weight)
		case n.Draws > 0 && !t.space.Draws():
			return t.damaged("class %d counts draws, and %s has none", c.Class, t.Board())
		}
		sum.Wins += n.Wins
		sum.Losses += n.Losses
		sum.TerminalWins += n.TerminalWins
		sum.TerminalLosses += n.TerminalLosses
		states = states * uint64(c.IndexBits-weight) / uint64(weight+1)
	}
	if !t.HasSteps() {
		return nil
	}
	return t.checkSteps(c, sum)
}

// checkSteps refuses counts by steps that do not fit those by weight, or the digits
// that the steps are stored in.
func (t *Table) checkSteps(c tablebase.ClassInfo, sum tablebase.Tally) error {
	last := len(c.Counts.BySteps) - 1
	if digits := bits.Len(uint(max(last, 0))); c.Digits != digits {
		return t.damaged("class %d has %d digits for up to %d steps, not %d", c.Class, c.Digits, max(last, 0), digits)
	}
	var wins, losses uint64
	for _, n := range c.Counts.BySteps {
		if n.Wins > sum.Wins-wins || n.Losses > sum.Losses-losses {
			return t.damaged("class %d counts more states by steps than it has", c.Class)
		}
		wins += n.Wins
		losses += n.Losses
	}
	switch {
	case wins != sum.Wins || losses != sum.Losses:
		return t.damaged("class %d counts steps of %d wins and %d losses, but has %d and %d", c.Class, wins, losses, sum.Wins, sum.Losses)
	case last < 0:
		return nil
	case c.Counts.BySteps[0] != tablebase.StepTally{Wins: sum.TerminalWins, Losses: sum.TerminalLosses}:
		return t.damaged("class %d counts other terminal states than states of 0 steps", c.Class)
	case c.Counts.BySteps[last] == tablebase.StepTally{}:
		return t.damaged("class %d counts up to %d steps, but no state of so many", c.Class, last)
	}
	return nil
}
