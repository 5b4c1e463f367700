package bitslice

// Known is the knowledge about a slice before it is solved.
type Known struct {
	// Fresh says that the slice has undefined contents, which are cleared.
	Fresh bool
	// Won has states that are won.
	Won []Cube
	// Children are decided slices with further children of the states, in the same order.
	Children [][]uint64
}

// enter adds the states that are won to a segment of a slice. It reports whether all are.
func (n *Known) enter(win []uint64, segment Segment, k int) (all bool) {
	if n.Fresh {
		clear(win)
	}
	for _, c := range n.Won {
		if c.covers(segment) {
			for i := range win {
				win[i] = Valid(k)
			}
			return true
		}
		c.Fill(win, segment, k)
	}
	return false
}
