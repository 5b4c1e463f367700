package generic

import "math/bits"

// edge is a move, by the key of the position it leads to and the parent's number in
// its block.
type edge struct {
	key    uint64
	parent uint32
}

// digitBits is the width of a digit that one pass of a radix sort looks at.
const digitBits = 11

// digits returns where the digits begin that tell keys apart, the lowest first: bits
// that all keys share need no pass.
func digits(or, and uint64) (shifts []int) {
	for varying := or ^ and; varying != 0; {
		low := bits.TrailingZeros64(varying)
		shifts = append(shifts, low)
		if low+digitBits >= 64 {
			break
		}
		varying &^= 1<<(low+digitBits) - 1
	}
	return shifts
}

// sortKeys sorts keys and drops duplicates. It returns one of the two slices, which
// have the same length.
func sortKeys(keys, spare []uint64) []uint64 {
	or, and := uint64(0), ^uint64(0)
	for _, k := range keys {
		or, and = or|k, and&k
	}
	for _, shift := range digits(or, and) {
		var count [1 << digitBits]uint32
		for _, k := range keys {
			count[k>>shift&(1<<digitBits-1)]++
		}
		starts(&count)
		for _, k := range keys {
			place := &count[k>>shift&(1<<digitBits-1)]
			spare[*place] = k
			*place++
		}
		keys, spare = spare, keys
	}
	n := 0
	for i, k := range keys {
		if i == 0 || k != keys[n-1] {
			keys[n] = k
			n++
		}
	}
	return keys[:n]
}

// sortEdges sorts edges by their keys and returns one of the two slices, which have the
// same length.
func sortEdges(edges, spare []edge) []edge {
	or, and := uint64(0), ^uint64(0)
	for i := range edges {
		or, and = or|edges[i].key, and&edges[i].key
	}
	for _, shift := range digits(or, and) {
		var count [1 << digitBits]uint32
		for i := range edges {
			count[edges[i].key>>shift&(1<<digitBits-1)]++
		}
		starts(&count)
		for _, e := range edges {
			place := &count[e.key>>shift&(1<<digitBits-1)]
			spare[*place] = e
			*place++
		}
		edges, spare = spare, edges
	}
	return edges
}

// starts turns counts into the places at which each digit begins.
func starts(count *[1 << digitBits]uint32) {
	sum := uint32(0)
	for i, n := range count {
		count[i] = sum
		sum += n
	}
}
