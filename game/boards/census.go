package boards

import (
	"slices"

	"backsolve/game"
)

// Census counts the boards of up to 4×4 that sums can tell apart, and the lost sums.
type Census struct {
	// Trees is the number of boards that differ as games, dead boards counted as one; Forms is
	// the number of their simplest forms.
	Trees, Forms int
	// Sums and Lost count the sums of 1 to 4 trees, none of them dead and in any order, and those
	// of them that are lost for the player to move.
	Sums, Lost [maxSummed]uint64
	// Apart is the number of trees that can be told apart by adding up to 0 to 3 further boards.
	Apart [maxSummed]int
	// Pairs is the number of sums of up to two boards that can be told apart by adding up to two
	// further boards, and Triples the same for up to three boards and one further board.
	Pairs, Triples int
	// Empty has the lost sums of up to four empty boards, by the sides of the boards.
	Empty []game.Size
}

// TakeCensus returns the census. It takes a second.
func TakeCensus() *Census { return censusUpTo(maxSide) }

func censusUpTo(side int) *Census {
	f, lost, limit := trees(), lostSums[side](), trees().upTo[side]
	c := &Census{Trees: int(slices.Max(slices.Concat(f.of[:side+1]...))) + 1, Forms: limit}
	var live [allForms]uint64 // trees that are not dead, by form
	for _, form := range f.form[1:c.Trees] {
		live[form]++
	}
	parts := []formSet{{}}
	for form := range uint8(limit) {
		parts[0].add(form)
	}
	for further := range c.Apart {
		for i, of := range triples(limit) {
			if number(of[:]) == further {
				parts = split(parts, &lost[i])
			}
		}
		c.Apart[further] = len(parts)
	}
	apart, rows := map[formSet]bool{}, map[[allForms]formSet]bool{}
	for i, of := range triples(limit) {
		apart[lost[i]] = true
		for _, least := range lost[i].list() {
			if sum := []uint8{of[0], of[1], of[2], least}; least <= of[2] {
				// Trees with the form of dead boards may be added.
				all, n := ways(sum, &live), number(sum)
				for more := range uint64(maxSummed - n + 1) {
					c.Lost[n+int(more)-1] += all
					all = all * (live[0] + more) / (more + 1)
				}
			}
		}
		if of[2] == 0 {
			var row [allForms]formSet
			for z := range limit {
				row[z] = lost[placeAny(of[0], of[1], uint8(z))]
			}
			rows[row] = true
		}
	}
	all := uint64(1)
	for i := range c.Sums {
		all = all * uint64(c.Trees-1+i) / uint64(i+1)
		c.Sums[i] = all
	}
	c.Triples, c.Pairs = len(apart), len(rows)
	c.addEmpty(nil, side)
	return c
}

// addEmpty adds the lost sums that begin with empty boards of the given sides, ascending, and
// continue with boards up to a side.
func (c *Census) addEmpty(sides []int, upTo int) {
	least := 1
	if n := len(sides); n > 0 {
		least = sides[n-1]
		if r := (&rules{sides}); r.bySums(r.Start()) == game.Lose {
			c.Empty = append(c.Empty, game.Summed(sides...))
		}
	}
	for side := least; side <= upTo && len(sides) < maxSummed; side++ {
		c.addEmpty(append(sides, side), upTo)
	}
}

// number returns the number of forms, in descending order, that are not dead.
func number(of []uint8) (n int) {
	for n < len(of) && of[n] > 0 {
		n++
	}
	return n
}

// ways returns the number of sums of trees that are not dead whose forms are those given, in
// descending order. live counts the trees of each form.
func ways(of []uint8, live *[allForms]uint64) uint64 {
	all, same := uint64(1), uint64(0)
	for i, form := range of[:number(of)] {
		if same++; i > 0 && of[i-1] != form {
			same = 1
		}
		all = all * (live[form] + same - 1) / same
	}
	return all
}

func split(parts []formSet, by *formSet) []formSet {
	for i := range parts {
		var in, out formSet
		for w, word := range parts[i] {
			in[w], out[w] = word&by[w], word&^by[w]
		}
		if in != (formSet{}) && out != (formSet{}) {
			parts[i] = in
			parts = append(parts, out)
		}
	}
	return parts
}
