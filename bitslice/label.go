package bitslice

import "math/bits"

// LabelReversed decides the touched states of a stretch of a slice that are undecided: it moves
// them to fresh and to won, and returns how many they were. It clears all touched ones in
// candidates. touched and candidates are in the order of the complemented index, the
// others, of the same length, in that of the index; won may be fresh.
func LabelReversed(touched, candidates, undecided, fresh, won []uint64) (count int) {
	candidates, undecided = candidates[:len(touched)], undecided[:len(touched)]
	fresh, won = fresh[:len(touched)], won[:len(touched)]
	if vectors() && len(touched) >= rowWords && len(touched)%rowWords == 0 {
		return labelVector(touched, candidates, undecided, fresh, won)
	}
	last := len(touched) - 1
	for i, x := range touched {
		if x == 0 {
			continue
		}
		candidates[i] &^= x
		at := last - i
		if x = bits.Reverse64(x) & undecided[at]; x == 0 {
			continue
		}
		undecided[at] &^= x
		fresh[at] |= x
		won[at] |= x
		count += bits.OnesCount64(x)
	}
	return count
}
