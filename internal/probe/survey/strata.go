package survey

import "backsolve/internal/probe"

// Stratum is the states of a class whose index has the same number of one-bits.
// In all of them the board has the same number of marked cells.
type Stratum struct {
	Class, Weight int
	// Marked is the number of marked cells of the board.
	Marked int
	Counts
}

// Strata returns the strata of a table, the fullest class first and in it by
// ascending weight.
func Strata(t *probe.Table) (strata []Stratum) {
	space := t.Space()
	for _, c := range t.Stored().Classes() {
		for weight, counts := range c.Counts.ByWeight {
			mover, other := space.Stones(c.Class, weight)
			s := Stratum{Class: c.Class, Weight: weight, Marked: mover + other}
			s.add(counts)
			strata = append(strata, s)
		}
	}
	return strata
}
