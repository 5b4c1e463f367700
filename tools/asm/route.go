package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Bits that a state has beside its own, when its bits are picked.
const (
	lacksBit = 62
	oneBit   = 63
)

// broadcast returns a register with a word in each lane.
func broadcast(word uint64) reg.VecVirtual {
	gp, z := GP64(), ZMM()
	MOVQ(U64(word), gp)
	VPBROADCASTQ(gp, z)
	return z
}

// route takes states along an index map: each of the 32 bits on the other side is picked
// from a state by its number.
func route() {
	begin("route512", "func(to *uint32, states *uint32, count uint64, control *[32]uint8, needs uint32)",
		"route512 sets to to the other sides of states: bit i is bit control[i] of the state, where bit 62 says that",
		"the state lacks any of the bits it needs, and is 0 then but for that, and bit 63 is set.")
	to, states, count := arg("to"), arg("states"), arg("count")
	control, needs := ZMM(), YMM()
	VBROADCASTI64X4(Mem{Base: arg("control")}, control)
	VPBROADCASTD(Load(Param("needs"), GP32()), needs)
	one, lacks := broadcast(1<<oneBit), broadcast(1<<lacksBit)
	// Of eight states two are taken at a time, four lanes each.
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
	VZEROUPPER()
	RET()
}

// restMask returns a mask of the first so many lanes.
func restMask(count reg.Register) reg.Register {
	ones, k := GP32(), K()
	MOVL(U32(1<<16-1), ones)
	BZHIL(count.(reg.GP).As32(), ones, ones)
	KMOVW(ones, k)
	return k
}

// drop takes out the states whose highest bit is set.
func drop() {
	begin("drop512", "func(states *uint32, count uint64) uint64",
		"drop512 takes out those states whose highest bit is set, and returns how many are left. What is behind",
		"these is spoiled.")
	states, count := arg("states"), arg("count")
	to, kept, n := GP64(), GP64(), GP32()
	MOVQ(states, to)
	x, absent, stays := ZMM(), K(), K()
	XORQ(kept, kept)
	Label("dropGroup")
	CMPQ(count, U8(16))
	JB(LabelRef("dropRest"))
	VMOVDQU32(Mem{Base: states}, x)
	VPMOVD2M(x, absent)
	KNOTW(absent, stays)
	VPCOMPRESSD_Z(x, stays, x)
	VMOVDQU32(x, Mem{Base: to, Index: kept, Scale: 4})
	KMOVW(stays, n)
	POPCNTL(n, n)
	ADDQ(n.As64(), kept)
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
	VPCOMPRESSD_Z(x, stays, x)
	VMOVDQU32(x, rest, Mem{Base: to, Index: kept, Scale: 4})
	KMOVW(stays, n)
	POPCNTL(n, n)
	ADDQ(n.As64(), kept)
	Label("dropped")
	Store(kept, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
