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
