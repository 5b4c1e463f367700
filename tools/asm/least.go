package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// beginLeast begins what lowers bit-sliced numbers to others, a row of words at a time.
func beginLeast(name string) {
	begin(name, "func(least **uint64, others **uint64, digits uint64, rows uint64)",
		name+" lowers each number of least to that of others where this is less. A number's digits",
		"are in as many planes, the lowest first.")
}

// eachDigit runs what is done with the row of each digit in the two sets of planes.
func eachDigit(label string, least, others, digits reg.Register, do func(a, b reg.Register)) {
	d, a, b := GP64(), GP64(), GP64()
	XORQ(d, d)
	Label(label)
	MOVQ(Mem{Base: least, Index: d, Scale: 8}, a)
	MOVQ(Mem{Base: others, Index: d, Scale: 8}, b)
	do(a, b)
	INCQ(d)
	CMPQ(d, digits)
	JB(LabelRef(label))
}

func least() {
	beginLeast("least512")
	n, v, digits, rows, at := arg("least"), arg("others"), arg("digits"), arg("rows"), GP64()
	XORQ(at, at)
	Label("leastRow")
	less, x, y := ZMM(), ZMM(), ZMM()
	VPXORQ(less, less, less)
	eachDigit("leastDigit", n, v, digits, func(a, b reg.Register) {
		VMOVDQU64(Mem{Base: a, Index: at, Scale: 1}, x)
		VMOVDQU64(Mem{Base: b, Index: at, Scale: 1}, y)
		VPTERNLOGQ(U8(lessDigit), y, x, less)
	})
	eachDigit("leastTake", n, v, digits, func(a, b reg.Register) {
		VMOVDQU64(Mem{Base: a, Index: at, Scale: 1}, x)
		VPTERNLOGQ(U8(chooseOther), Mem{Base: b, Index: at, Scale: 1}, less, x)
		VMOVDQU64(x, Mem{Base: a, Index: at, Scale: 1})
	})
	ADDQ(U8(64), at)
	again(rows, "leastRow")
	end()
}

// least256 has two registers a row.
func least256() {
	beginLeast("least256")
	n, v, digits, rows, at := arg("least"), arg("others"), arg("digits"), arg("rows"), GP64()
	XORQ(at, at)
	Label("least256Row")
	less := [2]reg.VecVirtual{YMM(), YMM()}
	x, y, z := YMM(), YMM(), YMM()
	half := func(base reg.Register, i int) Mem { return Mem{Base: base, Index: at, Scale: 1, Disp: 32 * i} }
	for _, l := range less {
		VPXOR(l, l, l)
	}
	eachDigit("least256Digit", n, v, digits, func(a, b reg.Register) {
		for i, l := range less { // ^b&a | ^(a^b)&less
			VMOVDQU(half(a, i), x)
			VMOVDQU(half(b, i), y)
			VPXOR(x, y, z)
			VPANDN(l, z, l)
			VPANDN(x, y, x)
			VPOR(x, l, l)
		}
	})
	eachDigit("least256Take", n, v, digits, func(a, b reg.Register) {
		for i, l := range less {
			VMOVDQU(half(a, i), x)
			VPXOR(half(b, i), x, y)
			VPAND(l, y, y)
			VPXOR(x, y, x)
			VMOVDQU(x, half(a, i))
		}
	})
	ADDQ(U8(64), at)
	again(rows, "least256Row")
	end()
}
