package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// turns writes a kernel for each operation.
func turns() {
	words := make([]uint64, 8)
	for i := range 64 {
		words[i/8] |= uint64(i|1<<7) << (8 * (i % 8))
	}
	numbers := constant("numbers", words)
	turn(numbers, "turnSet512", choose, "what comes out where keep is set, else dst")
	turn(numbers, "turnOr512", orAnd, "dst | what comes out & keep")
	turn(numbers, "turnOrNot512", orNotAnd, "dst | ^what comes out & keep")
	turn(numbers, "turnAnd512", andOrNot, "dst & (what comes out | ^keep)")
}

// turn folds a slice of at most a row into another one. The bits of a state's number are those
// of a byte's number in the row, above, and three of a bit's number in its byte. An order of the
// bytes, which puts them where their numbers times a matrix are, turns those above; between two
// of them those inside are exchanged with the three lowest above, by transposing each word
// as a matrix of bits.
func turn(numbers Mem, name string, table uint64, formula string) {
	begin(name, "func(dst *uint64, words uint64, src *uint64, from uint64, second uint64, orders *[3]uint64, twice uint64, keep *[8]uint64)",
		name+" brings the words of src that have a bit in from, and those of the row that is second bytes behind it unless that is 0, through two",
		"orders of their bytes, or three where twice has all bits, and sets those of dst that have a bit in words to", formula+".")
	dst := arg("dst")
	words, from, again := K(), K(), K()
	KMOVQ(arg("words"), words)
	src := arg("src")
	KMOVQ(arg("from"), from)
	second, orders := arg("second"), arg("orders")
	KMOVQ(arg("twice"), again)
	keep := arg("keep")

	number, unit := ZMM(), broadcast(0x8040201008040201)
	VMOVDQU64(numbers, number)
	var order [3]reg.VecVirtual
	for i := range order {
		order[i] = ZMM()
		VGF2P8AFFINEQB_BCST(U8(0), Mem{Base: orders, Disp: 8 * i}, number, order[i])
	}
	x, y := ZMM(), ZMM()
	VMOVDQU64_Z(Mem{Base: src}, from, x)
	VPERMB(x, order[0], x)
	VGF2P8AFFINEQB(U8(0), x, unit, x)
	TESTQ(second, second)
	JZ(LabelRef(name + "One"))
	VMOVDQU64(Mem{Base: src, Index: second, Scale: 1}, y)
	VPERMB(y, order[0], y)
	VGF2P8AFFINEQB(U8(0), y, unit, y)
	VPERMT2B(y, order[1], x)
	JMP(LabelRef(name + "Ordered"))
	Label(name + "One")
	VPERMB(x, order[1], x)
	Label(name + "Ordered")
	VGF2P8AFFINEQB(U8(0), x, unit, again, x)
	VPERMB(x, order[2], x)
	kept, d := ZMM(), ZMM()
	VMOVDQU64(Mem{Base: keep}, kept)
	VMOVDQU64_Z(Mem{Base: dst}, words, d)
	VPTERNLOGQ(U8(table), kept, x, d)
	VMOVDQU64(d, words, Mem{Base: dst})
	VZEROUPPER()
	RET()
}
