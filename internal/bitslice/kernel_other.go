//go:build !amd64 && !arm64

package bitslice

func solveGroupVector([]uint64, []*uint64) { panic("no vector kernels here") }

func countVector(*[weights]uint64, []uint64, uint32) { panic("no vector kernels here") }

func (*tile) transformVector(*[tileWords]uint64, *uint64, *uint64, *[rowWords]uint32) bool {
	panic("no vector kernels here")
}

func (*tile) foldVector(Op, *uint64, *[rowWords]uint32, *uint64, *uint64, *[rowWords]uint32, *[rowWords]uint64, uint64, *[tileWords]uint64) bool {
	panic("no vector kernels here")
}

func liveVector(*uint64, *[rowWords]uint32, uint64) bool { panic("no vector kernels here") }

func foldRowsVector(Op, []uint64, []uint64, *rowMap, *[rowWords]uint64) {
	panic("no vector kernels here")
}

func squeezeVector(_, _ []byte, _ []uint64) (int, int) { panic("no vector kernels here") }

func expandVector([]uint64, []byte, []byte) (int, int) { panic("no vector kernels here") }

func packVector([]byte, Digits, []uint64) int { panic("no vector kernels here") }

func unpackVector(Digits, []byte, []uint64) int { panic("no vector kernels here") }

func nonZeroVector([]uint64) uint64 { panic("no vector kernels here") }

func routeVector(_, _ []uint32, _ *Route) { panic("no vector kernels here") }

func routeKeptVector(_, _ []uint32, _ *Route) int { panic("no vector kernels here") }

func labelVector(_, _, _, _, _ []uint64) int { panic("no vector kernels here") }

func prefetchBits(*uint64, *uint32, int) {}

func prefetchLines(*byte, int) {}
