package boards

import (
	"slices"
	"sync"

	"backsolve/bitboard"
)

// Boards of up to 4×4 have no published quotient. Two boards are the same game, whatever
// stands beside them, if their moves lead to the same games: this leaves 665 trees. Which
// sums of up to three trees are lost is found here, one after the other.

const (
	maxSide = 4 // of the largest boards

	allTrees  = 665
	treeWords = (allTrees + 63) / 64
	maxSummed = 3 // the most boards of unequal or large sides whose sums are all found
)

// treeSet is a set of trees.
type treeSet [treeWords]uint64

func (s *treeSet) add(tree uint16)      { s[tree/64] |= 1 << (tree % 64) }
func (s *treeSet) has(tree uint16) bool { return s[tree/64]>>(tree%64)&1 == 1 }

func (s *treeSet) meets(t *treeSet) bool {
	for i := range s {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// forest has the trees of all boards.
type forest struct {
	of    [maxSide + 1][]uint16 // by the side of a board and its marks
	after []treeSet             // what the moves of each tree lead to, of lower numbers
}

// trees returns the trees. They are found, in some milliseconds, when they are first asked for.
var trees = sync.OnceValue(func() *forest {
	f := &forest{after: make([]treeSet, 1, allTrees)}
	known := map[treeSet]uint16{}
	for side := 1; side <= maxSide; side++ {
		f.of[side] = make([]uint16, 1<<(side*side))
		lines := bitboard.Lines(side)
		for marks := len(f.of[side]) - 1; marks >= 0; marks-- {
			if slices.ContainsFunc(lines, func(line uint64) bool { return uint64(marks)&line == line }) {
				continue
			}
			f.of[side][marks] = f.tree(known, f.of[side], marks)
		}
	}
	return f
})

// tree returns the tree of a board whose fuller boards have theirs.
func (f *forest) tree(known map[treeSet]uint16, of []uint16, marks int) uint16 {
	var after treeSet
	for free := len(of) - 1 - marks; free != 0; free &= free - 1 {
		after.add(of[marks|free&-free])
	}
	tree, ok := known[after]
	if !ok {
		tree = uint16(len(f.after))
		known[after] = tree
		f.after = append(f.after, after)
	}
	return tree
}

// sums says which sums of three trees are lost for the player to move.
type sums struct {
	limits [maxSummed]int // the trees of the sums, in descending order, are below these
	lost   []treeSet      // by the pair of the two other trees
}

// pair numbers pairs of trees, the first of which is the larger one.
func pair(x, y int) int { return x*(x+1)/2 + y }

// newSums finds all lost sums. A sum is lost if no move leads to a lost one, but the sum of
// dead boards is won: the other player has completed the last line.
func newSums(limits [maxSummed]int) *sums {
	s := &sums{limits, make([]treeSet, pair(limits[0], 0))}
	after := trees().after
	for x := range limits[0] {
		for y := range min(x+1, limits[1]) {
			xy := &s.lost[pair(x, y)]
			for z := range min(y+1, limits[2]) {
				xz, yz := &s.lost[pair(x, z)], &s.lost[pair(y, z)]
				if x != 0 && !after[x].meets(yz) && !after[y].meets(xz) && !after[z].meets(xy) {
					xy.add(uint16(z))
					xz.add(uint16(y))
					yz.add(uint16(x))
				}
			}
		}
	}
	return s
}

// isLost reports whether a sum of trees in descending order is lost for the player to move.
func (s *sums) isLost(t [maxSummed]uint16) bool {
	return s.lost[pair(int(t[1]), int(t[2]))].has(t[0])
}

var (
	sumsLock sync.Mutex
	sumsOf   = map[[maxSummed]int]*sums{}
)

// sumsBelow returns the sums of trees below some limits, in descending order. Those of three
// 4×4 boards take a second and 20 MB, others less.
func sumsBelow(limits [maxSummed]int) *sums {
	sumsLock.Lock()
	defer sumsLock.Unlock()
	if sumsOf[limits] == nil {
		sumsOf[limits] = newSums(limits)
	}
	return sumsOf[limits]
}
