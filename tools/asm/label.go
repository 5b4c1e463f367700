package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// beginLabel begins what reverses rows of touched states, and decides those that are undecided.
func beginLabel(name string) {
	begin(name, "func(touched *uint64, candidates *uint64, undecided *uint64, fresh *uint64, won *uint64, rows uint64) uint64",
		name+" clears the touched states in candidates. In the reverse order of rows, words and bits,",
		"it moves those that are undecided to fresh and to won. It returns how many there were.")
}

func label() {
	beginLabel("label512")
	touched, candidates, undecided, fresh, won, rows := arg("touched"), arg("candidates"), arg("undecided"), arg("fresh"), arg("won"), arg("rows")
	at := GP64()
	LEAQ(Mem{Base: rows, Disp: -1}, at)
	SHLQ(U8(6), at)

	bytes := ZMM()
	VMOVDQU64(bytesAt("backwards", 64, func(i int) int { return 63 - i }), bytes)
	bits := broadcast(transposed)
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
	again(rows, "labelRow")

	VEXTRACTI64X4(U8(1), count, x.AsY())
	VPADDQ(x.AsY(), count.AsY(), y.AsY())
	VEXTRACTI128(U8(1), y.AsY(), x.AsX())
	VPADDQ(x.AsX(), y.AsX(), y.AsX())
	VPSHUFD(U8(0x4e), y.AsX(), x.AsX())
	VPADDQ(x.AsX(), y.AsX(), y.AsX())
	sum := GP64()
	VMOVQ(y.AsX(), sum)
	answer(sum)
}

// label256 has two registers a row. It reverses bits nibble by nibble, by table.
func label256() {
	beginLabel("label256")
	touched, candidates, undecided, fresh, won, rows := arg("touched"), arg("candidates"), arg("undecided"), arg("fresh"), arg("won"), arg("rows")
	at := GP64()
	ADDQ(rows, rows)
	LEAQ(Mem{Base: rows, Disp: -1}, at)
	SHLQ(U8(5), at)
	nibble, low, high, backwards := broadcast256(0x0f0f0f0f0f0f0f0f), YMM(), YMM(), YMM()
	VBROADCASTI128(bytesAt("mirroredLow", 16, func(x int) int { return mirrored(x) << 4 }), low)
	VBROADCASTI128(bytesAt("mirroredHigh", 16, mirrored), high)
	VBROADCASTI128(constant("bytesBackwards", []uint64{0x08090a0b0c0d0e0f, 0x0001020304050607}), backwards)
	count, x, y, z, word := GP64(), YMM(), YMM(), YMM(), GP64()
	XORQ(count, count)
	Label("label256Row")
	VMOVDQU(Mem{Base: touched}, x)
	VPTEST(x, x)
	JZ(LabelRef("labelled256"))
	VPANDN(Mem{Base: candidates}, x, y)
	VMOVDQU(y, Mem{Base: candidates})
	VPAND(nibble, x, y)
	VPSRLQ(U8(4), x, x)
	VPAND(nibble, x, x)
	VPSHUFB(y, low, y)
	VPSHUFB(x, high, x)
	VPOR(y, x, x)
	VPSHUFB(backwards, x, x)
	VPERMQ(U8(0x4e), x, x)
	VMOVDQU(Mem{Base: undecided, Index: at, Scale: 1}, y)
	VPAND(y, x, x)
	VPTEST(x, x)
	JZ(LabelRef("labelled256"))
	VPXOR(y, x, y)
	VMOVDQU(y, Mem{Base: undecided, Index: at, Scale: 1})
	VPOR(Mem{Base: fresh, Index: at, Scale: 1}, x, y)
	VMOVDQU(y, Mem{Base: fresh, Index: at, Scale: 1})
	VPOR(Mem{Base: won, Index: at, Scale: 1}, x, y)
	VMOVDQU(y, Mem{Base: won, Index: at, Scale: 1})
	VEXTRACTI128(U8(1), x, z.AsX())
	for _, half := range []reg.VecVirtual{x, z} {
		VMOVQ(half.AsX(), word)
		POPCNTQ(word, word)
		ADDQ(word, count)
		VPEXTRQ(U8(1), half.AsX(), word)
		POPCNTQ(word, word)
		ADDQ(word, count)
	}
	Label("labelled256")
	ADDQ(U8(32), touched)
	ADDQ(U8(32), candidates)
	SUBQ(U8(32), at)
	again(rows, "label256Row")
	answer(count)
}

// mirrored returns four bits in the opposite order.
func mirrored(x int) int { return x&1<<3 | x&2<<1 | x&4>>1 | x&8>>3 }
