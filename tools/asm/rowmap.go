package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of rowSteps in package bitslice.
const (
	stepsFirst     = 0
	stepsSecond    = 8
	stepsExchanges = 16
	stepsTrade     = 64
)

const rowSignature = "func(dst *uint64, words uint64, src *uint64, from uint64, second uint64, steps *uint64, keep *[8]uint64)"

func rowDoc(name, formula string) {
	begin(name, rowSignature,
		name+" carries out the steps on the first from words of src and, unless second is 0, on the row second bytes after it,",
		"and sets the first words of dst to", formula+".")
}

// rows512 writes a kernel for each operation. Which byte comes to each place is a sum of columns of
// the permutation: they are transposed, as the affine transformation takes rows.
func rows512() {
	words := make([]uint64, 8)
	for i := range 64 {
		words[i/8] |= uint64(i|1<<7) << (8 * (i % 8))
	}
	numbers := constant("numbers", words)
	row512(numbers, "rowSet512", choose, "what comes out where keep is set, else dst")
	row512(numbers, "rowOr512", orAnd, "dst | what comes out & keep")
	row512(numbers, "rowOrNot512", orNotAnd, "dst | ^what comes out & keep")
	row512(numbers, "rowAnd512", andOrNot, "dst & (what comes out | ^keep)")
}

func row512(numbers Mem, name string, table uint64, formula string) {
	rowDoc(name, formula)
	dst := arg("dst")
	mask := func(name string) reg.Register {
		ones, k := GP64(), K()
		MOVQ(I32(-1), ones)
		BZHIQ(arg(name), ones, ones)
		KMOVQ(ones, k)
		return k
	}
	words := mask("words")
	src := arg("src")
	from := mask("from")
	second, steps, keep := arg("second"), arg("steps"), arg("keep")

	number, unit := ZMM(), broadcast(0x0102040810204080)
	VMOVDQU64(numbers, number)
	var order [2]reg.VecVirtual
	for i := range order {
		order[i] = ZMM()
		VPBROADCASTQ(Mem{Base: steps, Disp: stepsFirst + 8*i}, order[i])
		VGF2P8AFFINEQB(U8(0), order[i], unit, order[i])
		VGF2P8AFFINEQB(U8(0), order[i], number, order[i])
	}
	x, y, t := ZMM(), ZMM(), ZMM()
	exchange := func(at int, a, b reg.VecVirtual) {
		m, shift := ZMM(), ZMM()
		VPBROADCASTQ(Mem{Base: steps, Disp: at}, m)
		VPBROADCASTQ(Mem{Base: steps, Disp: at + 8}, shift)
		VPSRLVQ(shift, a, t)
		VPTERNLOGQ(U8(xorAnd), m, b, t)
		if a == b {
			VPSLLVQ(shift, t, m)
			VPTERNLOGQ(U8(xor3), m, t, a)
			return
		}
		VPXORQ(t, b, b)
		VPSLLVQ(shift, t, t)
		VPXORQ(t, a, a)
	}
	inside := func(z reg.VecVirtual) {
		VPERMB(z, order[0], z)
		for i := range 3 {
			exchange(stepsExchanges+16*i, z, z)
		}
	}
	VMOVDQU64_Z(Mem{Base: src}, from, x)
	TESTQ(second, second)
	JNZ(LabelRef(name + "Two"))
	inside(x)
	VPERMB(x, order[1], x)
	JMP(LabelRef(name + "Ordered"))
	Label(name + "Two")
	VMOVDQU64(Mem{Base: src, Index: second, Scale: 1}, y)
	exchange(stepsTrade, x, y)
	inside(x)
	inside(y)
	VPERMT2B(y, order[1], x)
	Label(name + "Ordered")
	kept, d := ZMM(), ZMM()
	VMOVDQU64(Mem{Base: keep}, kept)
	VMOVDQU64_Z(Mem{Base: dst}, words, d)
	VPTERNLOGQ(U8(table), kept, x, d)
	VMOVDQU64(d, words, Mem{Base: dst})
	VZEROUPPER()
	RET()
}

// row256 has a row in two registers. A shuffle looks up in 16 bytes; which of the four, or of the
// eight of two rows, is chosen by blends.
func row256(name, formula string, op func(d, b, k reg.VecVirtual)) {
	rowDoc(name, formula)
	src, from, steps := arg("src"), arg("from"), arg("steps")
	p := &permuted{name: name, steps: steps}
	x := [2]reg.VecVirtual{YMM(), YMM()}
	for i, m := range lengthMasks256(from) {
		VPMASKMOVQ(ymm(src, i), m, x[i])
	}
	second := arg("second")
	TESTQ(second, second)
	JNZ(LabelRef(name + "Two"))
	p.inside(x, "One")
	p.order(stepsSecond)
	for i, from := range p.from {
		p.pick(x, from, p.out[i])
	}
	JMP(LabelRef(name + "Ordered"))

	Label(name + "Two")
	y := [2]reg.VecVirtual{YMM(), YMM()}
	ADDQ(src, second)
	for i := range y {
		VMOVDQU(ymm(second, i), y[i])
		p.exchange(stepsTrade, x[i], y[i])
	}
	p.inside(x, "First")
	p.inside(y, "Second")
	p.order(stepsSecond)
	other := YMM()
	for i, from := range p.from {
		p.pick(x, from, p.out[i])
		p.pick(y, from, other)
		VPSLLW(U8(1), from, from)
		VPBLENDVB(from, other, p.out[i], p.out[i])
	}
	Label(name + "Ordered")
	dst, words, keep := arg("dst"), arg("words"), arg("keep")
	m := lengthMasks256(words)
	for i := range m {
		d, k := YMM(), YMM()
		VPMASKMOVQ(ymm(dst, i), m[i], d)
		VMOVDQU(ymm(keep, i), k)
		op(d, p.out[i], k)
		VPMASKMOVQ(d, m[i], ymm(dst, i))
	}
	VZEROUPPER()
	RET()
}

// permuted is the work of row256.
type permuted struct {
	name      string
	steps     reg.Register
	from, out [2]reg.VecVirtual // by half of a row: where its bytes come from, and these
}

// order sets from to the numbers of the bytes that come to each place: sums of the columns whose bit
// is set in the place's number.
func (p *permuted) order(at int) {
	if p.from[0] == nil {
		p.from = [2]reg.VecVirtual{YMM(), YMM()}
		p.out = [2]reg.VecVirtual{YMM(), YMM()}
	}
	columns, t := YMM(), YMM()
	VPBROADCASTQ(Mem{Base: p.steps, Disp: at}, columns)
	VPSHUFB(constant256("column7", 0), columns, p.from[0])
	for c := range 5 {
		bytes := make([]uint64, 4)
		for place := range 32 {
			column := uint64(7 - c)
			if place>>c&1 == 0 {
				column = 0x80 // no byte
			}
			bytes[place/8] |= column << (place % 8 * 8)
		}
		VPSHUFB(constant("column"+string(rune('0'+c)), bytes), columns, t)
		VPXOR(t, p.from[0], p.from[0])
	}
	VPSHUFB(constant256("column5", 2), columns, t)
	VPXOR(t, p.from[0], p.from[1])
}

// pick sets out to the bytes of a row with the numbers in from.
func (p *permuted) pick(x [2]reg.VecVirtual, from, out reg.VecVirtual) {
	low, t, bit := YMM(), YMM(), YMM()
	half := func(x, out reg.VecVirtual) {
		VPSLLW(U8(3), from, bit)
		VPERMQ(U8(0x44), x, out)
		VPSHUFB(from, out, out)
		VPERMQ(U8(0xee), x, t)
		VPSHUFB(from, t, t)
		VPBLENDVB(bit, t, out, out)
	}
	half(x[0], low)
	half(x[1], out)
	VPSLLW(U8(2), from, bit)
	VPBLENDVB(bit, out, low, out)
}

// exchange swaps a bit inside the words with another, or with the one that selects a or b.
func (p *permuted) exchange(at int, a, b reg.VecVirtual) {
	m, shift, t := YMM(), YMM(), YMM()
	VPBROADCASTQ(Mem{Base: p.steps, Disp: at}, m)
	VPBROADCASTQ(Mem{Base: p.steps, Disp: at + 8}, shift)
	VPSRLVQ(shift, a, t)
	VPXOR(b, t, t)
	VPAND(m, t, t)
	VPXOR(t, b, b)
	VPSLLVQ(shift, t, t)
	VPXOR(t, a, a)
}

// inside carries out the steps before the second permutation on a row. Mostly the first
// permutation is the identity.
func (p *permuted) inside(x [2]reg.VecVirtual, which string) {
	identity, first := GP64(), GP64()
	MOVQ(U64(0x01020408_10200000), identity)
	MOVQ(Mem{Base: p.steps, Disp: stepsFirst}, first)
	CMPQ(first, identity)
	JEQ(LabelRef(p.name + which))
	p.order(stepsFirst)
	for i, from := range p.from {
		p.pick(x, from, p.out[i])
	}
	for i, out := range p.out {
		VMOVDQA(out, x[i])
	}
	Label(p.name + which)
	for i := range 3 {
		for _, half := range x {
			p.exchange(stepsExchanges+16*i, half, half)
		}
	}
}

func rows256() {
	eachStore256(func(name, formula string, op func(d, b, k reg.VecVirtual)) {
		row256("row"+name, formula, op)
	})
}
