package bitslice

// Known is what is known of the states of a slice by other means.
type Known struct {
	// Fresh says that the slice holds nothing yet, and need not be cleared.
	Fresh bool
	// Won are states that are won.
	Won []Cube
	// Children are slices that moves lead to besides: they are decided, and have the
	// states in the same order.
	Children [][]uint64
}

// enter enters the states that are won into a part of a slice. It reports whether
// these are all.
func (n *Known) enter(win []uint64, part Part, k int) (all bool) {
	if n.Fresh {
		clear(win)
	}
	for _, c := range n.Won {
		if c.covers(part) {
			for i := range win {
				win[i] = Valid(k)
			}
			return true
		}
		c.Fill(win, part, k)
	}
	return false
}
