package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// squeeze writes rows of eight words without their zero bytes. It compresses to a register and
// writes that whole, as compressing to memory is slow.
func squeeze() {
	begin("squeeze512", "func(dst *byte, masks *byte, words *uint64, rows uint64) uint64",
		"squeeze512 writes the bytes of rows of eight words that are not zero to dst, and to masks, for each",
		"word, which these are. It returns how many bytes it wrote to dst, and leaves the next 64 bytes undefined.")
	dst, masks, words, rows := arg("dst"), arg("masks"), arg("words"), arg("rows")
	begin, mask := GP64(), GP64()
	MOVQ(dst, begin)
	x, k := ZMM(), K()
	Label("squeezeRow")
	VMOVDQU64(Mem{Base: words}, x)
	VPTESTMB(x, x, k)
	KMOVQ(k, mask)
	MOVQ(mask, Mem{Base: masks})
	VPCOMPRESSB_Z(x, k, x)
	VMOVDQU64(x, Mem{Base: dst})
	POPCNTQ(mask, mask)
	ADDQ(mask, dst)
	ADDQ(U8(8), masks)
	ADDQ(U8(64), words)
	again(rows, "squeezeRow")
	answerAdvance(begin, dst)
}

func expand() {
	begin("expand512", "func(words *uint64, masks *byte, src *byte, length uint64, rows uint64) (done uint64, used uint64)",
		"expand512 sets rows of eight words to what was squeezed into masks and src, while 64 bytes",
		"of src are left. It returns how many rows it set and how many bytes it used.")
	words, masks, src, length, rows := arg("words"), arg("masks"), arg("src"), arg("length"), arg("rows")
	used, done, next, mask := GP64(), GP64(), GP64(), GP64()
	XORQ(used, used)
	XORQ(done, done)
	x, k := ZMM(), K()
	Label("expandRow")
	LEAQ(Mem{Base: used, Disp: 64}, next)
	CMPQ(next, length)
	JA(LabelRef("expanded"))
	MOVQ(Mem{Base: masks, Index: done, Scale: 8}, mask)
	KMOVQ(mask, k)
	VMOVDQU64(Mem{Base: src, Index: used, Scale: 1}, x)
	VPEXPANDB_Z(x, k, x)
	VMOVDQU64(x, Mem{Base: words})
	ADDQ(U8(64), words)
	POPCNTQ(mask, mask)
	ADDQ(mask, used)
	INCQ(done)
	CMPQ(done, rows)
	JB(LabelRef("expandRow"))
	Label("expanded")
	Store(done, Return("done"))
	Store(used, Return("used"))
	end()
}

// byteOrders is a table of shuffles of eight bytes by the mask of a word. With expanding they move
// consecutive bytes to the bits of the mask, with 0x80 for zero; otherwise they do the reverse.
func byteOrders(name string, expanding bool) Mem {
	words := make([]uint64, 256)
	for mask := range words {
		for i, n := 0, 0; i < 8; i++ {
			to, from := n, i
			if expanding {
				to, from = i, n
			}
			switch {
			case mask>>i&1 == 1:
				words[mask] |= uint64(from) << (8 * to)
				n++
			case expanding:
				words[mask] |= 0x80 << (8 * i)
			}
		}
	}
	return constant(name, words)
}

// squeeze256 shuffles word by word, by a table.
func squeeze256() {
	begin("squeeze256", "func(dst *byte, masks *byte, words *uint64, rows uint64) uint64",
		"squeeze256 writes the bytes of rows of eight words that are not zero to dst, and to masks, for each",
		"word, which these are. It returns how many bytes it wrote to dst, and leaves the next eight bytes undefined.")
	dst, masks, words, rows := arg("dst"), arg("masks"), arg("words"), arg("rows")
	begin, orders, mask, each := GP64(), GP64(), GP64(), GP64()
	MOVQ(dst, begin)
	LEAQ(byteOrders("squeezeOrders", false), orders)
	zero, x, order := YMM(), YMM(), XMM()
	VPXOR(zero, zero, zero)
	ADDQ(rows, rows)
	Label("squeeze256Half")
	VPCMPEQB(Mem{Base: words}, zero, x)
	VPMOVMSKB(x, mask.As32())
	NOTL(mask.As32())
	MOVL(mask.As32(), Mem{Base: masks})
	for i := range 4 {
		MOVBLZX(mask.As8(), each.As32())
		VMOVQ(Mem{Base: words, Disp: 8 * i}, x.AsX())
		VMOVQ(Mem{Base: orders, Index: each, Scale: 8}, order)
		VPSHUFB(order, x.AsX(), x.AsX())
		VMOVQ(x.AsX(), Mem{Base: dst})
		POPCNTL(each.As32(), each.As32())
		ADDQ(each, dst)
		if i < 3 {
			SHRL(U8(8), mask.As32())
		}
	}
	ADDQ(U8(4), masks)
	ADDQ(U8(32), words)
	again(rows, "squeeze256Half")
	answerAdvance(begin, dst)
}

func expand256() {
	begin("expand256", "func(words *uint64, masks *byte, src *byte, length uint64, rows uint64) (done uint64, used uint64)",
		"expand256 sets rows of eight words to what was squeezed into masks and src, while 64 bytes",
		"of src are left. It returns how many rows it set and how many bytes it used.")
	words, masks, src, length, rows := arg("words"), arg("masks"), arg("src"), arg("length"), arg("rows")
	orders, used, done, next, mask := GP64(), GP64(), GP64(), GP64(), GP64()
	LEAQ(byteOrders("expandOrders", true), orders)
	XORQ(used, used)
	XORQ(done, done)
	x, order := XMM(), XMM()
	Label("expand256Row")
	LEAQ(Mem{Base: used, Disp: 64}, next)
	CMPQ(next, length)
	JA(LabelRef("expanded256"))
	for i := range 8 {
		MOVBLZX(Mem{Base: masks, Disp: i}, mask.As32())
		VMOVQ(Mem{Base: src, Index: used, Scale: 1}, x)
		VMOVQ(Mem{Base: orders, Index: mask, Scale: 8}, order)
		VPSHUFB(order, x, x)
		VMOVQ(x, Mem{Base: words, Disp: 8 * i})
		POPCNTL(mask.As32(), mask.As32())
		ADDQ(mask, used)
	}
	ADDQ(U8(8), masks)
	ADDQ(U8(64), words)
	INCQ(done)
	CMPQ(done, rows)
	JB(LabelRef("expand256Row"))
	Label("expanded256")
	Store(done, Return("done"))
	Store(used, Return("used"))
	end()
}
