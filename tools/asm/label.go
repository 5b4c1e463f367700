package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// label decides states: it takes rows of eight words of those that have been touched from
// the one order to the other, in which the bits of a stretch stand the other way round.
func label() {
	begin("label512", "func(touched *uint64, candidates *uint64, undecided *uint64, fresh *uint64, won *uint64, rows uint64) uint64",
		"label512 clears the touched states in candidates. Those of them that are undecided, in rows that are taken",
		"from the last to the first and from their last bit to the first, it moves to fresh and to won. It returns how many.")
	touched, candidates, undecided, fresh, won, rows := arg("touched"), arg("candidates"), arg("undecided"), arg("fresh"), arg("won"), arg("rows")
	at := GP64()
	LEAQ(Mem{Base: rows, Disp: -1}, at)
	SHLQ(U8(6), at)

	backwards := make([]uint64, 8)
	for i := range 64 {
		backwards[i/8] |= uint64(63-i) << (8 * (i % 8))
	}
	bytes, bits := ZMM(), ZMM()
	VMOVDQU64(constant("backwards", backwards), bytes)
	mirror := GP64()
	MOVQ(U64(0x8040201008040201), mirror)
	VPBROADCASTQ(mirror, bits)
	count, x, y, some := ZMM(), ZMM(), ZMM(), K()
	VPXORQ(count, count, count)
	Label("labelRow")
	VMOVDQU64(Mem{Base: touched}, x)
	VPTESTMQ(x, x, some)
	KORTESTB(some, some)
	JZ(LabelRef("labelled"))
	VPANDNQ(Mem{Base: candidates}, x, y)
	VMOVDQU64(y, Mem{Base: candidates})
	VGF2P8AFFINEQB(U8(0), bits, x, x)
	VPERMB(x, bytes, x)
	VMOVDQU64(Mem{Base: undecided, Index: at, Scale: 1}, y)
	VPANDQ(y, x, x)
	VPTESTMQ(x, x, some)
	KORTESTB(some, some)
	JZ(LabelRef("labelled"))
	VPANDNQ(y, x, y)
	VMOVDQU64(y, Mem{Base: undecided, Index: at, Scale: 1})
	VPORQ(Mem{Base: fresh, Index: at, Scale: 1}, x, y)
	VMOVDQU64(y, Mem{Base: fresh, Index: at, Scale: 1})
	VPORQ(Mem{Base: won, Index: at, Scale: 1}, x, y)
	VMOVDQU64(y, Mem{Base: won, Index: at, Scale: 1})
	VPOPCNTQ(x, x)
	VPADDQ(x, count, count)
	Label("labelled")
	ADDQ(U8(64), touched)
	ADDQ(U8(64), candidates)
	SUBQ(U8(64), at)
	DECQ(rows)
	JNZ(LabelRef("labelRow"))

	VEXTRACTI64X4(U8(1), count, x.AsY())
	VPADDQ(x.AsY(), count.AsY(), y.AsY())
	VEXTRACTI128(U8(1), y.AsY(), x.AsX())
	VPADDQ(x.AsX(), y.AsX(), y.AsX())
	VPSHUFD(U8(0x4e), y.AsX(), x.AsX())
	VPADDQ(x.AsX(), y.AsX(), y.AsX())
	sum := GP64()
	VMOVQ(y.AsX(), sum)
	Store(sum, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
