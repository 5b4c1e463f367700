package bitslice

import "math/bits"

// weightMask[i] has the positions in a word whose index has i one-bits.
var weightMask = func() (m [WordBits + 1]uint64) {
	for i := range uint(64) {
		m[bits.OnesCount(i)] |= 1 << i
	}
	return m
}()

// CountByWeight adds to counts[i], for every i, the number of states in words
// whose index has i one-bits, times factor. The first of the words has the word
// address first in its slice.
func CountByWeight(counts []uint64, words []uint64, first uint32, factor uint64) {
	if hasCountVector && len(words) >= rowWords && len(words)%rowWords == 0 && first%rowWords == 0 {
		countRows(counts, words, first/rowWords, factor)
		return
	}
	countWords(counts, words, first, factor)
}

// rowWords is the number of words that the vector kernels take at once.
const rowWords = 8

// rowCounts are the sums of the vector kernel for the rows of one weight: by the
// weight of the index bits inside a word, and by word.
type rowCounts [WordBits + 1][rowWords]uint64

// countRows is CountByWeight for rows of eight words.
func countRows(counts []uint64, words []uint64, first uint32, factor uint64) {
	// Short slices are many: they should not clear the sums of long ones.
	var few [4]rowCounts
	sums := few[:]
	rows := uint32(len(words) / rowWords)
	if weights := bits.Len32(first+rows-1) + 1; weights > len(few) {
		var many [MaxIndexBits - WordBits]rowCounts
		sums = many[:weights]
	}
	countVector(sums, words, first)
	for row := range sums {
		for in, lanes := range sums[row] {
			for lane, n := range lanes {
				if n != 0 {
					counts[row+in+bits.OnesCount(uint(lane))] += factor * n
				}
			}
		}
	}
}

// countWords is CountByWeight word by word.
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
