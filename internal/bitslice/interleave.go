package bitslice

// Interleave puts a slice of k index bits together from its halves: the states whose
// given index bit is clear, and those where it is set.
func Interleave(dst, clear, set []uint64, bit, k int) {
	if bit >= WordBits {
		run := 1 << uint(bit-WordBits)
		for at := 0; at < len(clear); at += run {
			copy(dst[2*at:], clear[at:at+run])
			copy(dst[2*at+run:], set[at:at+run])
		}
		return
	}
	if k <= WordBits {
		dst[0] = widen(clear[0], bit) | widen(set[0], bit)<<(1<<uint(bit))
		return
	}
	for i := range clear {
		for half := range 2 {
			c, s := clear[i]>>uint(32*half)&(1<<32-1), set[i]>>uint(32*half)&(1<<32-1)
			dst[2*i+half] = widen(c, bit) | widen(s, bit)<<(1<<uint(bit))
		}
	}
}

// widen moves the low 32 states of a word, in order, to those whose given index bit is clear.
func widen(x uint64, bit int) uint64 {
	for b := WordBits - 2; b >= bit; b-- {
		// The index bit b moves up to b+1, where all is clear so far.
		shift := uint(1) << uint(b)
		upper := x & ^lowHalf[b]
		x = x&lowHalf[b] | upper<<shift
	}
	return x
}
