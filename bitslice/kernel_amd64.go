package bitslice

import "golang.org/x/sys/cpu"

//go:generate go -C ../tools/asm run . -out ../../bitslice/kernel_amd64.s -stubs ../../bitslice/kernel_stub_amd64.go -pkg bitslice

// hasVector chooses the vector kernels. Every feature that they use is asked
// for, because each can be switched off alone.
var hasVector = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512BW &&
	cpu.X86.HasAVX512VL && cpu.X86.HasAVX512VBMI

// hasCountVector asks for the population count of vectors too, and hasVector for
// the permutation of bytes that settling looks tables up with.
var hasCountVector = hasVector && cpu.X86.HasAVX512VPOPCNTDQ

func settleVector(win []uint64) {
	settleRows512(&win[0], uint64(len(win)/rowWords))
}

func countVector(sums []rowCounts, words []uint64, first uint32) {
	countRows512(&sums[0][0][0], &words[0], uint64(len(words)/rowWords), uint64(first))
}

func transformVector(buf *[tileWords]uint64, src *uint64, exchanges *exchange, count int) bool {
	return transform512(buf, src, (*[3]uint64)(exchanges), count)
}

func storeVector(op Op, dst *uint64, buf *[tileWords]uint64, keep uint64) {
	switch op {
	case Or:
		storeOr512(dst, buf, keep)
	case OrNot:
		storeOrNot512(dst, buf, keep)
	case And:
		storeAnd512(dst, buf, keep)
	}
}
