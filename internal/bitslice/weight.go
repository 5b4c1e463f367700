package bitslice

import "math/bits"

// weightMask[i] has the positions in a word whose index has i one-bits.
var weightMask = func() (m [WordBits + 1]uint64) {
	for i := range uint(64) {
		m[bits.OnesCount(i)] |= 1 << i
	}
	return m
}()

// weights is how many sums the kernels that count by weight write: one more than there are weights.
const weights = MaxIndexBits + 2

// CountByWeight adds to counts[i], for every i, factor times the number of states in words whose index has i
// one-bits. first is the address of the first word in its slice.
func CountByWeight(counts []uint64, words []uint64, first uint32, factor uint64) {
	if !vectors() || len(words) == 0 {
		countWords(counts, words, first, factor)
		return
	}
	var sums [weights]uint64
	countVector(&sums, words, first)
	for i, n := range sums {
		if n != 0 {
			counts[i] += factor * n
		}
	}
}

func countWords(counts []uint64, words []uint64, first uint32, factor uint64) {
	for i, w := range words {
		if w == 0 {
			continue
		}
		at := counts[bits.OnesCount32(first+uint32(i)):]
		for j, m := range weightMask {
			if c := bits.OnesCount64(w & m); c != 0 {
				at[j] += factor * uint64(c)
			}
		}
	}
}
