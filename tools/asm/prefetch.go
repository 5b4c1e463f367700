package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// prefetch asks for words before they are read. The instruction waits for nothing and
// never faults.
func prefetch() {
	TEXT("prefetchBits", NOSPLIT, "func(plane *uint64, bits *uint32, count int)")
	Pragma("noescape")
	Doc("prefetchBits asks for the words of a plane that have some bits, of whose numbers the highest bit is not looked at.")
	plane := Load(Param("plane"), GP64())
	bits := Load(Param("bits"), GP64())
	count := Load(Param("count"), GP64())
	word := GP64()
	Label("prefetchBit")
	MOVL(Mem{Base: bits}, word.As32())
	SHLL(U8(1), word.As32())
	SHRL(U8(7), word.As32())
	PREFETCHT0(Mem{Base: plane, Index: word, Scale: 8})
	ADDQ(U8(4), bits)
	DECQ(count)
	JNZ(LabelRef("prefetchBit"))
	RET()

	TEXT("prefetchLines", NOSPLIT, "func(at *byte, lines int)")
	Pragma("noescape")
	Doc("prefetchLines asks for so many lines of 64 bytes.")
	at := Load(Param("at"), GP64())
	lines := Load(Param("lines"), GP64())
	Label("prefetchLine")
	PREFETCHT0(Mem{Base: at})
	ADDQ(U8(64), at)
	DECQ(lines)
	JNZ(LabelRef("prefetchLine"))
	RET()
}
