// Program matrix writes the vector kernels of package internal/matrix: run
// "go generate ./internal/matrix" in the project's root after a change here.
//
// Products are rounded before they are added, as the portable kernels do it: with fused
// instructions the bits would be others, and products a third faster.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// width is a width of vectors, with the block of a product that it takes at once.
type width struct {
	suffix string
	bytes  int
	vector func() reg.VecVirtual
	rows   int // of a block
	wide   bool
}

const (
	panel     = 128 // bytes of a row of a panel
	perVector = 2   // vectors of a row of a block
	number    = 4   // bytes of a float32
)

func main() {
	ConstraintExpr("amd64")
	for _, w := range []width{
		{"512", 64, func() reg.VecVirtual { return ZMM() }, 8, true},
		{"256", 32, func() reg.VecVirtual { return YMM() }, 4, false},
	} {
		w.block()
		w.line()
		w.add()
		w.rectify()
		w.gate()
		w.adam()
		w.tanh("tanh", "their hyperbolic tangents", false)
		w.tanh("sigmoid", "1/(1 + e⁻ˣ)", true)
	}
	Generate()
}

// begin begins a function that keeps no pointer.
func begin(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	Doc(doc...)
}

func arg(name string) reg.Register { return Load(Param(name), GP64()) }

// block adds a product to a block. The rows of the left factor are reached from two of
// them by one, two and three times their distance.
func (w width) block() {
	name := "block" + w.suffix
	begin(name, "func(c *float32, stride uint64, a *float32, row uint64, column uint64, panel *float32, depth uint64)",
		name+" adds to a block of c, whose rows are stride bytes apart, the product of rows of a, whose numbers are",
		"row and column bytes apart, and a panel of depth > 0 rows.")
	c, stride, a, row, column, b, depth := arg("c"), arg("stride"), arg("a"), arg("row"), arg("column"), arg("panel"), arg("depth")

	sums := make([][perVector]reg.VecVirtual, w.rows)
	at := GP64()
	MOVQ(c, at)
	for i := range sums {
		for j := range perVector {
			sums[i][j] = w.vector()
			VMOVUPS(Mem{Base: at, Disp: j * w.bytes}, sums[i][j])
		}
		if i+1 < w.rows {
			ADDQ(stride, at)
		}
	}

	triple := GP64()
	LEAQ(Mem{Base: row, Index: row, Scale: 2}, triple)
	bases := []reg.Register{a}
	if w.rows > 4 {
		second := GP64()
		LEAQ(Mem{Base: a, Index: row, Scale: 4}, second)
		bases = append(bases, second)
	}
	left := func(i int) Mem {
		base := bases[i/4]
		switch i % 4 {
		case 0:
			return Mem{Base: base}
		case 3:
			return Mem{Base: base, Index: triple, Scale: 1}
		}
		return Mem{Base: base, Index: row, Scale: uint8(i % 4)}
	}

	step := func() {
		var right [perVector]reg.VecVirtual
		for j := range right {
			right[j] = w.vector()
			VMOVUPS(Mem{Base: b, Disp: j * w.bytes}, right[j])
		}
		for i := range sums {
			x := w.vector()
			VBROADCASTSS(left(i), x)
			for j := range right {
				product := w.vector()
				VMULPS(right[j], x, product)
				VADDPS(product, sums[i][j], sums[i][j])
			}
		}
		ADDQ(U32(panel), b)
		for _, base := range bases {
			ADDQ(column, base)
		}
	}
	// Two steps a round: the loop's own instructions would take a tenth of the time.
	label := name + "Next"
	SHRQ(U8(1), depth)
	JCC(LabelRef(label + "Even"))
	step()
	TESTQ(depth, depth)
	JZ(LabelRef(label + "End"))
	Label(label + "Even")
	step()
	step()
	DECQ(depth)
	JNZ(LabelRef(label + "Even"))
	Label(label + "End")

	for i := range sums {
		for j := range perVector {
			VMOVUPS(sums[i][j], Mem{Base: c, Disp: j * w.bytes})
		}
		if i+1 < w.rows {
			ADDQ(stride, c)
		}
	}
	VZEROUPPER()
	RET()
}

// line adds a product to a row of a block. It waits for the panel more than for its sums.
func (w width) line() {
	name := "line" + w.suffix
	begin(name, "func(c *float32, a *float32, column uint64, panel *float32, depth uint64)",
		name+" adds to a row of a block the product of a row of a, whose numbers are column bytes apart, and a panel",
		"of depth > 0 rows.")
	c, a, column, b, depth := arg("c"), arg("a"), arg("column"), arg("panel"), arg("depth")
	sums := make([]reg.VecVirtual, panel/w.bytes)
	for j := range sums {
		sums[j] = w.vector()
		VMOVUPS(Mem{Base: c, Disp: j * w.bytes}, sums[j])
	}
	x, product := w.vector(), w.vector()
	label := name + "Next"
	Label(label)
	VBROADCASTSS(Mem{Base: a}, x)
	for j, sum := range sums {
		VMULPS(Mem{Base: b, Disp: j * w.bytes}, x, product)
		VADDPS(product, sum, sum)
	}
	ADDQ(U32(panel), b)
	ADDQ(column, a)
	DECQ(depth)
	JNZ(LabelRef(label))
	for j, sum := range sums {
		VMOVUPS(sum, Mem{Base: c, Disp: j * w.bytes})
	}
	VZEROUPPER()
	RET()
}

// each writes a loop over vectors of the given arrays.
func (w width) each(name string, count reg.Register, arrays []reg.Register, body func()) {
	label := name + "Next"
	Label(label)
	body()
	for _, p := range arrays {
		ADDQ(U8(w.bytes), p)
	}
	DECQ(count)
	JNZ(LabelRef(label))
	VZEROUPPER()
	RET()
}

func (w width) add() {
	name := "add" + w.suffix
	begin(name, "func(dst *float32, src *float32, count uint64)",
		name+" adds count > 0 vectors of src to those of dst.")
	dst, src, count := arg("dst"), arg("src"), arg("count")
	x := w.vector()
	w.each(name, count, []reg.Register{dst, src}, func() {
		VMOVUPS(Mem{Base: dst}, x)
		VADDPS(Mem{Base: src}, x, x)
		VMOVUPS(x, Mem{Base: dst})
	})
}

func (w width) zero() reg.VecVirtual {
	z := w.vector()
	if w.wide {
		VPXORQ(z, z, z) // the instruction for float32 would need one more feature
	} else {
		VXORPS(z, z, z)
	}
	return z
}

func (w width) rectify() {
	name := "rectify" + w.suffix
	begin(name, "func(dst *float32, count uint64)",
		name+" sets the numbers of count > 0 vectors that are not greater than zero to zero.")
	dst, count := arg("dst"), arg("count")
	zero, x := w.zero(), w.vector()
	w.each(name, count, []reg.Register{dst}, func() {
		VMOVUPS(Mem{Base: dst}, x)
		VMAXPS(zero, x, x) // x > 0 ? x : 0, so that what is no number becomes zero
		VMOVUPS(x, Mem{Base: dst})
	})
}

// greater is the predicate of a comparison that is false for what is no number.
const greater = 0x1e

func (w width) gate() {
	name := "gate" + w.suffix
	begin(name, "func(dst *float32, by *float32, count uint64)",
		name+" sets the numbers of count > 0 vectors whose partner is not greater than zero to zero.")
	dst, by, count := arg("dst"), arg("by"), arg("count")
	zero, x, y := w.zero(), w.vector(), w.vector()
	w.each(name, count, []reg.Register{dst, by}, func() {
		VMOVUPS(Mem{Base: by}, x)
		VMOVUPS(Mem{Base: dst}, y)
		if w.wide {
			k := K()
			VCMPPS(U8(greater), zero, x, k)
			VMOVUPS_Z(y, k, y)
		} else {
			VCMPPS(U8(greater), zero, x, x)
			VANDPS(x, y, y)
		}
		VMOVUPS(y, Mem{Base: dst})
	})
}

func (w width) adam() {
	name := "adam" + w.suffix
	begin(name, "func(weights *float32, gradients *float32, first *float32, second *float32, rates *float32, count uint64)",
		name+" makes a step of Adam for count > 0 vectors of weights. The rates are the eight numbers of Rates.")
	weights, gradients, first, second, rates, count := arg("weights"), arg("gradients"), arg("first"), arg("second"), arg("rates"), arg("count")
	var r [8]reg.VecVirtual
	for i := range r {
		r[i] = w.vector()
		VBROADCASTSS(Mem{Base: rates, Disp: i * number}, r[i])
	}
	beta1, rest1, beta2, rest2, decay, step, scale, epsilon := r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]
	weight, g, mean, t := w.vector(), w.vector(), w.vector(), w.vector()
	w.each(name, count, []reg.Register{weights, gradients, first, second}, func() {
		VMOVUPS(Mem{Base: weights}, weight)
		VMULPS(weight, decay, g)
		VADDPS(Mem{Base: gradients}, g, g)
		VMULPS(Mem{Base: second}, beta2, mean)
		VMULPS(g, rest2, t)
		VMULPS(g, t, t)
		VADDPS(t, mean, mean)
		VMOVUPS(mean, Mem{Base: second})
		VSQRTPS(mean, t)
		VMULPS(scale, t, t)
		VADDPS(epsilon, t, t)
		VMULPS(Mem{Base: first}, beta1, mean)
		VMULPS(g, rest1, g)
		VADDPS(g, mean, mean)
		VMOVUPS(mean, Mem{Base: first})
		VMULPS(mean, step, mean)
		VDIVPS(t, mean, mean)
		VSUBPS(mean, weight, weight)
		VMOVUPS(weight, Mem{Base: weights})
	})
}

// tanh bends numbers by a quotient of polynomials, those for the sigmoid halved before and
// the results halved and shifted. There are more coefficients than registers of the narrow
// kind.
func (w width) tanh(name, what string, sigmoid bool) {
	name += w.suffix
	begin(name, "func(dst *float32, curve *float32, count uint64)",
		name+" replaces the numbers of count > 0 vectors by "+what+". The curve is the fourteen numbers of that name.")
	dst, curve, count := arg("dst"), arg("curve"), arg("count")
	coefficient := func(i int) reg.VecVirtual {
		c := w.vector()
		VBROADCASTSS(Mem{Base: curve, Disp: i * number}, c)
		return c
	}
	const greatest, least, odd, even, half = 0, 1, 2, 9, 13
	x, y, over, under := w.vector(), w.vector(), w.vector(), w.vector()
	w.each(name, count, []reg.Register{dst}, func() {
		VMOVUPS(Mem{Base: dst}, x)
		if sigmoid {
			VMULPS(coefficient(half), x, x)
		}
		VMINPS(x, coefficient(greatest), x) // x where it is no number
		VMAXPS(x, coefficient(least), x)
		VMULPS(x, x, y)
		w.polynomial(over, y, coefficient, odd, even)
		w.polynomial(under, y, coefficient, even, half)
		VMULPS(x, over, over)
		VDIVPS(under, over, x)
		if sigmoid {
			VMULPS(coefficient(half), x, x)
			VADDPS(coefficient(half), x, x)
		}
		VMOVUPS(x, Mem{Base: dst})
	})
}

// polynomial sets sum to the value at y of the one whose coefficients have these numbers,
// that of the highest power first.
func (w width) polynomial(sum, y reg.VecVirtual, coefficient func(i int) reg.VecVirtual, first, end int) {
	VMULPS(coefficient(first), y, sum)
	for i := first + 1; i < end; i++ {
		if i > first+1 {
			VMULPS(y, sum, sum)
		}
		VADDPS(coefficient(i), sum, sum)
	}
}
