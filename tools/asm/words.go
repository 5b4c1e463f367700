package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// prefetch prefetches words. The instruction does not wait and never faults.
func prefetch() {
	begin("prefetchBits", "func(plane *uint64, bits *uint32, count int)",
		"prefetchBits prefetches the words of a plane that have some bits. It ignores the highest bit of their numbers.")
	plane, bits, count := arg("plane"), arg("bits"), arg("count")
	word := GP64()
	Label("prefetchBit")
	MOVL(Mem{Base: bits}, word.As32())
	SHLL(U8(1), word.As32())
	SHRL(U8(7), word.As32())
	PREFETCHT0(Mem{Base: plane, Index: word, Scale: 8})
	ADDQ(U8(4), bits)
	again(count, "prefetchBit")
	RET()

	begin("prefetchLines", "func(at *byte, lines int)",
		"prefetchLines prefetches lines of 64 bytes.")
	at, lines := arg("at"), arg("lines")
	Label("prefetchLine")
	PREFETCHT0(Mem{Base: at})
	ADDQ(U8(64), at)
	again(lines, "prefetchLine")
	RET()
}

func nonZero() {
	begin("nonZero512", "func(words *uint64) uint64",
		"nonZero512 returns a bit for each of 64 words: whether it is not zero.")
	words := arg("words")
	z := tile()
	for i := range z {
		VMOVDQU64(row(words, i), z[i])
	}
	mask := GP64()
	for i := range z {
		k := K()
		VPTESTMQ(z[i], z[i], k)
		if i == 0 {
			KMOVB(k, mask.As32())
			continue
		}
		bits := GP64()
		KMOVB(k, bits.As32())
		SHLQ(U8(uint8(8*i)), bits)
		ORQ(bits, mask)
	}
	answer(mask)
}

func nonZero256() {
	begin("nonZero256", "func(words *uint64) uint64",
		"nonZero256 returns a bit for each of 64 words: whether it is not zero.")
	words := arg("words")
	zero, x, zeros, bits := YMM(), YMM(), GP64(), GP64()
	VPXOR(zero, zero, zero)
	for i := tileRegisters - 1; i >= 0; i-- {
		VPCMPEQQ(ymm(words, i), zero, x)
		VMOVMSKPD(x, bits.As32())
		if i == tileRegisters-1 {
			MOVQ(bits, zeros)
			continue
		}
		SHLQ(U8(4), zeros)
		ORQ(bits, zeros)
	}
	NOTQ(zeros)
	answer(zeros)
}
