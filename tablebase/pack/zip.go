package pack

import (
	"backsolve/internal/bitslice"
	"backsolve/tablebase/format"
)

// An archive has the two bits of a state's outcome side by side, so that equal outcomes are
// equal bits: the encoder finds a quarter more in them than in two planes.

func isZipped(l Level, p format.Part) bool {
	return l == Archive && !p.Steps && p.Columns == planesWithDraws
}

// zip puts the bits of each pair of words side by side, those of the first, the wins, lower.
func zip(frame []byte) {
	var won, lost [1]uint64
	var both [2]uint64
	for at := 0; at+16 <= len(frame); at += 16 {
		won[0], lost[0] = le.Uint64(frame[at:]), le.Uint64(frame[at+8:])
		bitslice.Interleave(both[:], won[:], lost[:], 0, bitslice.WordBits+1)
		le.PutUint64(frame[at:], both[0])
		le.PutUint64(frame[at+8:], both[1])
	}
}

func unzip(frame []byte) {
	for at := 0; at+16 <= len(frame); at += 16 {
		first, second := unshuffle(le.Uint64(frame[at:])), unshuffle(le.Uint64(frame[at+8:]))
		le.PutUint64(frame[at:], first&low32|second<<32)
		le.PutUint64(frame[at+8:], first>>32|second&^low32)
	}
}

const low32 = 1<<32 - 1

// unshuffle parts even and odd bits: Henry S. Warren, Hacker's Delight, section 7–2.
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
