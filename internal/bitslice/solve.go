package bitslice

import (
	"math/bits"
	"slices"
)

// octet[x] is the solution of the eight states of a three-bit index.
var octet = func() (t [256]uint8) {
	for x := range t {
		won := x
		for i := 7; i >= 0; i-- {
			for b := 1; b < 8; b <<= 1 {
				if i&b == 0 && won>>uint(i|b)&1 == 0 {
					won |= 1 << uint(i)
				}
			}
		}
		t[x] = uint8(won)
	}
	return t
}()

// SolveSlice decides the states of a slice of k index bits in which a move sets
// any clear index bit: a state with a lost child is won.
// win comes with the states that are won for other reasons; those that are not in it
// when SolveSlice returns are lost.
func SolveSlice(win []uint64, k int) { SolveSliceFrom(win, Known{}, k) }

// SolveSliceFrom is SolveSlice with more that is known, added group by group while it is cached.
func SolveSliceFrom(win []uint64, known Known, k int) {
	const least = 4 * rowWords // of the kernels for the children
	if vectors() && len(win) >= least {
		solveGroups(win, known, k)
		return
	}
	known.enter(win, Whole(k), k)
	for _, c := range known.Children {
		for i, w := range c[:len(win)] {
			win[i] |= ^w
		}
	}
	solveWords(win, k)
}

// SolveSliceExcept is SolveSlice with states that are lost whatever their children are; nil for none.
func SolveSliceExcept(win, lost []uint64, k int) {
	if lost == nil {
		SolveSlice(win, k)
		return
	}
	all := uint32(len(win) - 1)
	for at := len(win) - 1; at >= 0; at-- {
		w := win[at]
		for clear := all &^ uint32(at); clear != 0; clear &= clear - 1 {
			w |= ^win[uint32(at)|clear&-clear]
		}
		for weight := min(k, WordBits); weight >= 0; weight-- {
			these := weightMask[weight] & Valid(k)
			w &^= lost[at] & these
			for b := range min(k, WordBits) {
				w |= ^w & these &^ lowHalf[b] >> (uint(1) << uint(b))
			}
		}
		win[at] = w & Valid(k)
	}
}

// groupRows is how many rows the kernels solve at once: 4 KiB.
const groupRows = 64

// solveOrder has, for groups of 2^i units, their numbers by falling weight. A unit is what
// a register of the kernels holds: a row, or a half or a quarter of one.
var solveOrder = func() (order [9][]uint8) {
	for i := range order {
		for unit := range 1 << i {
			order[i] = append(order[i], uint8(unit))
		}
		slices.SortStableFunc(order[i], func(a, b uint8) int { return bits.OnesCount8(b) - bits.OnesCount8(a) })
	}
	return order
}()

// solveGroups solves a slice of whole rows group by group. Children outside a group are in
// known.Children and in other groups, at the same place.
func solveGroups(win []uint64, known Known, k int) {
	words := min(len(win), groupRows*rowWords)
	last := len(win)/words - 1
	var from [2 * MaxIndexBits]*uint64
	for group := last; group >= 0; group-- {
		at, n := group*words, 0
		if known.enter(win[at:at+words], Segment{Bits: bits.Len(uint(words)) - 1, Value: uint32(group)}, k) {
			continue
		}
		for _, c := range known.Children {
			from[n] = &c[at]
			n++
		}
		for clear := last &^ group; clear != 0; clear &= clear - 1 {
			from[n] = &win[(group|clear&-clear)*words]
			n++
		}
		solveGroupVector(win[at:at+words], from[:n])
	}
}

func solveWords(win []uint64, k int) {
	all := uint32(len(win) - 1)
	for at := len(win) - 1; at >= 0; at-- {
		w := win[at]
		for clear := all &^ uint32(at); clear != 0; clear &= clear - 1 {
			w |= ^win[uint32(at)|clear&-clear]
		}
		win[at] = solveWord(w&Valid(k), k)
	}
}

// solveWord solves a word: three index bits by table, the others between octets, from the last on.
func solveWord(w uint64, k int) uint64 {
	if k < 3 {
		// States that do not exist count as won, so that no move leads to them.
		return uint64(octet[uint8(w|^Valid(k))]) & Valid(k)
	}
	var lost [8]uint8
	octets := 1 << uint(min(k, WordBits)-3)
	for i := octets - 1; i >= 0; i-- {
		x := uint8(w >> uint(8*i))
		for b := 1; b < octets; b <<= 1 {
			x |= lost[(i|b)&7] // still zero where bit b is set in i
		}
		x = octet[x]
		lost[i] = ^x
		w |= uint64(x) << uint(8*i)
	}
	return w
}
