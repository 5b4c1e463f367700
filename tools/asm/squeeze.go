package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// squeeze writes rows of eight words without the bytes that are zero. A row is written as
// a whole: to memory, only a register is compressed fast.
func squeeze() {
	begin("squeeze512", "func(dst *byte, masks *byte, words *uint64, rows uint64) uint64",
		"squeeze512 writes the bytes of rows of eight words that are not zero to dst, and to masks, for each",
		"word, which these are. It returns how many bytes it wrote to dst, and may spoil 64 bytes behind them.")
	dst, masks, words, rows := arg("dst"), arg("masks"), arg("words"), arg("rows")
	begin, mask := GP64(), GP64()
	MOVQ(dst, begin)
	x, k := ZMM(), K()
	Label("squeezeRow")
	VMOVDQU64(Mem{Base: words}, x)
	VPTESTMB(x, x, k)
	KMOVQ(k, mask)
	MOVQ(mask, Mem{Base: masks})
	VPCOMPRESSB_Z(x, k, x)
	VMOVDQU64(x, Mem{Base: dst})
	POPCNTQ(mask, mask)
	ADDQ(mask, dst)
	ADDQ(U8(8), masks)
	ADDQ(U8(64), words)
	DECQ(rows)
	JNZ(LabelRef("squeezeRow"))
	SUBQ(begin, dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// expand is the way back.
func expand() {
	begin("expand512", "func(words *uint64, masks *byte, src *byte, length uint64, rows uint64) (done uint64, used uint64)",
		"expand512 sets rows of eight words to what was squeezed into masks and src, as long as there are 64 bytes",
		"left of the length of src. It returns the rows that it set, and the bytes that it used up.")
	words, masks, src, length, rows := arg("words"), arg("masks"), arg("src"), arg("length"), arg("rows")
	used, done, next, mask := GP64(), GP64(), GP64(), GP64()
	XORQ(used, used)
	XORQ(done, done)
	x, k := ZMM(), K()
	Label("expandRow")
	LEAQ(Mem{Base: used, Disp: 64}, next)
	CMPQ(next, length)
	JA(LabelRef("expanded"))
	MOVQ(Mem{Base: masks, Index: done, Scale: 8}, mask)
	KMOVQ(mask, k)
	VMOVDQU64(Mem{Base: src, Index: used, Scale: 1}, x)
	VPEXPANDB_Z(x, k, x)
	VMOVDQU64(x, Mem{Base: words})
	ADDQ(U8(64), words)
	POPCNTQ(mask, mask)
	ADDQ(mask, used)
	INCQ(done)
	CMPQ(done, rows)
	JB(LabelRef("expandRow"))
	Label("expanded")
	Store(done, Return("done"))
	Store(used, Return("used"))
	VZEROUPPER()
	RET()
}
