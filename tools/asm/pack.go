package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposed is the matrix, with its rows reversed, of the affine transformation that transposes words.
const transposed = 0x8040201008040201

func permutation(name string, of func(i int) int) reg.VecVirtual {
	z := ZMM()
	VMOVDQU64(bytesAt(name, 64, of), z)
	return z
}

// nextWord goes on with the digits of the next word.
func nextWord(digits, stride, those, words reg.Register, label string) {
	ADDQ(stride, digits)
	ADDQ(U8(8), those)
	again(words, label)
}

func pack() {
	begin("pack512", "func(dst *byte, digits *byte, stride uint64, lanes uint64, those *uint64, words uint64) uint64",
		"pack512 writes the numbers of those states of words to dst, a byte each, and returns how many. lanes has",
		"a bit for each digit; stride is in bytes. The next 64 bytes become undefined.")
	dst, digits, stride, lanes, those, words := arg("dst"), arg("digits"), arg("stride"), arg("lanes"), arg("those"), arg("words")
	begin, states := GP64(), GP64()
	MOVQ(dst, begin)
	byLane := permutation("packLanes", func(i int) int { return 8*(7-i%8) + i/8 })
	columns := broadcast(transposed)
	x, present, some := ZMM(), K(), K()
	KMOVQ(lanes, present)
	Label("packWord")
	MOVQ(Mem{Base: those}, states)
	VMOVDQU64_Z(Mem{Base: digits}, present, x)
	VPERMB(x, byLane, x)
	VGF2P8AFFINEQB(U8(0), x, columns, x)
	KMOVQ(states, some)
	VPCOMPRESSB_Z(x, some, x)
	VMOVDQU64(x, Mem{Base: dst})
	POPCNTQ(states, states)
	ADDQ(states, dst)
	nextWord(digits, stride, those, words, "packWord")
	answerAdvance(begin, dst)
}

func unpack() {
	begin("unpack512", "func(digits *byte, stride uint64, lanes uint64, src *byte, those *uint64, words uint64) uint64",
		"unpack512 adds to the digits of words what was packed into src, and returns how many bytes of it it used. It may read",
		"64 bytes more.")
	digits, stride, lanes, src, those, words := arg("digits"), arg("stride"), arg("lanes"), arg("src"), arg("those"), arg("words")
	begin, states := GP64(), GP64()
	MOVQ(src, begin)
	byLane := permutation("unpackLanes", func(i int) int { return 8*(i%8) + i/8 })
	reversed := permutation("unpackReversed", func(i int) int { return i/8*8 + 7 - i%8 })
	columns := broadcast(transposed)
	x, present, some := ZMM(), K(), K()
	KMOVQ(lanes, present)
	Label("unpackWord")
	MOVQ(Mem{Base: those}, states)
	KMOVQ(states, some)
	VMOVDQU64(Mem{Base: src}, x)
	VPEXPANDB_Z(x, some, x)
	VPERMB(x, reversed, x)
	VGF2P8AFFINEQB(U8(0), x, columns, x)
	VPERMB(x, byLane, x)
	VPORQ_Z(Mem{Base: digits}, x, present, x)
	VMOVDQU64(x, present, Mem{Base: digits})
	POPCNTQ(states, states)
	ADDQ(states, src)
	nextWord(digits, stride, those, words, "unpackWord")
	answerAdvance(begin, src)
}

// packed256 is the common part of packing and unpacking. 64 numbers are in two registers: a word for each
// digit, or eight words of eight numbers.
type packed256 struct {
	x     [2]reg.VecVirtual
	t, u  reg.VecVirtual
	local Mem
}

func newPacked256() *packed256 {
	return &packed256{[2]reg.VecVirtual{YMM(), YMM()}, YMM(), YMM(), AllocLocal(64)}
}

// lengthMask256 returns where a mask of the first words of a row is.
func lengthMask256(words reg.Register) (at reg.Register) {
	ones := make([]uint64, 16)
	for i := range 8 {
		ones[i] = ^uint64(0)
	}
	at = GP64()
	LEAQ(constant("firstWords", ones).Offset(64), at)
	SHLQ(U8(3), words)
	SUBQ(words, at)
	return at
}

func lengthMasks256(words reg.Register) (m [2]reg.VecVirtual) {
	at := lengthMask256(words)
	for i := range m {
		m[i] = YMM()
		VMOVDQU(ymm(at, i), m[i])
	}
	return m
}

// shuffle256 shuffles the bytes of each half of a register.
func shuffle256(name string, from func(i int) int, x reg.VecVirtual) {
	VPSHUFB(bytesAt(name, 32, func(i int) int { return from(i % 16) }), x, x)
}

// regroup exchanges halves: registers of halves a, b and c, d become a, c and b, d.
func (p *packed256) regroup() {
	VPERM2I128(U8(0x20), p.x[1], p.x[0], p.t)
	VPERM2I128(U8(0x31), p.x[1], p.x[0], p.x[1])
	p.x[0], p.t = p.t, p.x[0]
}

// quarter orders the double words of a register so that every fourth becomes a neighbour, or back.
func (p *packed256) quarter(back bool) {
	for _, x := range p.x {
		if back {
			VPSHUFD(U8(0xd8), x, x)
		}
		VPERMQ(U8(0xd8), x, x)
		if !back {
			VPSHUFD(U8(0xd8), x, x)
		}
	}
}

// gather makes words of the bytes that have the same place in all words.
func (p *packed256) gather() {
	for _, x := range p.x {
		shuffle256("packPairs", func(i int) int { return i/2 + i%2*8 }, x)
	}
	p.regroup()
	VPUNPCKLWD(p.x[1], p.x[0], p.t)
	VPUNPCKHWD(p.x[1], p.x[0], p.x[1])
	p.x[0], p.t = p.t, p.x[0]
	p.quarter(false)
}

func (p *packed256) scatter() {
	p.quarter(true)
	for _, x := range p.x {
		shuffle256("unpackWords", func(i int) int { return i/2*4%16 + i/8*2 + i%2 }, x)
	}
	VPUNPCKLQDQ(p.x[1], p.x[0], p.t)
	VPUNPCKHQDQ(p.x[1], p.x[0], p.x[1])
	p.x[0], p.t = p.t, p.x[0]
	p.regroup()
	for _, x := range p.x {
		shuffle256("unpackPairs", func(i int) int { return i%8*2 + i/8 }, x)
	}
}

func (p *packed256) transpose() {
	for _, step := range []struct{ shift, mask uint64 }{{7, 0x00aa00aa00aa00aa}, {14, 0x0000cccc0000cccc}, {28, 0x00000000f0f0f0f0}} {
		mask := constant(fmt.Sprintf("transpose%d", step.shift), []uint64{step.mask, step.mask, step.mask, step.mask})
		for _, x := range p.x {
			exchange256(U8(step.shift), mask, x, x, p.t)
		}
	}
}

// eachByte shuffles eight bytes for each byte of the states, by a table, and advances at by their number.
func eachByte(states, orders, at reg.Register, from, to func(i int) Mem) {
	mask, x, order := GP64(), XMM(), XMM()
	for i := range 8 {
		MOVBLZX(states.(reg.GP).As8(), mask.As32())
		VMOVQ(from(i), x)
		VMOVQ(Mem{Base: orders, Index: mask, Scale: 8}, order)
		VPSHUFB(order, x, x)
		VMOVQ(x, to(i))
		POPCNTL(mask.As32(), mask.As32())
		ADDQ(mask, at)
		if i < 7 {
			SHRQ(U8(8), states)
		}
	}
}

func pack256() {
	begin("pack256", "func(dst *byte, digits *byte, stride uint64, columns uint64, those *uint64, words uint64) uint64",
		"pack256 writes the numbers of those states of words to dst, a byte each, and returns how many. Each has as many digits",
		"as there are columns; stride is in bytes. The next eight bytes become undefined.")
	dst, digits, stride, columns, those, words := arg("dst"), arg("digits"), arg("stride"), arg("columns"), arg("those"), arg("words")
	begin, states, orders := GP64(), GP64(), GP64()
	MOVQ(dst, begin)
	LEAQ(byteOrders("squeezeOrders", false), orders)
	present, p := lengthMasks256(columns), newPacked256()
	Label("pack256Word")
	MOVQ(Mem{Base: those}, states)
	for i, x := range p.x {
		VPMASKMOVQ(ymm(digits, i), present[i], x)
	}
	p.gather()
	p.transpose()
	for i, x := range p.x {
		VMOVDQU(x, p.local.Offset(32*i))
	}
	eachByte(states, orders, dst, func(i int) Mem { return p.local.Offset(8 * i) }, func(int) Mem { return Mem{Base: dst} })
	nextWord(digits, stride, those, words, "pack256Word")
	answerAdvance(begin, dst)
}

func unpack256() {
	begin("unpack256", "func(digits *byte, stride uint64, columns uint64, src *byte, those *uint64, words uint64) uint64",
		"unpack256 adds to the digits of words what was packed into src, and returns how many bytes of it it used. It may read",
		"eight bytes more.")
	digits, stride, columns, src, those, words := arg("digits"), arg("stride"), arg("columns"), arg("src"), arg("those"), arg("words")
	begin, states, orders := GP64(), GP64(), GP64()
	MOVQ(src, begin)
	LEAQ(byteOrders("expandOrders", true), orders)
	present, p := lengthMasks256(columns), newPacked256()
	Label("unpack256Word")
	MOVQ(Mem{Base: those}, states)
	eachByte(states, orders, src, func(int) Mem { return Mem{Base: src} }, func(i int) Mem { return p.local.Offset(8 * i) })
	for i, x := range p.x {
		VMOVDQU(p.local.Offset(32*i), x)
	}
	p.transpose()
	p.scatter()
	for i, x := range p.x {
		VPMASKMOVQ(ymm(digits, i), present[i], p.u)
		VPOR(p.u, x, x)
		VPMASKMOVQ(x, present[i], ymm(digits, i))
	}
	nextWord(digits, stride, those, words, "unpack256Word")
	answerAdvance(begin, src)
}
