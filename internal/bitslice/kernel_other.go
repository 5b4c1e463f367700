//go:build !amd64 && !arm64

package bitslice

// Nothing calls these: vectors reports false here.
const none = "no vector kernels here"

func (*tile) foldVector(Op, *uint64, *[rowWords]uint32, *uint64, *uint64, *[rowWords]uint32, *[rowWords]uint64, uint64, *[tileWords]uint64) bool {
	panic(none)
}
func (*tile) transformVector(*[tileWords]uint64, *uint64, *uint64, *[rowWords]uint32) bool {
	panic(none)
}
func foldRowsVector(Op, []uint64, []uint64, *rowMap, *[rowWords]uint64) { panic(none) }
func solveGroupVector([]uint64, []*uint64)                              { panic(none) }
func countVector(*[weights]uint64, []uint64, uint32)                    { panic(none) }
func liveVector(*uint64, *[rowWords]uint32, uint64) bool                { panic(none) }
func squeezeVector(_, _ []byte, _ []uint64) (int, int)                  { panic(none) }
func expandVector([]uint64, []byte, []byte) (int, int)                  { panic(none) }
func packVector([]byte, Digits, []uint64) int                           { panic(none) }
func unpackVector(Digits, []byte, []uint64) int                         { panic(none) }
func nonZeroVector([]uint64) uint64                                     { panic(none) }
func routeVector(_, _ []uint32, _ *Route)                               { panic(none) }
func routeKeptVector(_, _ []uint32, _ *Route) int                       { panic(none) }
func labelVector(_, _, _, _, _ []uint64) int                            { panic(none) }
func leastVector(_, _ []*uint64, _ int)                                 { panic(none) }
func prefetchBits(*uint64, *uint32, int)                                {}
func prefetchLines(*byte, int)                                          {}
