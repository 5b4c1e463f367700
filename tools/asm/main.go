// Program asm writes the vector kernels of package bitslice: run
// "go generate ./bitslice" in the project's root after a change here.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile is 64 words in eight registers. The numbers are those of three-operand
// boolean tables: bit (a<<2 | b<<1 | c) is the result for those operands.
const (
	choose      = 0xd8 // c ? b : a
	xorAnd      = 0x28 // (a ^ b) & c
	xor3        = 0x96 // a ^ b ^ c
	or3         = 0xfe // a | b | c
	orAnd       = 0xf8 // a | (b & c)
	orNotAnd    = 0xf2 // a | (^b & c)
	andOrNot    = 0xd0 // a & (b | ^c)
	lessDigit   = 0xd4 // b &^ c | ^(b ^ c) & a
	chooseOther = 0xb8 // b ? c : a
)

// foldOr is the number of the operation Or of package bitslice.
const foldOr = 1

// A step is three words: mask, shift and kind. The kind of a trade is its dimension, that of a
// swap is 6. Moves of words are 7 and up and have neither mask nor shift.
const (
	stepMask  = 0
	stepShift = 8
	stepDim   = 16
	stepSize  = 24
)

func main() {
	ConstraintExpr("amd64")
	fold()
	live512()
	rows512()
	orNotRows512()
	solve512()
	squeeze()
	expand()
	pack()
	unpack()
	prefetch()
	route()
	drop()
	label()
	least()
	nonZero()

	transform256()
	live256()
	eachStore256(store256)
	rows256()
	orNotRows256()
	solve256()
	countWords()
	squeeze256()
	expand256()
	pack256()
	unpack256()
	route256()
	label256()
	least256()
	nonZero256()
	Generate()
}

// begin begins a function through which no pointer escapes.
func begin(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

func arg(name string) reg.Register { return Load(Param(name), GP64()) }

// again goes back to a label until the count is 0.
func again(count reg.Register, label string) {
	DECQ(count)
	JNZ(LabelRef(label))
}

// end returns from a function that has used vectors.
func end() {
	VZEROUPPER()
	RET()
}

func answer(result reg.Register) {
	Store(result, ReturnIndex(0))
	end()
}

// answerAdvance returns by how much a pointer has advanced.
func answerAdvance(from, to reg.Register) {
	SUBQ(from, to)
	answer(to)
}

func tile() (z [8]reg.VecVirtual) {
	for i := range z {
		z[i] = ZMM()
	}
	return z
}

// scratch has the registers for exchanges. They are shared because a masked instruction
// keeps its destination live from the start.
type scratch struct{ t, u, a, partner reg.VecVirtual }

func row(base reg.Register, i int) Mem { return Mem{Base: base, Disp: 64 * i} }

// aheadOf prefetches the row of another tile that is where place is in this one.
func aheadOf(ahead reg.Register, place Mem) {
	place.Base = ahead
	PREFETCHT0(place)
}

// rowAt is row i of a tile in memory, at offset at[i].
func rowAt(base, at reg.Register, i int) Mem {
	offset := GP64()
	MOVL(Mem{Base: at, Disp: 4 * i}, offset.As32())
	return Mem{Base: base, Index: offset, Scale: 8}
}

func fold() {
	begin("fold512", "func(op uint64, dst *uint64, to *[8]uint32, src, ahead *uint64, from *[8]uint32, exchanges *[3]uint64, count uint64, keep *[8]uint64, rows uint64) bool",
		"fold512 reads 64 words, eight each from src[from[0]], src[from[1]], …, and carries out the exchanges. It folds the result",
		"by the operation with that number into dst[to[0]], dst[to[1]], …, for word i of each row into the bits of keep[i]. It",
		"leaves row i alone if bit i of rows is clear. It prefetches the words of ahead. It returns false if all words of src",
		"are zero, and then leaves dst alone where the operation is Or.")
	src, ahead, at, step, count := arg("src"), arg("ahead"), arg("from"), arg("exchanges"), arg("count")
	z := tile()
	for i := range z {
		from := rowAt(src, at, i)
		VMOVDQU64(from, z[i])
		aheadOf(ahead, from)
	}
	any, other, k := ZMM(), ZMM(), K()
	VPORQ(z[0], z[1], any)
	VPORQ(z[2], z[3], other)
	for i := 4; i < 8; i++ {
		VPTERNLOGQ(U8(or3), z[i], other, any)
	}
	VPTESTMQ(any, any, k)
	op, result := arg("op"), GP8()
	KORTESTW(k, k)
	SETNE(result)
	Store(result, ReturnIndex(0))
	JNZ(LabelRef("something"))
	CMPQ(op, U8(foldOr))
	JNE(LabelRef("store"))
	end()
	Label("something")

	// Lanes whose number has bit 0, 1 or 2 clear: the first of each pair.
	var first [3]reg.Register
	for i, lanes := range []uint64{0x55, 0x33, 0x0f} {
		gp := GP32()
		MOVL(U32(lanes), gp)
		first[i] = K()
		KMOVB(gp, first[i])
	}
	mask, shift, dim := ZMM(), XMM(), GP64()
	w := scratch{ZMM(), ZMM(), ZMM(), ZMM()}
	TESTQ(count, count)
	JZ(LabelRef("store"))
	Label("step")
	VPBROADCASTQ(Mem{Base: step, Disp: stepMask}, mask)
	VMOVQ(Mem{Base: step, Disp: stepShift}, shift)
	MOVQ(Mem{Base: step, Disp: stepDim}, dim)
	CMPQ(dim, U8(firstMove))
	JAE(LabelRef("move"))
	names := []string{"lane0", "lane1", "lane2", "row0", "row1", "row2"}
	for i, name := range names {
		CMPQ(dim, U8(i))
		JEQ(LabelRef(name))
	}
	for _, x := range z { // two index bits inside the words
		w.tradeRows(x, x, mask, shift)
	}
	JMP(LabelRef("next"))
	for i, name := range names {
		if Label(name); i < 3 {
			w.tradeLanes(z, i, first[i], mask, shift)
		}
		for a := range 8 {
			if i >= 3 && a>>(i-3)&1 == 0 {
				w.tradeRows(z[a], z[a|1<<(i-3)], mask, shift)
			}
		}
		JMP(LabelRef("next"))
	}
	moves(z, dim, "next")
	Label("next")
	ADDQ(U8(stepSize), step)
	again(count, "step")

	Label("store")
	dst, to, keep, rows, kept := arg("dst"), arg("to"), arg("keep"), arg("rows"), ZMM()
	VMOVDQU64(Mem{Base: keep}, kept)
	tables := []uint64{choose, orAnd, orNotAnd, andOrNot}
	for i := range tables[1:] {
		CMPQ(op, U8(i))
		JEQ(LabelRef(fmt.Sprintf("store%d", i)))
	}
	for i := len(tables) - 1; i >= 0; i-- { // the last is found by no other being it
		Label(fmt.Sprintf("store%d", i))
		for r, x := range z {
			next := fmt.Sprintf("store%dRow%d", i, r+1)
			TESTQ(U32(1<<r), rows)
			JZ(LabelRef(next))
			place, d := rowAt(dst, to, r), ZMM()
			VMOVDQU64(place, d)
			VPTERNLOGQ(U8(tables[i]), kept, x, d)
			VMOVDQU64(d, place)
			Label(next)
		}
		end()
	}
}

// live looks at a tile: zero() clears a register, or() takes a row into it, test() compares it with zero.
func live(name string, zero func(), or func(row Mem), test func()) {
	begin(name, "func(dst *uint64, at *[8]uint32, rows uint64) bool",
		name+" reports whether any word is not zero of eight each at dst[at[0]], dst[at[1]], …. It leaves out row i if bit i of rows is clear.")
	dst, at, rows, result := arg("dst"), arg("at"), arg("rows"), GP8()
	zero()
	for i := range 8 {
		next := fmt.Sprintf("%sRow%d", name, i+1)
		TESTQ(U32(1<<i), rows)
		JZ(LabelRef(next))
		or(rowAt(dst, at, i))
		Label(next)
	}
	test()
	SETNE(result)
	answer(result)
}

func live512() {
	union, k := ZMM(), K()
	live("live512", func() { VPXORQ(union, union, union) }, func(row Mem) { VPORQ(row, union, union) }, func() {
		VPTESTMQ(union, union, k)
		KORTESTW(k, k)
	})
}

func live256() {
	union := YMM()
	live("live256", func() { VPXOR(union, union, union) }, func(row Mem) {
		VPOR(row, union, union)
		VPOR(row.Offset(32), union, union)
	}, func() { VPTEST(union, union) })
}

// tradeRows exchanges an index bit of the words with another, or with the bit that selects row a or b.
func (w scratch) tradeRows(a, b, mask, shift reg.VecVirtual) {
	t, u := w.t, w.u
	VPSRLQ(shift, a, t)
	VPTERNLOGQ(U8(xorAnd), mask, b, t)
	VPSLLQ(shift, t, u)
	if a == b {
		VPTERNLOGQ(U8(xor3), u, t, a)
		return
	}
	VPXORQ(t, b, b)
	VPXORQ(u, a, a)
}

// tradeLanes exchanges an index bit of the words with a bit of the lane number.
func (w scratch) tradeLanes(z [8]reg.VecVirtual, dim int, first reg.Register, mask, shift reg.VecVirtual) {
	for _, x := range z {
		partner, a, t := w.partner, w.a, w.t
		switch dim {
		case 0:
			VPERMQ(U8(0xb1), x, partner)
		case 1:
			VPERMQ(U8(0x4e), x, partner)
		case 2:
			VSHUFI64X2(U8(0x4e), x, x, partner)
		}
		// In both lanes of a pair: a is the first lane's word, partner becomes
		// the second's.
		VPBLENDMQ(x, partner, first, a)
		VPBLENDMQ(partner, x, first, partner)
		VPSRLQ(shift, a, t)
		VPTERNLOGQ(U8(xorAnd), mask, partner, t)
		VPSLLQ(shift, t, first, t)
		VPXORQ(t, x, x)
	}
}

func bytesAt(name string, count int, of func(i int) int) Mem {
	words := make([]uint64, count/8)
	for i := range count {
		words[i/8] |= uint64(of(i)) << (i % 8 * 8)
	}
	return constant(name, words)
}

var constants = map[string]Mem{}

// constant is a data section of 64-bit words. A name stands for the same words everywhere.
func constant(name string, words []uint64) Mem {
	if m, ok := constants[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	constants[name] = m
	for i, w := range words {
		DATA(8*i, U64(w))
	}
	return m
}
