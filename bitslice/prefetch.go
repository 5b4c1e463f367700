package bitslice

import "unsafe"

// Prefetch asks for the words of a plane that some bits lie in, so that those who read
// them next wait for all of them at once and not for one after the other. Absent is not
// looked at. All must be bits of the plane.
func Prefetch(plane []uint64, bits []uint32) {
	if len(bits) > 0 && len(plane) > 0 {
		prefetchBits(&plane[0], &bits[0], len(bits))
	}
}

// prefetchedLines is how much of an array is asked for at most before it is read: the rest is fetched
// by its order.
const prefetchedLines = 16

// PrefetchWords prefetches the beginning of an array that will be read soon.
func PrefetchWords[T uint32 | uint64](array []T) {
	if len(array) > 0 {
		lines := (len(array)*int(unsafe.Sizeof(array[0])) + lineBytes - 1) / lineBytes
		prefetchLines((*byte)(unsafe.Pointer(&array[0])), min(lines, prefetchedLines))
	}
}

// lineBytes is how much memory is fetched at once.
const lineBytes = 64

// Prefetch asks for the plan.
func (p *Plan) Prefetch() {
	prefetchLines((*byte)(unsafe.Pointer(p)), (int(unsafe.Sizeof(*p))+lineBytes-1)/lineBytes)
}
