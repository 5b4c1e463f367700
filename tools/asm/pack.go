package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packTables are what takes 64 numbers of eight binary digits from the one form to the other: orders
// of bytes, and the matrix that with a matrix of bits in its place gives the columns of that.
type packTables struct{ lanes, reversed, columns reg.VecVirtual }

func loadPackTables(pack bool) packTables {
	// The affine transformation takes the rows of its matrix from the last byte to the first.
	lanes, reversed := make([]uint64, 8), make([]uint64, 8)
	for i := range 8 {
		for l := range 8 {
			if pack {
				lanes[i] |= uint64(8*l+i) << (8 * (7 - l))
			} else {
				lanes[l] |= uint64(8*i+l) << (8 * i)
			}
			reversed[i] |= uint64(8*i+7-l) << (8 * l)
		}
	}
	t := packTables{ZMM(), ZMM(), ZMM()}
	if pack {
		VMOVDQU64(constant("packLanes", lanes), t.lanes)
	} else {
		VMOVDQU64(constant("unpackLanes", lanes), t.lanes)
		VMOVDQU64(constant("unpackReversed", reversed), t.reversed)
	}
	columns := GP64()
	MOVQ(U64(0x8040201008040201), columns)
	VPBROADCASTQ(columns, t.columns)
	return t
}

// pack writes a byte for each state that has a number.
func pack() {
	begin("pack512", "func(dst *byte, digits *byte, stride uint64, lanes uint64, those *uint64, words uint64) uint64",
		"pack512 writes the numbers of those states of words to dst, a byte each, and returns how many. lanes has",
		"a bit for each digit; stride is in bytes. It may spoil 64 bytes behind them.")
	dst, digits, stride, lanes, those, words := arg("dst"), arg("digits"), arg("stride"), arg("lanes"), arg("those"), arg("words")
	begin, states := GP64(), GP64()
	MOVQ(dst, begin)
	t := loadPackTables(true)
	x, present, some := ZMM(), K(), K()
	KMOVQ(lanes, present)
	Label("packWord")
	MOVQ(Mem{Base: those}, states)
	VMOVDQU64_Z(Mem{Base: digits}, present, x)
	VPERMB(x, t.lanes, x)
	VGF2P8AFFINEQB(U8(0), x, t.columns, x)
	KMOVQ(states, some)
	VPCOMPRESSB_Z(x, some, x)
	VMOVDQU64(x, Mem{Base: dst})
	POPCNTQ(states, states)
	ADDQ(states, dst)
	ADDQ(stride, digits)
	ADDQ(U8(8), those)
	DECQ(words)
	JNZ(LabelRef("packWord"))
	SUBQ(begin, dst)
	Store(dst, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// unpack is the way back.
func unpack() {
	begin("unpack512", "func(digits *byte, stride uint64, lanes uint64, src *byte, those *uint64, words uint64) uint64",
		"unpack512 adds to the digits of words what was packed into src, and returns how many bytes of it it used. It may read",
		"64 bytes behind them.")
	digits, stride, lanes, src, those, words := arg("digits"), arg("stride"), arg("lanes"), arg("src"), arg("those"), arg("words")
	begin, states := GP64(), GP64()
	MOVQ(src, begin)
	t := loadPackTables(false)
	x, present, some := ZMM(), K(), K()
	KMOVQ(lanes, present)
	Label("unpackWord")
	MOVQ(Mem{Base: those}, states)
	KMOVQ(states, some)
	VMOVDQU64(Mem{Base: src}, x)
	VPEXPANDB_Z(x, some, x)
	VPERMB(x, t.reversed, x)
	VGF2P8AFFINEQB(U8(0), x, t.columns, x)
	VPERMB(x, t.lanes, x)
	VPORQ_Z(Mem{Base: digits}, x, present, x)
	VMOVDQU64(x, present, Mem{Base: digits})
	POPCNTQ(states, states)
	ADDQ(states, src)
	ADDQ(stride, digits)
	ADDQ(U8(8), those)
	DECQ(words)
	JNZ(LabelRef("unpackWord"))
	SUBQ(begin, src)
	Store(src, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
