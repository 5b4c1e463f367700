package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of rowMap in package bitslice.
const (
	stepsFirst     = 0
	stepsSecond    = 8
	stepsExchanges = 16
	stepsTrade     = 64
	rowsSecond     = 80
	rowsSet        = 88
	rowsFrom       = 96
	rowsFlip       = 112
)

func rowsDoc(name, formula string) {
	begin(name, "func(dst *uint64, words uint64, src *uint64, read uint64, rows *uint64, keep *[8]uint64)",
		name+" carries out a map of rows on src, of whose rows it reads the first words, and sets the first words of",
		"the rows of dst to", formula+".")
}

// rows512 writes a kernel for each operation. Which byte comes to each place is a sum of columns of
// the permutation: they are transposed, as the affine transformation takes rows.
func rows512() {
	numbers := bytesAt("numbers", 64, func(i int) int { return i | 1<<7 })
	row512(numbers, "rowSet512", choose, "what comes out where keep is set, else dst")
	row512(numbers, "rowOr512", orAnd, "dst | what comes out & keep")
	row512(numbers, "rowOrNot512", orNotAnd, "dst | ^what comes out & keep")
	row512(numbers, "rowAnd512", andOrNot, "dst & (what comes out | ^keep)")
}

func row512(numbers Mem, name string, table uint64, formula string) {
	rowsDoc(name, formula)
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
	read := mask("read")
	m, keep := arg("rows"), arg("keep")

	number, unit := ZMM(), broadcast(0x0102040810204080)
	VMOVDQU64(numbers, number)
	all := func(at int) reg.VecVirtual {
		z := ZMM()
		VPBROADCASTQ(Mem{Base: m, Disp: at}, z)
		return z
	}
	var order [2]reg.VecVirtual
	for i := range order {
		order[i] = all(stepsFirst + 8*i)
		VGF2P8AFFINEQB(U8(0), order[i], unit, order[i])
		VGF2P8AFFINEQB(U8(0), order[i], number, order[i])
	}
	var masks, shifts [4]reg.VecVirtual // the last is the trade's
	for i := range masks {
		masks[i], shifts[i] = all(stepsExchanges+16*i), all(stepsExchanges+16*i+8)
	}
	x, y, t, u := ZMM(), ZMM(), ZMM(), ZMM()
	exchange := func(i int, a, b reg.VecVirtual) {
		VPSRLVQ(shifts[i], a, t)
		VPTERNLOGQ(U8(xorAnd), masks[i], b, t)
		VPSLLVQ(shifts[i], t, u)
		if a == b {
			VPTERNLOGQ(U8(xor3), u, t, a)
			return
		}
		VPXORQ(t, b, b)
		VPXORQ(u, a, a)
	}
	inside := func(z reg.VecVirtual) {
		VPERMB(z, order[0], z)
		for i := range 3 {
			exchange(i, z, z)
		}
	}
	kept, d, flipped := ZMM(), ZMM(), ZMM()
	VMOVDQU64(Mem{Base: keep}, kept)
	second, rows, row, from := GP64(), GP64(), GP64(), GP64()
	eachRow(name, m, second, rows, func(label string, two bool) {
		TZCNTQ(rows, row)
		MOVWLZX(Mem{Base: m, Disp: rowsFrom, Index: row, Scale: 2}, from.As32())
		VPBROADCASTB(Mem{Base: m, Disp: rowsFlip, Index: row, Scale: 1}, flipped)
		SHLQ(U8(6), row)
		place := Mem{Base: dst, Index: row, Scale: 1}
		VMOVDQU64_Z(place, words, d)
		if table == andOrNot {
			any := K()
			VPTESTMQ(d, d, any)
			KORTESTW(any, any)
			JZ(LabelRef(label + "Next"))
		}
		VPXORQ(order[1], flipped, flipped)
		VMOVDQU64_Z(Mem{Base: src, Index: from, Scale: 1}, read, x)
		if two {
			ADDQ(second, from)
			VMOVDQU64(Mem{Base: src, Index: from, Scale: 1}, y)
			exchange(3, x, y)
			inside(x)
			inside(y)
			VPERMT2B(y, flipped, x)
		} else {
			inside(x)
			VPERMB(x, flipped, x)
		}
		VPTERNLOGQ(U8(table), kept, x, d)
		VMOVDQU64(d, words, place)
	})
}

// eachRow writes a loop over the rows that are set, once for a source of one row each and once for
// one of two. The body may jump to its label with "Next".
func eachRow(name string, m, second, rows reg.Register, body func(label string, two bool)) {
	MOVQ(Mem{Base: m, Disp: rowsSecond}, second)
	MOVQ(Mem{Base: m, Disp: rowsSet}, rows)
	loop := func(label string, two bool) {
		Label(label)
		body(label, two)
		Label(label + "Next")
		BLSRQ(rows, rows)
		JNZ(LabelRef(label))
		end()
	}
	TESTQ(second, second)
	JNZ(LabelRef(name + "Pair"))
	loop(name+"Row", false)
	loop(name+"Pair", true)
}

// row256 has a row in two registers. A shuffle looks up in 16 bytes; which of the four, or of the
// eight of two rows, is chosen by blends.
func row256(name, formula string, op func(d, b, k reg.VecVirtual)) {
	rowsDoc(name, formula)
	dst, written, src, read := arg("dst"), lengthMask256(arg("words")), arg("src"), lengthMask256(arg("read"))
	m, keep, second, rows := arg("rows"), arg("keep"), GP64(), GP64()
	p := &permuted{name: name, steps: m}
	p.order(stepsSecond)
	base := AllocLocal(64)
	for i, from := range p.from {
		VMOVDQU(from, base.Offset(32*i))
	}
	x, y, d := [2]reg.VecVirtual{YMM(), YMM()}, [2]reg.VecVirtual{YMM(), YMM()}, [2]reg.VecVirtual{YMM(), YMM()}
	masked := func(at, length reg.Register, z [2]reg.VecVirtual) {
		for i := range z {
			VMOVDQU(ymm(length, i), z[i])
			VPMASKMOVQ(ymm(at, i), z[i], z[i])
		}
	}
	eachRow(name, m, second, rows, func(label string, two bool) {
		row, from, place, flip := GP64(), GP64(), GP64(), YMM()
		TZCNTQ(rows, row)
		MOVQ(row, place)
		SHLQ(U8(6), place)
		ADDQ(dst, place)
		if name == "rowAnd256" {
			masked(place, written, d)
			VPOR(d[0], d[1], d[0])
			VPTEST(d[0], d[0])
			JZ(LabelRef(label + "Next"))
		}
		MOVWLZX(Mem{Base: m, Disp: rowsFrom, Index: row, Scale: 2}, from.As32())
		ADDQ(src, from)
		masked(from, read, x)
		if two {
			ADDQ(second, from)
			for i := range y {
				VMOVDQU(ymm(from, i), y[i])
				p.exchange(stepsTrade, x[i], y[i])
			}
			p.inside(x, "First")
			p.inside(y, "Second")
		} else {
			p.inside(x, "One")
		}
		VPBROADCASTB(Mem{Base: m, Disp: rowsFlip, Index: row, Scale: 1}, flip)
		for i, from := range p.from {
			VPXOR(base.Offset(32*i), flip, from)
			p.pick(x, from, p.out[i])
			if two {
				other := YMM()
				p.pick(y, from, other)
				VPSLLW(U8(1), from, from)
				VPBLENDVB(from, other, p.out[i], p.out[i])
			}
		}
		masked(place, written, d)
		for i := range d {
			k := YMM()
			VMOVDQU(ymm(keep, i), k)
			op(d[i], p.out[i], k)
			VMOVDQU(ymm(written, i), k)
			VPMASKMOVQ(d[i], k, ymm(place, i))
		}
	})
}

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
		bytes := bytesAt("column"+string(rune('0'+c)), 32, func(place int) int {
			if place>>c&1 == 0 {
				return 0x80 // no byte
			}
			return 7 - c
		})
		VPSHUFB(bytes, columns, t)
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

// inside carries out the steps on a row before the second permutation. The first is mostly the identity.
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
