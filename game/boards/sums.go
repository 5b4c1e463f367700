package boards

import (
	"iter"
	"math/bits"
	"slices"
	"sync"

	"backsolve/bitboard"
)

// Boards of up to 4×4 have no published quotient. Two boards are the same game if their moves
// lead to the same games: this leaves 665 trees. Most trees have a simpler form, which may
// replace them in every sum: this leaves 129 forms. The lost sums of up to four forms are found
// here, one after another.

const (
	maxSide = 4 // of the largest boards

	allTrees  = 665
	allForms  = 129
	maxSummed = 4 // the most boards that are not all 3×3
)

// treeSet and formSet are sets of trees and of forms.
type (
	treeSet [(allTrees + 63) / 64]uint64
	formSet [(allForms + 63) / 64]uint64
)

func (s *formSet) add(form uint8)      { s[form/64] |= 1 << (form % 64) }
func (s *formSet) has(form uint8) bool { return s[form/64]>>(form%64)&1 == 1 }

func (s *formSet) join(t *formSet) {
	for i := range s {
		s[i] |= t[i]
	}
}

// list returns the forms of a set, ascending.
func (s *formSet) list() (forms []uint8) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			forms = append(forms, uint8(64*i+bits.TrailingZeros64(word)))
		}
	}
	return forms
}

type forest struct {
	of   [maxSide + 1][]uint16 // the tree by the side of a board and its marks, 0 if it is dead
	form []uint8               // by tree
	// moves has the forms that the moves of each form lead to, all of lower numbers. The form of
	// dead boards is 0.
	moves [][]uint8
	lost  []bool           // whether the form alone is lost for the player to move
	upTo  [maxSide + 1]int // the number of forms of boards up to a side
}

// trees returns the trees. They are found, in some milliseconds, when they are first needed.
var trees = sync.OnceValue(func() *forest {
	f := &forest{form: []uint8{0}, moves: make([][]uint8, 1), lost: make([]bool, 1)}
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
		f.upTo[side] = len(f.moves)
	}
	return f
})

// tree returns the tree of a board; those of fuller boards are known.
func (f *forest) tree(known map[treeSet]uint16, of []uint16, marks int) uint16 {
	var after treeSet
	var forms formSet
	for free := len(of) - 1 - marks; free != 0; free &= free - 1 {
		tree := of[marks|free&-free]
		after[tree/64] |= 1 << (tree % 64)
		forms.add(f.form[tree])
	}
	tree, ok := known[after]
	if !ok {
		tree = uint16(len(f.form))
		known[after] = tree
		f.form = append(f.form, f.simplest(&forms))
	}
	return tree
}

// simplest returns the form of a board whose moves lead to the given forms: the first form whose
// moves are among these, and to which every other of these has a move. The other moves gain
// nothing, as the opponent can answer by moving to that form. A dead board, which alone is won
// for the player to move, replaces only a board that alone is won too.
func (f *forest) simplest(after *formSet) uint8 {
	moves := after.list()
	wins := slices.ContainsFunc(moves, func(m uint8) bool { return f.lost[m] })
	for form, of := range f.moves {
		missing := slices.ContainsFunc(of, func(m uint8) bool { return !after.has(m) })
		gains := func(m uint8) bool {
			return !slices.Contains(of, m) && !slices.Contains(f.moves[m], uint8(form))
		}
		if !missing && (form > 0 || wins) && !slices.ContainsFunc(moves, gains) {
			return uint8(form)
		}
	}
	f.moves, f.lost = append(f.moves, moves), append(f.lost, !wins)
	return uint8(len(f.moves) - 1)
}

// place numbers the sets of three forms, in descending order.
func place(x, y, z uint8) int {
	a, b, c := int(x), int(y), int(z)
	return a*(a+1)*(a+2)/6 + b*(b+1)/2 + c
}

func placeAny(x, y, z uint8) int {
	return place(max(x, y, z), max(min(x, y), min(max(x, y), z)), min(x, y, z))
}

// triples returns the sets of three forms below a limit, in descending order, in the order of place.
func triples(limit int) iter.Seq2[int, [3]uint8] {
	return func(yield func(int, [3]uint8) bool) {
		at := 0
		for x := range uint8(limit) {
			for y := range x + 1 {
				for z := range y + 1 {
					if !yield(at, [3]uint8{x, y, z}) {
						return
					}
					at++
				}
			}
		}
	}
}

// lostSums has, by the largest side of the boards, a function that returns, for any three forms,
// those that added to them make a sum that is lost for the player to move. The sets, up to 9 MB,
// are found when they are first needed.
var lostSums = func() (of [maxSide + 1]func() []formSet) {
	for side := range of {
		of[side] = sync.OnceValue(func() []formSet { return findLost(trees().upTo[side]) })
	}
	return of
}()

func findLost(limit int) []formSet {
	f := trees()
	before := make([]formSet, limit) // the forms with a move to each form
	for form, moves := range f.moves[:limit] {
		for _, m := range moves {
			before[m].add(uint8(form))
		}
	}
	lost := make([]formSet, place(uint8(limit), 0, 0))
	for i, of := range triples(limit) {
		var won formSet
		if of[0] == 0 {
			won.add(0) // the other player has completed the last line
		}
		for j := range of {
			for _, m := range f.moves[of[j]] {
				next := of
				next[j] = m
				won.join(&lost[placeAny(next[0], next[1], next[2])])
			}
		}
		for form := range uint8(limit) {
			if !won.has(form) {
				lost[i].add(form)
				won.join(&before[form])
			}
		}
	}
	return lost
}
