package pack

import "backsolve/tablebase/format"

// An archive has the two bits of a state's outcome side by side, so that equal outcomes are
// equal bits: the encoder finds a quarter more in them than in two planes.

// isZipped reports whether the words of a part are packed so.
func isZipped(l Level, p format.Part) bool {
	return l == Archive && !p.Steps && p.Columns == planesWithDraws
}

// zip puts the bits of each pair of words side by side: those of the first, which has wins, are
// the lower ones.
func zip(frame []byte) {
	for at := 0; at+16 <= len(frame); at += 16 {
		won, lost := le.Uint64(frame[at:]), le.Uint64(frame[at+8:])
		le.PutUint64(frame[at:], shuffle(won&low32|lost<<32))
		le.PutUint64(frame[at+8:], shuffle(won>>32|lost&^low32))
	}
}

// unzip is the inverse of zip.
func unzip(frame []byte) {
	for at := 0; at+16 <= len(frame); at += 16 {
		first, second := unshuffle(le.Uint64(frame[at:])), unshuffle(le.Uint64(frame[at+8:]))
		le.PutUint64(frame[at:], first&low32|second<<32)
		le.PutUint64(frame[at+8:], first>>32|second&^low32)
	}
}

const low32 = 1<<32 - 1

// shuffle brings bit i of the lower half to bit 2i, and that of the upper half to 2i+1. Henry S.
// Warren, Hacker's Delight, section 7–2.
func shuffle(x uint64) uint64 {
	x = exchange(x, 16, 0x00000000ffff0000)
	x = exchange(x, 8, 0x0000ff000000ff00)
	x = exchange(x, 4, 0x00f000f000f000f0)
	x = exchange(x, 2, 0x0c0c0c0c0c0c0c0c)
	return exchange(x, 1, 0x2222222222222222)
}

// unshuffle is the inverse of shuffle.
func unshuffle(x uint64) uint64 {
	x = exchange(x, 1, 0x2222222222222222)
	x = exchange(x, 2, 0x0c0c0c0c0c0c0c0c)
	x = exchange(x, 4, 0x00f000f000f000f0)
	x = exchange(x, 8, 0x0000ff000000ff00)
	return exchange(x, 16, 0x00000000ffff0000)
}

// exchange exchanges the bits of the mask with those that lie shift above them.
func exchange(x uint64, shift int, mask uint64) uint64 {
	t := (x ^ x>>shift) & mask
	return x ^ t ^ t<<shift
}
