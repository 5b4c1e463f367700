package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"math/bits"
)

// The states of a row, eight words, have nine index bits: three inside an octet,
// three for the octet's place in its word and three for the word. Octets are
// solved by table; among the 64 octets those with more bits set come first.

const (
	orNot = 0xf5 // a | ^c
	not   = 0x55 // ^c
)

// lostOctet is the complement of the table of package bitslice: which of the eight
// states of a three-bit index are lost.
func lostOctet(won int) int {
	for i := 7; i >= 0; i-- {
		for b := 1; b < 8; b <<= 1 {
			if i&b == 0 && won>>uint(i|b)&1 == 0 {
				won |= 1 << uint(i)
			}
		}
	}
	return ^won & 255
}

// orNotAll folds children into a group of rows.
func orNotAll() {
	begin("orNotRows512", "func(dst *uint64, children **uint64, count uint64, rows uint64)",
		"orNotRows512 sets rows of eight words at dst, a multiple of four, to dst | ^child for",
		"the rows of all children, and prefetches the rows before them, which come next.")
	dst, children, count, rows := arg("dst"), arg("children"), arg("count"), arg("rows")
	size, at, i, child := GP64(), GP64(), GP64(), GP64()
	MOVQ(rows, size)
	SHLQ(U8(6), size)
	XORQ(at, at)
	before := GP64() // of a row at, where the next group has it
	MOVQ(size, before)
	NEGQ(before)
	acc := [4]reg.VecVirtual{ZMM(), ZMM(), ZMM(), ZMM()}
	Label("strip")
	for j, z := range acc {
		VMOVDQU64(Mem{Base: dst, Index: at, Scale: 1, Disp: 64 * j}, z)
	}
	XORQ(i, i)
	Label("child")
	MOVQ(Mem{Base: children, Index: i, Scale: 8}, child)
	ADDQ(at, child)
	for j, z := range acc {
		VPTERNLOGQ(U8(orNot), Mem{Base: child, Disp: 64 * j}, z, z)
	}
	ADDQ(before, child)
	for j := range acc {
		PREFETCHT1(Mem{Base: child, Disp: 64 * j})
	}
	INCQ(i)
	CMPQ(i, count)
	JB(LabelRef("child"))
	for j, z := range acc {
		VMOVDQU64(z, Mem{Base: dst, Index: at, Scale: 1, Disp: 64 * j})
	}
	ADDQ(U32(64*len(acc)), at)
	CMPQ(at, size)
	JB(LabelRef("strip"))
	end()
}

// solve512 solves a group of rows by falling weight: rows of the same weight are independent.
func solve512() {
	begin("solveRows512", "func(win *uint64, order *uint8, rows uint64)",
		"solveRows512 solves a slice of so many rows of eight words, a power of two up to 64, as SolveSlice does.",
		"order has the numbers of the rows, by falling weight.")
	win, order, rows := arg("win"), arg("order"), arg("rows")
	octets := bytesAt("octets", 256, lostOctet)
	var weights [7]uint64
	for i := range 64 {
		weights[bits.OnesCount(uint(i))] |= 1 << uint(i)
	}
	levels := constant("octetsByWeight", weights[:])
	var table [4]reg.VecVirtual
	for i := range table {
		table[i] = ZMM()
		VMOVDQU64(octets.Offset(64*i), table[i])
	}
	x, acc, low, high := ZMM(), ZMM(), ZMM(), ZMM()
	lost, y, z := ZMM(), ZMM(), ZMM()
	level, top := K(), K()

	all, at := GP64(), GP64()
	LEAQ(Mem{Base: rows, Disp: -1}, all)
	clear, bit, child := GP64(), GP64(), GP64()
	address := GP64()
	Label("row")
	MOVBLZX(Mem{Base: order}, at.As32())
	INCQ(order)
	MOVQ(at, address)
	SHLQ(U8(6), address)
	ADDQ(win, address)
	VMOVDQU64(Mem{Base: address}, x)
	MOVQ(at, clear)
	XORQ(all, clear)
	JZ(LabelRef("inside"))
	Label("rowbit")
	MOVQ(clear, bit)
	NEGQ(bit)
	ANDQ(clear, bit)
	XORQ(bit, clear)
	MOVQ(bit, child)
	SHLQ(U8(6), child)
	VPTERNLOGQ(U8(orNot), Mem{Base: address, Index: child, Scale: 1}, x, x)
	TESTQ(clear, clear)
	JNZ(LabelRef("rowbit"))
	Label("inside")
	// Only octets that are solved have lost states, and these have more weight. So an octet in
	// which an index bit is set gets nothing from the one where it is clear, nor from a carry.
	VPXORQ(lost, lost, lost)
	for weight := 6; weight >= 0; weight-- {
		if weight == 6 {
			VMOVDQA64(x, acc)
		} else {
			VPSRLQ(U8(8), lost, acc)
			VPSRLQ(U8(16), lost, y)
			VPTERNLOGQ(U8(or3), x, y, acc)
			VPSRLQ(U8(32), lost, y)
			VPERMQ(U8(0xb1), lost, z)
			VPTERNLOGQ(U8(or3), y, z, acc)
			VPERMQ(U8(0x4e), lost, y)
			VSHUFI64X2(U8(0x4e), lost, lost, z)
			VPTERNLOGQ(U8(or3), y, z, acc)
		}
		VMOVDQA64(acc, low)
		VPERMI2B(table[1], table[0], low)
		VMOVDQA64(acc, high)
		VPERMI2B(table[3], table[2], high)
		VPMOVB2M(acc, top)
		KMOVQ(levels.Offset(8*weight), level)
		VPBLENDMB(high, low, top, low)
		VMOVDQU8(low, level, lost)
	}
	VPTERNLOGQ(U8(not), lost, lost, lost)
	VMOVDQU64(lost, Mem{Base: address})
	again(rows, "row")
	end()
}

// solve256 solves units of half a row, which is a register. open has the states that are not yet won.
func solve256() {
	begin("solveUnits256", "func(win *uint64, order *uint8, units uint64)",
		"solveUnits256 solves a slice of so many units of four words, a power of two up to 128, as SolveSlice does.",
		"order has the numbers of the units, by falling weight.")
	win, order, units := arg("win"), arg("order"), arg("units")
	nibble := broadcast256(0x0f0f0f0f0f0f0f0f)
	low, high := YMM(), YMM()
	// The lost ones of four states of a two-bit index, by those that are not yet won.
	VBROADCASTI128(bytesAt("lostLow", 16, lostNibble), low)
	VBROADCASTI128(bytesAt("lostHigh", 16, func(x int) int { return lostNibble(x) << 4 }), high)
	x, open, lost, y, z := YMM(), YMM(), YMM(), YMM(), YMM()
	ones := YMM()
	VPCMPEQB(ones, ones, ones)
	all, at := GP64(), GP64()
	LEAQ(Mem{Base: units, Disp: -1}, all)
	clear, bit, child, address := GP64(), GP64(), GP64(), GP64()
	Label("unit256")
	MOVBLZX(Mem{Base: order}, at.As32())
	INCQ(order)
	MOVQ(at, address)
	SHLQ(U8(5), address)
	ADDQ(win, address)
	VPXOR(Mem{Base: address}, ones, x)
	MOVQ(at, clear)
	XORQ(all, clear)
	JZ(LabelRef("inside256"))
	Label("unitbit256")
	MOVQ(clear, bit)
	NEGQ(bit)
	ANDQ(clear, bit)
	XORQ(bit, clear)
	MOVQ(bit, child)
	SHLQ(U8(5), child)
	VPAND(Mem{Base: address, Index: child, Scale: 1}, x, x)
	TESTQ(clear, clear)
	JNZ(LabelRef("unitbit256"))
	Label("inside256")
	// As in the wider kernel, only octets that are solved have lost states.
	for weight := 5; weight >= 0; weight-- {
		if weight == 5 {
			VMOVDQA(x, open)
		} else {
			VPSRLQ(U8(8), lost, y)
			VPSRLQ(U8(16), lost, z)
			VPOR(y, z, y)
			VPSRLQ(U8(32), lost, z)
			VPOR(y, z, y)
			VPERMQ(U8(0xb1), lost, z)
			VPOR(y, z, y)
			VPERMQ(U8(0x4e), lost, z)
			VPOR(y, z, y)
			VPANDN(x, y, open)
		}
		// Upper nibbles first: the states that are lost there win below.
		VPSRLQ(U8(4), open, y)
		VPAND(nibble, y, y)
		VPSHUFB(y, low, z)
		VPANDN(open, z, open)
		VPSHUFB(y, high, y)
		VPAND(nibble, open, open)
		VPSHUFB(open, low, open)
		VPOR(y, open, open)
		level := bytesAt("unitOctetsByWeight"+string(rune('0'+weight)), 32, func(octet int) int {
			if bits.OnesCount(uint(octet)) == weight {
				return 255
			}
			return 0
		})
		if weight == 5 {
			VPAND(level, open, lost)
		} else {
			VPAND(level, open, open)
			VPOR(open, lost, lost)
		}
	}
	VPXOR(lost, ones, lost)
	VMOVDQU(lost, Mem{Base: address})
	again(units, "unit256")
	end()
}

// lostNibble returns which of four states of a two-bit index are lost, of those that are not
// won by other means.
func lostNibble(open int) (lost int) {
	lost = open & 8
	lost |= open & 6 &^ (lost>>1 | lost>>2)
	return lost | open&1&^(lost>>1|lost>>2)
}

func orNotRows256() {
	begin("orNotRows256", "func(dst *uint64, children **uint64, count uint64, rows uint64)",
		"orNotRows256 sets rows of eight words at dst, a multiple of four, to dst | ^child for",
		"the rows of all children, and prefetches the rows before them, which come next.")
	dst, children, count, rows := arg("dst"), arg("children"), arg("count"), arg("rows")
	size, at, i, child, before := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(rows, size)
	SHLQ(U8(6), size)
	XORQ(at, at)
	MOVQ(size, before)
	NEGQ(before)
	acc := [8]reg.VecVirtual{YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM(), YMM()}
	ones := YMM()
	VPCMPEQB(ones, ones, ones)
	Label("strip256")
	for j, y := range acc {
		VPXOR(Mem{Base: dst, Index: at, Scale: 1, Disp: 32 * j}, ones, y)
	}
	XORQ(i, i)
	Label("child256")
	MOVQ(Mem{Base: children, Index: i, Scale: 8}, child)
	ADDQ(at, child)
	for j, y := range acc {
		VPAND(Mem{Base: child, Disp: 32 * j}, y, y)
	}
	ADDQ(before, child)
	for j := range len(acc) / 2 {
		PREFETCHT1(Mem{Base: child, Disp: 64 * j})
	}
	INCQ(i)
	CMPQ(i, count)
	JB(LabelRef("child256"))
	for j, y := range acc {
		VPXOR(y, ones, y)
		VMOVDQU(y, Mem{Base: dst, Index: at, Scale: 1, Disp: 32 * j})
	}
	ADDQ(U32(32*len(acc)), at)
	CMPQ(at, size)
	JB(LabelRef("strip256"))
	end()
}

// countWords counts by scalar instructions, and skips empty words.
func countWords() {
	begin("countWordsPopcnt", "func(counts *uint64, words *uint64, count uint64, first uint64)",
		"countWordsPopcnt counts the states of words by the weight of their index: it adds to counts[i]. The number",
		"of the first word is first.")
	counts, words, n, number := arg("counts"), arg("words"), arg("count"), arg("first")
	var masks [7]reg.Register
	for i := range masks {
		weight := uint64(0)
		for state := range 64 {
			if bits.OnesCount(uint(state)) == i {
				weight |= 1 << state
			}
		}
		masks[i] = GP64()
		MOVQ(U64(weight), masks[i])
	}
	word, at, sum := GP64(), GP64(), GP64()
	Label("countWord")
	MOVQ(Mem{Base: words}, word)
	TESTQ(word, word)
	JZ(LabelRef("countedWord"))
	POPCNTQ(number, at)
	for i, mask := range masks {
		MOVQ(word, sum)
		ANDQ(mask, sum)
		POPCNTQ(sum, sum)
		ADDQ(sum, Mem{Base: counts, Index: at, Scale: 8, Disp: 8 * i})
	}
	Label("countedWord")
	ADDQ(U8(8), words)
	INCQ(number)
	again(n, "countWord")
	RET()
}
