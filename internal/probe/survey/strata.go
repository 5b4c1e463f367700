package survey

// Stratum is the states of a class whose index has the same number of one-bits.
// In all of them the board has the same number of marked cells. A tier is one stratum.
type Stratum struct {
	Class, Weight int
	// Marked is the number of marked cells of the board.
	Marked int
	Counts
	class int // its number in the file
}

// Strata returns the strata of a table, in the order of its classes and in each by ascending
// weight.
func Strata(t Table) (strata []Stratum) {
	src := sourceOf(t)
	for i, c := range src.classes() {
		for weight, counts := range c.Counts.ByWeight {
			s := Stratum{Class: c.Class, Weight: weight, Marked: src.marked(i, weight), class: i}
			s.add(counts)
			strata = append(strata, s)
		}
	}
	return strata
}
