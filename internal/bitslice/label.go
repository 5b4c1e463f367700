package bitslice

import "math/bits"

// LabelReversed decides the touched states that are undecided, of a stretch of a slice of k index
// bits: it moves them to fresh and to won, and returns how many there were. It clears all touched
// states in candidates. touched and candidates are in the order of the complemented index, the
// others in the order of the index. All have the same length; won may be fresh.
func LabelReversed(k int, touched, candidates, undecided, fresh, won []uint64) (count int) {
	candidates, undecided = candidates[:len(touched)], undecided[:len(touched)]
	fresh, won = fresh[:len(touched)], won[:len(touched)]
	if vectors() && len(touched) >= rowWords && len(touched)%rowWords == 0 {
		return labelVector(touched, candidates, undecided, fresh, won)
	}
	last, short := len(touched)-1, 64-min(1<<uint(k), 64) // by how many bits the slice is shorter than a word
	for i, x := range touched {
		if x == 0 {
			continue
		}
		candidates[i] &^= x
		at := last - i
		if x = bits.Reverse64(x) >> uint(short) & undecided[at]; x == 0 {
			continue
		}
		undecided[at] &^= x
		fresh[at] |= x
		won[at] |= x
		count += bits.OnesCount64(x)
	}
	return count
}
