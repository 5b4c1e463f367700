//go:build !amd64

package bitslice

const (
	hasVector, hasCountVector, hasSqueezeVector = false, false, false
	hasPackVector, hasLabelVector               = false, false
	hasRouteVector, hasTurnVector               = false, false
)

func solveVector([]uint64, Known, int) { panic("no vector kernels here") }

func countVector([]rowCounts, []uint64, uint32) {
	panic("no vector kernels here")
}

func transformVector(*[tileWords]uint64, *uint64, *[rowWords]uint32, *exchange, int) bool {
	panic("no vector kernels here")
}

func storeVector(Op, *uint64, *[rowWords]uint32, *[tileWords]uint64, *[rowWords]uint64, uint64) {
	panic("no vector kernels here")
}

func turnVector(Op, []uint64, []uint64, int, *[turnOrders]order, uint8, *[rowWords]uint64) {
	panic("no vector kernels here")
}

func squeezeVector([]byte, []byte, []uint64, int) int { panic("no vector kernels here") }

func expandVector([]uint64, []byte, []byte, int) (int, int) { panic("no vector kernels here") }

func packVector([]byte, Digits, []uint64) int { panic("no vector kernels here") }

func unpackVector(Digits, []byte, []uint64) int { panic("no vector kernels here") }

func nonZeroVector([]uint64) uint64 { panic("no vector kernels here") }

func routeVector(to, states []uint32, r *Route) { panic("no vector kernels here") }

func dropVector(states []uint32) int { panic("no vector kernels here") }

func labelVector(touched, candidates, undecided, fresh, won []uint64) int {
	panic("no vector kernels here")
}

func prefetchBits(*uint64, *uint32, int) {}

func prefetchLines(*byte, int) {}
