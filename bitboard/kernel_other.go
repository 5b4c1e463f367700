//go:build !amd64

package bitboard

const hasVector = false

func transformVector(*[tileWords]uint64, *uint64, *step, int) bool { panic("no vector kernels here") }

func storeVector(Op, *uint64, *[tileWords]uint64, uint64) { panic("no vector kernels here") }
