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

// orNotRows folds children into a group of rows, which it takes count vectors at a time. Labels end as
// told; prepare comes before the loops.
func orNotRows(suffix, labels string, count int, vector func() reg.VecVirtual, prepare func(), load, fold, store func(m Mem, z reg.VecVirtual)) {
	begin("orNotRows"+suffix, "func(dst *uint64, children **uint64, count uint64, rows uint64)",
		"orNotRows"+suffix+" sets rows of eight words at dst, a multiple of four, to dst | ^child for",
		"the rows of all children, and prefetches the rows before them, which come next.")
	dst, children, number, rows := arg("dst"), arg("children"), arg("count"), arg("rows")
	size, at, i, child := GP64(), GP64(), GP64(), GP64()
	before := GP64() // of a row at, where the next group has it
	const strip = 4 * 64
	var acc []reg.VecVirtual
	for range count {
		acc = append(acc, vector())
	}
	each := func(m Mem, do func(m Mem, z reg.VecVirtual)) {
		for j, z := range acc {
			do(m.Offset(strip/count*j), z)
		}
	}
	MOVQ(rows, size)
	SHLQ(U8(6), size)
	XORQ(at, at)
	MOVQ(size, before)
	NEGQ(before)
	prepare()
	Label("strip" + labels)
	each(Mem{Base: dst, Index: at, Scale: 1}, load)
	XORQ(i, i)
	Label("child" + labels)
	MOVQ(Mem{Base: children, Index: i, Scale: 8}, child)
	ADDQ(at, child)
	each(Mem{Base: child}, fold)
	ADDQ(before, child)
	for line := 0; line < strip; line += 64 {
		PREFETCHT1(Mem{Base: child, Disp: line})
	}
	INCQ(i)
	CMPQ(i, number)
	JB(LabelRef("child" + labels))
	each(Mem{Base: dst, Index: at, Scale: 1}, store)
	ADDQ(U32(strip), at)
	CMPQ(at, size)
	JB(LabelRef("strip" + labels))
	end()
}

func orNotRows512() {
	orNotRows("512", "", 4, func() reg.VecVirtual { return ZMM() }, func() {},
		func(m Mem, z reg.VecVirtual) { VMOVDQU64(m, z) },
		func(m Mem, z reg.VecVirtual) { VPTERNLOGQ(U8(orNot), m, z, z) },
		func(m Mem, z reg.VecVirtual) { VMOVDQU64(z, m) })
}

// orNotRows256 has the complement of the rows: ^(dst | ^child) is ^dst & child.
func orNotRows256() {
	var ones reg.VecVirtual
	orNotRows("256", "256", 8, func() reg.VecVirtual { return YMM() }, func() {
		ones = YMM()
		VPCMPEQB(ones, ones, ones)
	}, func(m Mem, y reg.VecVirtual) {
		VPXOR(m, ones, y)
	}, func(m Mem, y reg.VecVirtual) {
		VPAND(m, y, y)
	}, func(m Mem, y reg.VecVirtual) {
		VPXOR(y, ones, y)
		VMOVDQU(y, m)
	})
}

// eachChild begins the loop over the units of a slice, of 2^size bytes each, by falling weight. It
// loads the next unit, folds its children into it, and returns its address.
func eachChild(name, suffix string, size uint8, win, order, units reg.Register, load, fold func(m Mem)) (address reg.GPVirtual) {
	all, at := GP64(), GP64()
	LEAQ(Mem{Base: units, Disp: -1}, all)
	clear, bit, child := GP64(), GP64(), GP64()
	address = GP64()
	Label(name + suffix)
	MOVBLZX(Mem{Base: order}, at.As32())
	INCQ(order)
	MOVQ(at, address)
	SHLQ(U8(size), address)
	ADDQ(win, address)
	load(Mem{Base: address})
	MOVQ(at, clear)
	XORQ(all, clear)
	JZ(LabelRef("inside" + suffix))
	Label(name + "bit" + suffix)
	MOVQ(clear, bit)
	NEGQ(bit)
	ANDQ(clear, bit)
	XORQ(bit, clear)
	MOVQ(bit, child)
	SHLQ(U8(size), child)
	fold(Mem{Base: address, Index: child, Scale: 1})
	TESTQ(clear, clear)
	JNZ(LabelRef(name + "bit" + suffix))
	Label("inside" + suffix)
	return address
}

// solve512 solves a group of rows by falling weight: rows of the same weight are independent.
func solve512() {
	begin("solveRows512", "func(win *uint64, order *uint8, rows uint64)",
		"solveRows512 solves a slice with the given number of rows of eight words, a power of two up to 64, as SolveSlice does.",
		"order has the numbers of the rows, by falling weight.")
	win, order, rows := arg("win"), arg("order"), arg("rows")
	octets := bytesAt("octets", 256, lostOctet)
	weights := byWeight()
	levels := constant("octetsByWeight", weights[:])
	var table [4]reg.VecVirtual
	for i := range table {
		table[i] = ZMM()
		VMOVDQU64(octets.Offset(64*i), table[i])
	}
	x, acc, low, high := ZMM(), ZMM(), ZMM(), ZMM()
	lost, y, z := ZMM(), ZMM(), ZMM()
	level, top := K(), K()
	address := eachChild("row", "", 6, win, order, rows, func(unit Mem) {
		VMOVDQU64(unit, x)
	}, func(child Mem) {
		VPTERNLOGQ(U8(orNot), child, x, x)
	})
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

func byWeight() (weights [7]uint64) {
	for i := range 64 {
		weights[bits.OnesCount(uint(i))] |= 1 << i
	}
	return weights
}

// solve256 solves units of half a row, which is a register. open has the states that are not yet won.
func solve256() {
	begin("solveUnits256", "func(win *uint64, order *uint8, units uint64)",
		"solveUnits256 solves a slice with the given number of units of four words, a power of two up to 128, as SolveSlice does.",
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
	address := eachChild("unit", "256", 5, win, order, units, func(unit Mem) {
		VPXOR(unit, ones, x)
	}, func(child Mem) {
		VPAND(child, x, x)
	})
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

// lostNibble returns which of four states of a two-bit index are lost, among the open ones.
func lostNibble(open int) (lost int) {
	lost = open & 8
	lost |= open & 6 &^ (lost>>1 | lost>>2)
	return lost | open&1&^(lost>>1|lost>>2)
}

// countWords counts by scalar instructions, and skips empty words.
func countWords() {
	begin("countWordsPopcnt", "func(counts *uint64, words *uint64, count uint64, first uint64)",
		"countWordsPopcnt counts the states of words by the weight of their index: it adds to counts[i]. The number",
		"of the first word is first.")
	counts, words, n, number := arg("counts"), arg("words"), arg("count"), arg("first")
	var masks [7]reg.Register
	for i, weight := range byWeight() {
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
