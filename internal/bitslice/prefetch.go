package bitslice

import "unsafe"

// Prefetch prefetches the words of a plane that some bits are in, so that their cache misses
// overlap. It ignores Absent. All must be bits of the plane.
func Prefetch(plane []uint64, bits []uint32) {
	if len(bits) > 0 && len(plane) > 0 {
		prefetchBits(&plane[0], &bits[0], len(bits))
	}
}

// prefetchedLines is how many lines of an array are prefetched at most: the processor
// prefetches the rest when it sees the order.
const prefetchedLines = 16

// PrefetchWords prefetches the beginning of an array that will be read soon.
func PrefetchWords[T uint32 | uint64](array []T) {
	if len(array) > 0 {
		lines := (len(array)*int(unsafe.Sizeof(array[0])) + lineBytes - 1) / lineBytes
		prefetchLines((*byte)(unsafe.Pointer(&array[0])), min(lines, prefetchedLines))
	}
}

const lineBytes = 64
