// Package radix sorts numbers of 64 bits, alone or with what belongs to them.
package radix

import (
	"math/bits"
	"slices"
)

// Entry is a key and what belongs to it.
type Entry struct {
	Key   uint64
	Value uint32
}

// digitBits is the width of a digit that one pass looks at.
const digitBits = 11

// digits returns where digits begin, the lowest first: bits that all keys share need no pass.
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

// Keys sorts keys and drops duplicates. It returns them and a slice to be the next spare one.
func Keys(keys, spare []uint64) (sorted, other []uint64) {
	spare = slices.Grow(spare[:0], len(keys))[:len(keys)]
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
	return slices.Compact(keys), spare
}

// Sort sorts entries by their keys, stably. It returns them and a slice to be the next spare one.
func Sort(entries, spare []Entry) (sorted, other []Entry) {
	spare = slices.Grow(spare[:0], len(entries))[:len(entries)]
	or, and := uint64(0), ^uint64(0)
	for i := range entries {
		or, and = or|entries[i].Key, and&entries[i].Key
	}
	for _, shift := range digits(or, and) {
		var count [1 << digitBits]uint32
		for i := range entries {
			count[entries[i].Key>>shift&(1<<digitBits-1)]++
		}
		starts(&count)
		for _, e := range entries {
			place := &count[e.Key>>shift&(1<<digitBits-1)]
			spare[*place] = e
			*place++
		}
		entries, spare = spare, entries
	}
	return entries, spare
}

// starts turns counts into the places at which each digit begins.
func starts(count *[1 << digitBits]uint32) {
	sum := uint32(0)
	for i, n := range count {
		count[i] = sum
		sum += n
	}
}
