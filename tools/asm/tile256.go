package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile does not fit into the 16 registers of AVX2. It stays in its buffer, which is in the
// first-level cache, and each exchange is a pass over it. A register
// holds four words: bits 0 and 1 of a word's number select the lane, bits 2 to 5 the register.
const (
	tileRegisters = 16
	laneBits256   = 2
)

func ymm(base reg.Register, i int) Mem { return Mem{Base: base, Disp: 32 * i} }

func broadcast256(word uint64) reg.VecVirtual {
	x, gp := YMM(), GP64()
	MOVQ(U64(word), gp)
	VMOVQ(gp, x.AsX())
	VPBROADCASTQ(x.AsX(), x)
	return x
}

type pass256 struct {
	buf         reg.Register
	mask, shift reg.VecVirtual
	t, u, v, w  reg.VecVirtual
}

// pairs calls do with the numbers of all registers that differ in a bit of the word's number.
func pairs(bit int, do func(a, b int)) {
	for a := range tileRegisters {
		if b := a | 1<<(bit-laneBits256); a != b {
			do(a, b)
		}
	}
}

func transform256() {
	begin("transform256", "func(buf *[64]uint64, src, ahead *uint64, at *[8]uint32, exchanges *[3]uint64, count int) bool",
		"transform256 reads 64 words, eight each from src[at[0]], src[at[1]], …, carries out the exchanges and writes",
		"the words to buf. It prefetches the words of ahead. It returns false and carries nothing out if all of them are zero.")
	buf, src, ahead, at, step, count := arg("buf"), arg("src"), arg("ahead"), arg("at"), arg("exchanges"), arg("count")
	x, y, any := YMM(), YMM(), YMM()
	VPXOR(any, any, any)
	for i := range 8 {
		from := rowAt(src, at, i)
		VMOVDQU(from, x)
		VMOVDQU(from.Offset(32), y)
		aheadOf(ahead, from)
		VMOVDQU(x, ymm(buf, 2*i))
		VMOVDQU(y, ymm(buf, 2*i+1))
		VPOR(x, any, any)
		VPOR(y, any, any)
	}
	result := GP8()
	VPTEST(any, any)
	SETNE(result)
	Store(result, ReturnIndex(0))
	JE(LabelRef("done256"))
	TESTQ(count, count)
	JZ(LabelRef("done256"))

	p := pass256{buf, YMM(), XMM(), YMM(), YMM(), YMM(), YMM()}
	dim := GP64()
	Label("step256")
	VPBROADCASTQ(Mem{Base: step, Disp: stepMask}, p.mask)
	VMOVQ(Mem{Base: step, Disp: stepShift}, p.shift)
	MOVQ(Mem{Base: step, Disp: stepDim}, dim)
	CMPQ(dim, U8(firstMove))
	JAE(LabelRef("move256"))
	for bit := range 6 {
		CMPQ(dim, U8(bit))
		JEQ(LabelRef(fmt.Sprintf("trade256_%d", bit)))
	}
	p.swap()
	JMP(LabelRef("next256"))
	for bit := range 6 {
		Label(fmt.Sprintf("trade256_%d", bit))
		p.trade(bit)
		JMP(LabelRef("next256"))
	}
	Label("move256")
	for kind, m := range moveKinds {
		if kind < len(moveKinds)-1 {
			CMPQ(dim, U8(firstMove+kind))
			JNE(LabelRef(fmt.Sprintf("move256_%d", kind)))
		}
		p.move(m[0], m[1])
		JMP(LabelRef("next256"))
		if kind < len(moveKinds)-1 {
			Label(fmt.Sprintf("move256_%d", kind))
		}
	}
	Label("next256")
	ADDQ(U8(stepSize), step)
	again(count, "step256")
	Label("done256")
	end()
}

// exchange256 swaps an index bit of the words with another, or with the bit that selects a or b.
func exchange256(shift, mask Op, a, b, t reg.VecVirtual) {
	VPSRLQ(shift, a, t)
	VPXOR(b, t, t)
	VPAND(mask, t, t)
	VPXOR(t, b, b)
	VPSLLQ(shift, t, t)
	VPXOR(t, a, a)
}

func (p *pass256) swap() {
	for i := range tileRegisters {
		VMOVDQU(ymm(p.buf, i), p.u)
		exchange256(p.shift, p.mask, p.u, p.u, p.t)
		VMOVDQU(p.u, ymm(p.buf, i))
	}
}

// trade exchanges an index bit of the words with a bit of their number. Lanes are first
// brought to two registers, so that the bit tells the registers apart.
func (p *pass256) trade(bit int) {
	do := func(a, b int) {
		VMOVDQU(ymm(p.buf, a), p.u)
		VMOVDQU(ymm(p.buf, b), p.v)
		p.exchangeLanes(bit)
		exchange256(p.shift, p.mask, p.u, p.v, p.t)
		p.exchangeLanes(bit)
		VMOVDQU(p.u, ymm(p.buf, a))
		VMOVDQU(p.v, ymm(p.buf, b))
	}
	pairs(max(bit, laneBits256), do)
}

// exchangeLanes swaps a bit of the lane number with the one that selects register u or v.
func (p *pass256) exchangeLanes(bit int) {
	switch bit {
	case 0:
		VPUNPCKLQDQ(p.v, p.u, p.t)
		VPUNPCKHQDQ(p.v, p.u, p.v)
	case 1:
		VPERM2I128(U8(0x20), p.v, p.u, p.t)
		VPERM2I128(U8(0x31), p.v, p.u, p.v)
	default:
		return
	}
	p.u, p.t = p.t, p.u
}

func (p *pass256) move(low, high int) {
	if high < laneBits256 {
		for i := range tileRegisters {
			VPERMQ(U8(0xd8), ymm(p.buf, i), p.u)
			VMOVDQU(p.u, ymm(p.buf, i))
		}
		return
	}
	pairs(high, func(a, b int) {
		if bit := 1 << max(low-laneBits256, 0); low >= laneBits256 {
			if a&bit == 0 {
				return
			}
			b ^= bit // those that have one of the two bits set
		}
		VMOVDQU(ymm(p.buf, a), p.u)
		VMOVDQU(ymm(p.buf, b), p.v)
		if low >= laneBits256 {
			p.u, p.v = p.v, p.u
		}
		p.exchangeLanes(low)
		VMOVDQU(p.u, ymm(p.buf, a))
		VMOVDQU(p.v, ymm(p.buf, b))
	})
}

// store256 folds a tile into its rows of eight words: op sets d by b and what is kept, k.
func store256(name, formula string, op func(d, b, k reg.VecVirtual)) {
	name = "store" + name
	begin(name, "func(dst *uint64, at *[8]uint32, buf *[64]uint64, keep *[8]uint64, rows uint64)",
		name+" sets each of 64 words, eight each from dst[at[0]], dst[at[1]], …, to", formula+", where buf has the results",
		"where keep[i] is for word i of each row. It leaves row i alone if bit i of rows is clear.")
	dst, at, buf, keep, rows := arg("dst"), arg("at"), arg("buf"), arg("keep"), arg("rows")
	k := [2]reg.VecVirtual{YMM(), YMM()}
	for half := range k {
		VMOVDQU(ymm(keep, half), k[half])
	}
	for i := range 8 {
		next := fmt.Sprintf("%sRow%d", name, i+1)
		TESTQ(U32(1<<i), rows)
		JZ(LabelRef(next))
		place := rowAt(dst, at, i)
		for half := range k {
			d, b := YMM(), YMM()
			VMOVDQU(place.Offset(32*half), d)
			VMOVDQU(ymm(buf, 2*i+half), b)
			op(d, b, k[half])
			VMOVDQU(d, place.Offset(32*half))
		}
		Label(next)
	}
	end()
}

// eachStore256 calls write for each operation.
func eachStore256(write func(name, formula string, op func(d, b, k reg.VecVirtual))) {
	write("Set256", "the result where keep is set, else dst", func(d, b, k reg.VecVirtual) {
		VPXOR(d, b, b)
		VPAND(k, b, b)
		VPXOR(b, d, d)
	})
	write("Or256", "dst | result & keep", func(d, b, k reg.VecVirtual) {
		VPAND(k, b, b)
		VPOR(b, d, d)
	})
	write("OrNot256", "dst | ^result & keep", func(d, b, k reg.VecVirtual) {
		VPANDN(k, b, b)
		VPOR(b, d, d)
	})
	write("And256", "dst & (result | ^keep)", func(d, b, k reg.VecVirtual) {
		VPANDN(k, b, b)
		VPANDN(d, b, d)
	})
}
