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
	choose   = 0xd8 // c ? b : a
	xorAnd   = 0x28 // (a ^ b) & c
	xor3     = 0x96 // a ^ b ^ c
	or3      = 0xfe // a | b | c
	orAnd    = 0xf8 // a | (b & c)
	orNotAnd = 0xf2 // a | (^b & c)
	andOrNot = 0xd0 // a & (b | ^c)
)

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
	transform()
	store("storeSet512", choose, "buf where keep is set, else dst")
	store("storeOr512", orAnd, "dst | buf & keep")
	store("storeOrNot512", orNotAnd, "dst | ^buf & keep")
	store("storeAnd512", andOrNot, "dst & (buf | ^keep)")
	rows512()
	orNotAll()
	solve512()
	squeeze()
	expand()
	pack()
	unpack()
	prefetch()
	route()
	drop()
	label()
	nonZero()

	transform256()
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
	nonZero256()
	Generate()
}

// begin begins a function through which no pointer escapes.
func begin(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

// arg loads an argument of 64 bits.
func arg(name string) reg.Register { return Load(Param(name), GP64()) }

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

// transform loads a tile, carries out the exchanges and leaves the result in buf.
func transform() {
	begin("transform512", "func(buf *[64]uint64, src, ahead *uint64, at *[8]uint32, exchanges *[3]uint64, count int) bool",
		"transform512 reads 64 words, carries out the exchanges and writes them to buf: eight words each from",
		"src[at[0]], src[at[1]], …. It prefetches those of ahead.",
		"It returns false and leaves buf alone if all of them are zero.")
	buf, src, ahead, at, step, count := arg("buf"), arg("src"), arg("ahead"), arg("at"), arg("exchanges"), arg("count")
	z := tile()
	for i := range z {
		from := rowAt(src, at, i)
		VMOVDQU64(from, z[i])
		aheadOf(ahead, from)
	}
	any, other := ZMM(), ZMM()
	VPORQ(z[0], z[1], any)
	VPORQ(z[2], z[3], other)
	for i := 4; i < 8; i++ {
		VPTERNLOGQ(U8(or3), z[i], other, any)
	}
	k := K()
	VPTESTMQ(any, any, k)
	KORTESTW(k, k)
	JNZ(LabelRef("something"))
	result := GP8()
	XORB(result, result)
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
	Label("something")

	// Lanes whose number has bit 0, 1 or 2 clear: the first of each pair.
	var first [3]reg.Register
	for i, lanes := range []uint64{0x55, 0x33, 0x0f} {
		gp := GP32()
		MOVL(U32(lanes), gp)
		kk := K()
		KMOVB(gp, kk)
		first[i] = kk
	}
	mask, shift, dim := ZMM(), XMM(), GP64()
	w := scratch{ZMM(), ZMM(), ZMM(), ZMM()}
	TESTQ(count, count)
	JZ(LabelRef("done"))
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
	w.swap(z, mask, shift)
	JMP(LabelRef("next"))
	for i := range 3 {
		Label(names[i])
		w.tradeLanes(z, i, first[i], mask, shift)
		JMP(LabelRef("next"))
	}
	for i := range 3 {
		Label(names[3+i])
		for a := range 8 {
			if a>>i&1 == 0 {
				w.tradeRows(z[a], z[a|1<<i], mask, shift)
			}
		}
		JMP(LabelRef("next"))
	}
	moves(z, dim, "next")
	Label("next")
	ADDQ(U8(stepSize), step)
	DECQ(count)
	JNZ(LabelRef("step"))
	Label("done")
	for i := range z {
		VMOVDQU64(z[i], row(buf, i))
	}
	MOVB(U8(1), result)
	Store(result, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// swap exchanges two index bits inside the words.
func (w scratch) swap(z [8]reg.VecVirtual, mask, shift reg.VecVirtual) {
	for _, x := range z {
		t, u := w.t, w.u
		VPSRLQ(shift, x, t)
		VPTERNLOGQ(U8(xorAnd), mask, x, t)
		VPSLLQ(shift, t, u)
		VPTERNLOGQ(U8(xor3), u, t, x)
	}
}

// tradeRows exchanges an index bit of the words with the bit that selects row a or b.
func (w scratch) tradeRows(a, b, mask, shift reg.VecVirtual) {
	t, u := w.t, w.u
	VPSRLQ(shift, a, t)
	VPTERNLOGQ(U8(xorAnd), mask, b, t)
	VPSLLQ(shift, t, u)
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

// store folds a tile into its rows of eight words.
func store(name string, table uint64, formula string) {
	begin(name, "func(dst *uint64, at *[8]uint32, buf *[64]uint64, keep *[8]uint64, rows uint64)",
		name+" sets each of 64 words, eight each from dst[at[0]], dst[at[1]], …, to", formula+",",
		"where keep[i] is for word i of each row. It leaves row i alone if bit i of rows is clear.")
	dst, at, buf, keep, rows := arg("dst"), arg("at"), arg("buf"), arg("keep"), arg("rows")
	k := ZMM()
	VMOVDQU64(Mem{Base: keep}, k)
	for i := range 8 {
		next := fmt.Sprintf("row%d", i+1)
		TESTQ(U32(1<<i), rows)
		JZ(LabelRef(next))
		d, b := ZMM(), ZMM()
		place := rowAt(dst, at, i)
		VMOVDQU64(place, d)
		VMOVDQU64(row(buf, i), b)
		VPTERNLOGQ(U8(table), k, b, d)
		VMOVDQU64(d, place)
		Label(next)
	}
	VZEROUPPER()
	RET()
}

// constants are the data sections that are written.
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
