package bitslice

import "math/bits"

// Reverse writes src to dst with every index complemented, from the last state to the first: a slice of k
// index bits or, where k ≥ 6, any aligned stretch of one.
func Reverse(dst, src []uint64, k int) {
	if k < WordBits {
		dst[0] = bits.Reverse64(src[0]) >> (64 - 1<<uint(k))
		return
	}
	last := len(src) - 1
	dst = dst[:len(src)]
	for i, w := range src {
		dst[last-i] = bits.Reverse64(w)
	}
}

// Cube is the set of states whose index agrees with Value in the bits Care.
type Cube struct {
	Care, Value uint32
}

// Fill adds the states of the cube to dst, a segment of a slice of k index bits.
func (c Cube) Fill(dst []uint64, segment Segment, k int) {
	pattern := Valid(k)
	for i := range uint(WordBits) {
		if c.Care>>i&1 == 1 {
			half := lowHalf[i]
			if c.Value>>i&1 == 1 {
				half = ^half
			}
			pattern &= half
		}
	}
	care, value := c.Care>>WordBits, c.Value>>WordBits
	if fixed := care >> uint(segment.Bits) << uint(segment.Bits); (value^segment.Value<<uint(segment.Bits))&fixed != 0 {
		return
	}
	within := uint32(len(dst) - 1)
	free := within &^ care
	at := value & care & within
	for sub := uint32(0); ; {
		dst[at|sub] |= pattern
		if sub = (sub - free) & free; sub == 0 {
			return
		}
	}
}

// covers reports whether all states of a segment are in the cube.
func (c Cube) covers(segment Segment) bool {
	within := uint32(1)<<uint(segment.Bits+WordBits) - 1
	return c.Care&within == 0 && (c.Value^segment.Value<<uint(segment.Bits+WordBits))&c.Care == 0
}

// NonZero returns a bit for each of at most 64 words: whether it is not zero.
func NonZero(words []uint64) (mask uint64) {
	if vectors() && len(words) == 1<<GroupBits {
		return nonZeroVector(words)
	}
	return nonZeroWords(words)
}

func nonZeroWords(words []uint64) (mask uint64) {
	for i, w := range words {
		mask |= (w | -w) >> 63 << uint(i)
	}
	return mask
}

// Any reports whether any state is in the words.
func Any(words []uint64) bool {
	for _, w := range words {
		if w != 0 {
			return true
		}
	}
	return false
}
