package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Numbers of bits that a state has besides its own.
const (
	lacksBit = 62
	oneBit   = 63
)

func broadcast(word uint64) reg.VecVirtual {
	gp, z := GP64(), ZMM()
	MOVQ(U64(word), gp)
	VPBROADCASTQ(gp, z)
	return z
}

// route maps states along an index map: it picks each of the 32 bits of the other side by its number.
func route() {
	begin("route512", "func(to *uint32, states *uint32, count uint64, control *[32]uint8, needs uint32)",
		"route512 maps states to to: bit i is bit control[i] of the state, where bit 62 is set if the state lacks any",
		"bit of needs, which clears the others, and bit 63 is always set.")
	to, states, count := arg("to"), arg("states"), arg("count")
	control, needs := ZMM(), YMM()
	VBROADCASTI64X4(Mem{Base: arg("control")}, control)
	VPBROADCASTD(Load(Param("needs"), GP32()), needs)
	one, lacks := broadcast(1<<oneBit), broadcast(1<<lacksBit)
	// Two of eight states at a time, in four lanes each.
	var pair [4]reg.VecVirtual
	for i := range pair {
		pair[i] = table([]string{"pair0", "pair1", "pair2", "pair3"}[i], func(lane int) int { return 2*i + lane/4 })
	}
	x, has, z, t, goes, not, picked := YMM(), YMM(), ZMM(), ZMM(), K(), K(), K()
	bits := GP64()
	take := func(dst Mem) {
		VPANDD(needs, x, has)
		VPCMPEQD(needs, has, goes)
		VMOVDQA32_Z(x, goes, x)
		VPMOVZXDQ(x, z)
		VPORQ(one, z, z)
		KNOTB(goes, not)
		VPORQ(lacks, z, not, z)
		for i := range pair {
			VPERMQ(z, pair[i], t)
			VPSHUFBITQMB(control, t, picked)
			KMOVQ(picked, bits)
			dst.Disp = 8 * i
			MOVQ(bits, dst)
		}
	}
	Label("routeGroup")
	CMPQ(count, U8(8))
	JB(LabelRef("routeRest"))
	VMOVDQU32(Mem{Base: states}, x)
	take(Mem{Base: to})
	ADDQ(U8(32), states)
	ADDQ(U8(32), to)
	SUBQ(U8(8), count)
	JMP(LabelRef("routeGroup"))
	Label("routeRest")
	TESTQ(count, count)
	JZ(LabelRef("routed"))
	rest := restMask(count)
	VMOVDQU32_Z(Mem{Base: states}, rest, x)
	local := AllocLocal(32)
	base := GP64()
	LEAQ(local, base)
	take(Mem{Base: base})
	VMOVDQU32(Mem{Base: base}, x)
	VMOVDQU32(x, rest, Mem{Base: to})
	Label("routed")
	end()
}

func restMask(count reg.Register) reg.Register {
	ones, k := GP32(), K()
	MOVL(U32(1<<16-1), ones)
	BZHIL(count.(reg.GP).As32(), ones, ones)
	KMOVW(ones, k)
	return k
}

func drop() {
	begin("drop512", "func(states *uint32, count uint64) uint64",
		"drop512 removes the states whose highest bit is set, and returns how many are left. Those",
		"after them become undefined.")
	states, count := arg("states"), arg("count")
	to, kept, n := GP64(), GP64(), GP32()
	MOVQ(states, to)
	x, absent, stays := ZMM(), K(), K()
	XORQ(kept, kept)
	keep := func(write func(to Mem)) {
		VPCOMPRESSD_Z(x, stays, x)
		write(Mem{Base: to, Index: kept, Scale: 4})
		KMOVW(stays, n)
		POPCNTL(n, n)
		ADDQ(n.As64(), kept)
	}
	Label("dropGroup")
	CMPQ(count, U8(16))
	JB(LabelRef("dropRest"))
	VMOVDQU32(Mem{Base: states}, x)
	VPMOVD2M(x, absent)
	KNOTW(absent, stays)
	keep(func(to Mem) { VMOVDQU32(x, to) })
	ADDQ(U8(64), states)
	SUBQ(U8(16), count)
	JMP(LabelRef("dropGroup"))
	Label("dropRest")
	TESTQ(count, count)
	JZ(LabelRef("dropped"))
	rest := restMask(count)
	VMOVDQU32_Z(Mem{Base: states}, rest, x)
	VPMOVD2M(x, absent)
	KANDNW(rest, absent, stays)
	keep(func(to Mem) { VMOVDQU32(x, rest, to) })
	Label("dropped")
	answer(kept)
}

// route256 takes one state at a time: it copies it to all lanes, shuffles the byte to each place that
// has the bit, and compares that with the bit.
func route256() {
	begin("route256", "func(to *uint32, states *uint32, count uint64, control *[32]uint8, needs uint32, dropped uint64) uint64",
		"route256 maps states to to: bit i is bit control[i] of the state, where bit 62 is set if the state lacks any",
		"bit of needs, which clears the others, and bit 63 is always set. If dropped is 1, not 0,",
		"it leaves out those whose highest bit is set. It returns how many it wrote.")
	to, states, count := arg("to"), arg("states"), arg("count")
	control, needs, dropped := YMM(), YMM(), arg("dropped")
	VMOVDQU(Mem{Base: arg("control")}, control)
	VMOVD(Load(Param("needs"), GP32()), needs.AsX())
	VPBROADCASTD(needs.AsX(), needs)
	// Bits 3 to 5 of a number select the byte, none from 56 on. Bits 0 to 3 of the number plus one select the
	// bit in it, none for 63: there 0 equals 0.
	place, bit := YMM(), YMM()
	VPSRLQ(U8(3), control, place)
	VPAND(constant256("places", 0x0f), place, place)
	table := YMM()
	VBROADCASTI128(constant("placeBytes", []uint64{0x8080808003020100, 0x8080808080808080}), table)
	VPSHUFB(place, table, place)
	VPADDB(constant256("pastOne", 128-oneBit), control, bit)
	VBROADCASTI128(bytesAt("placeBits", 16, func(x int) int { return 1 << ((x + 7) % 8) }), table)
	VPSHUFB(bit, table, bit)
	// The last number is always 62; bit 31 of the prepared state has it.
	last := YMM()
	VMOVDQU(constant("lastPlace", []uint64{0, 0, 0, (0x80 ^ 3) << 56}), last)
	VPXOR(last, place, place)
	VMOVDQU(constant("lastBit", []uint64{0, 0, 0, (1<<(lacksBit%8) ^ 0x80) << 56}), last)
	VPXOR(last, bit, bit)

	absent, x, goes := YMM(), YMM(), YMM()
	VPCMPEQD(absent, absent, absent)
	VPSLLD(U8(31), absent, absent)
	mask := func() {
		VPAND(needs, x, goes)
		VPCMPEQD(needs, goes, goes)
		VPAND(goes, x, x)
		VPANDN(absent, goes, goes)
		VPOR(goes, x, x)
	}
	local := AllocLocal(32)
	base, kept, other := GP64(), GP64(), GP32()
	LEAQ(local, base)
	XORQ(kept, kept)
	y := YMM()
	take := func(from Mem) {
		VPBROADCASTD(from, y)
		VPSHUFB(place, y, y)
		VPAND(bit, y, y)
		VPCMPEQB(bit, y, y)
		VPMOVMSKB(y, other)
		MOVL(other, Mem{Base: to, Index: kept, Scale: 4})
		SHRL(U8(31), other)
		ANDL(dropped.(reg.GP).As32(), other)
		INCQ(kept)
		SUBQ(other.As64(), kept)
	}
	Label("route256Group")
	CMPQ(count, U8(8))
	JB(LabelRef("route256Rest"))
	VMOVDQU(Mem{Base: states}, x)
	mask()
	VMOVDQU(x, Mem{Base: base})
	for i := range 8 {
		take(Mem{Base: base, Disp: 4 * i})
	}
	ADDQ(U8(32), states)
	SUBQ(U8(8), count)
	JMP(LabelRef("route256Group"))
	Label("route256Rest")
	TESTQ(count, count)
	JZ(LabelRef("routed256"))
	VPBROADCASTD(Mem{Base: states}, x)
	mask()
	VMOVD(x.AsX(), Mem{Base: base})
	take(Mem{Base: base})
	ADDQ(U8(4), states)
	DECQ(count)
	JMP(LabelRef("route256Rest"))
	Label("routed256")
	answer(kept)
}

// constant256 is a register of equal bytes as data.
func constant256(name string, value uint64) Mem {
	value *= 0x0101010101010101
	return constant(name, []uint64{value, value, value, value})
}
