package boards

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"
)

// The sums of 3×3 boards are known by their misère quotient, which Plambeck and Whitehead found
// (The Secrets of Notakto: Winning at X-only Tic-Tac-Toe, arXiv:1301.1672): a commutative monoid
// of 18 elements with the generators a, b, c, d and the relations
//
//	a² = 1, b³ = b, b²c = c, c³ = ac², b²d = d, cd = ad, d² = c²
//
// in which a sum of boards is lost for the player to move just if the product of their elements
// is a, b², bc or c². The element of each board is found here: see derive.

// order is the number of elements, and one the number of the neutral one.
const (
	order = 18
	one   = element(0)
)

type element uint8

// word is a product of generators by the exponents of a, b, c and d.
type word [4]int

// reduced returns the word to which the relations reduce all words equal to this one.
func (w word) reduced() word {
	const a, b, c, d = 0, 1, 2, 3
	for w[d] >= 2 { // d² = c²
		w[d] -= 2
		w[c] += 2
	}
	for w[d] == 1 && w[c] >= 1 { // cd = ad
		w[c]--
		w[a]++
	}
	for w[c] >= 3 { // c³ = ac²
		w[c]--
		w[a]++
	}
	w[a] %= 2                                     // a² = 1
	for w[b] >= 3 || w[b] == 2 && w[c]+w[d] > 0 { // b³ = b, b²c = c, b²d = d
		w[b] -= 2
	}
	return w
}

// elements returns the words that cannot be reduced further: 1, then a, b, ab and so on.
func elements() (words []word) {
	for i := range 2 * 3 * 3 * 2 {
		w := word{i % 2, i / 2 % 3, i / 6 % 3, i / 18}
		if w.reduced() == w {
			words = append(words, w)
		}
	}
	return words
}

type misere struct {
	words []word
	times [order][order]element
	lost  set            // for the player to move
	of    [masks]element // by the marks of a board
}

type set uint32

func (s set) has(e element) bool { return s>>e&1 == 1 }

// quotient returns the quotient; it is derived, in some milliseconds, when it is first needed.
var quotient = sync.OnceValue(func() *misere {
	q := newMisere()
	if !q.derive() {
		panic("boards: no elements of the misère quotient fit the boards: this is a bug; please report it")
	}
	return q
})

func newMisere() *misere {
	q := &misere{words: elements()}
	number := func(w word) element { return element(slices.Index(q.words, w.reduced())) }
	for i, v := range q.words {
		for j, w := range q.words {
			q.times[i][j] = number(word{v[0] + w[0], v[1] + w[1], v[2] + w[2], v[3] + w[3]})
		}
	}
	for _, w := range []word{{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 1, 1, 0}, {0, 0, 2, 0}} {
		q.lost |= 1 << number(w)
	}
	return q
}

// sum is what matters of a sum of boards: its element, and the elements of all sums that, added
// to it, leave no move on these boards to a lost sum.
type sum struct {
	is    element
	quiet set
}

// add returns the sum of two sums. No move on the boards of one leads to a lost sum in a context
// if, and only if, none does in that context plus the other, and vice versa.
func (q *misere) add(a, b sum) sum {
	s := sum{is: q.times[a.is][b.is]}
	for e := range element(order) {
		if a.quiet.has(q.times[e][b.is]) && b.quiet.has(q.times[e][a.is]) {
			s.quiet |= 1 << e
		}
	}
	return s
}

// fits reports whether a sum, not all of it dead, has the element that it should: a lost one if,
// and only if, no move leads to a lost sum.
func (q *misere) fits(s sum) bool { return q.lost.has(s.is) == s.quiet.has(one) }

type derivation struct {
	*misere
	// known has the elements of boards by the set of elements that their moves lead to, which
	// determines them.
	known map[set]element
}

// derive finds the elements of all boards, the fullest first, and reports whether there are any.
// A board may have an element if it fits all sums of the board with boards before it, in any
// numbers; if several fit, they are tried one after another.
//
// This proves the result for every number of boards. There are infinitely many sums, but only
// finitely many differ in what matters; by induction over the moves that are left, if each of
// them fits, a sum is lost if, and only if, its element says so. Sums of dead boards alone are
// the element 1, which is not lost: the player to move there has won.
func (q *misere) derive() bool {
	boards := make([]int, masks)
	for i := range boards {
		boards[i] = i
	}
	slices.SortFunc(boards, func(a, b int) int {
		return cmp.Or(cmp.Compare(bits.OnesCount(uint(b)), bits.OnesCount(uint(a))), cmp.Compare(a, b))
	})
	d := derivation{q, map[set]element{}}
	return d.assign(boards, nil)
}

// assign finds the elements of boards, given those of the boards before them and the sums that
// these make.
func (d *derivation) assign(boards []int, sums []sum) bool {
	for i, board := range boards {
		after, ok := d.childElements(board), trees().of[n][board] == 0
		if ok {
			d.of[board] = one
		} else if d.of[board], ok = d.known[after]; !ok {
			return d.try(boards[i:], after, sums)
		}
	}
	return true
}

// try tries one element after another for the first board, whose moves lead to a set of elements.
func (d *derivation) try(boards []int, after set, sums []sum) bool {
	board := sum{quiet: d.quiet(after)}
	for e := range element(order) {
		board.is = e
		more, ok := d.sumsWith(sums, board)
		if !ok {
			continue
		}
		d.of[boards[0]], d.known[after] = e, e
		if d.assign(boards[1:], more) {
			return true
		}
	}
	delete(d.known, after)
	return false
}

// childElements returns the elements that moves on a board lead to.
func (d *derivation) childElements(board int) (after set) {
	for cell := range cells {
		if board>>cell&1 == 0 {
			after |= 1 << d.of[board|1<<cell]
		}
	}
	return after
}

// quiet returns the elements whose product with any of the given ones is not lost.
func (d *derivation) quiet(after set) (quiet set) {
	for e := range element(order) {
		lost := false
		for to := range element(order) {
			lost = lost || after.has(to) && d.lost.has(d.times[e][to])
		}
		if !lost {
			quiet |= 1 << e
		}
	}
	return quiet
}

// sumsWith returns all sums of the given ones, which are closed under addition, with any number
// of a further board, and whether all of them fit.
func (d *derivation) sumsWith(sums []sum, board sum) (all []sum, fit bool) {
	found := map[sum]bool{}
	note := func(s sum) bool {
		if !found[s] {
			found[s] = true
			all = append(all, s)
		}
		return d.fits(s)
	}
	for _, s := range sums {
		note(s)
	}
	repeated := map[sum]bool{}
	for several := board; !repeated[several]; several = d.add(several, board) {
		repeated[several] = true
		if !note(several) {
			return nil, false
		}
		for _, s := range sums {
			if !note(d.add(s, several)) {
				return nil, false
			}
		}
	}
	return all, true
}
