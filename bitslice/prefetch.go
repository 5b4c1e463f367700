package bitslice

import "unsafe"

// Absent is set in what Route.All gives for a state that does not go through. It is no
// number of a state.
const Absent = 1 << 31

// Prefetch asks for the words of a plane that some bits lie in, so that those who read
// them next wait for all of them at once and not for one after the other. Absent is not
// looked at. All must be bits of the plane.
func Prefetch(plane []uint64, bits []uint32) {
	if len(bits) > 0 && len(plane) > 0 {
		prefetchBits(&plane[0], &bits[0], len(bits))
	}
}

// Prefetch asks for the plan.
func (p *Plan) Prefetch() {
	const line = 64
	prefetchLines((*byte)(unsafe.Pointer(p)), (int(unsafe.Sizeof(*p))+line-1)/line)
}
