package main

import "fmt"

// A tile has 32 registers of two words: bit 0 of a word's number selects the lane, the others the
// register. It stays in its buffer, and each exchange is a pass over it.
const tileRegisters = 32

const (
	mask, left, right = v(29), v(30), v(31) // of an exchange
	firstMove         = 7                   // the number of the first move of words
	stepSize          = 24
)

// moveKinds are the two bits of the word's number that each move swaps.
var moveKinds = [][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}}

// pairs calls do with the numbers of all registers that differ in a bit of the word's number.
func pairs(bit int, do func(a, b int)) {
	for a := range tileRegisters {
		if b := a | 1<<(bit-1); a != b {
			do(a, b)
		}
	}
}

func transform(p *printer) {
	p.begin("transform128", "buf *[64]uint64, src *uint64, at *[8]uint32, exchanges *[3]uint64, count int", "(something bool)",
		"transform128 reads 64 words, eight each from src[at[0]], src[at[1]], …, carries out the exchanges and writes\nthe words to buf. It returns false and carries nothing out if all of them are zero.")
	p.xor(4, 4, 4)
	p.op("MOVD R0, R6")
	for i := range 8 {
		p.op("MOVWU %d(R2), R5", 4*i)
		p.op("ADD R5<<3, R1, R5")
		p.loadRun("R5", 0, 4)
		p.op("VST1.P [%s], 64(R6)", run(0, 4, "D2"))
		for r := range v(4) {
			p.or(r, 4, 4)
		}
	}
	p.ops("VMOV V4.D[0], R5", "VMOV V4.D[1], R6", "ORR R6, R5, R5", "CMP $0, R5", "CSET NE, R6",
		"MOVB R6, something+40(FP)", "CBZ R5, done", "CBZ R4, done")
	p.label("step")
	p.loadExchange("R3", 0, "R5", mask, left, right)
	p.ops("MOVD 16(R3), R5", fmt.Sprintf("CMP $%d, R5", firstMove), "BHS move")
	for bit := range 6 {
		p.op("CMP $%d, R5", bit)
		p.op("BEQ trade%d", bit)
	}
	for i := range tileRegisters {
		x := v(2 * (i % 4))
		p.load("R0", 16*i, x)
		p.exchange(x, x, x+1, mask, left, right)
		p.store(x, "R0", 16*i)
	}
	p.op("B next")
	for bit := range 6 {
		p.label(fmt.Sprintf("trade%d", bit))
		trade(p, bit)
		p.op("B next")
	}
	p.label("move")
	for kind, m := range moveKinds {
		p.op("CMP $%d, R5", firstMove+kind)
		p.op("BNE move%d", kind)
		move(p, m[0], m[1])
		p.op("B next")
		p.label(fmt.Sprintf("move%d", kind))
	}
	p.label("next")
	p.ops(fmt.Sprintf("ADD $%d, R3", stepSize), "SUBS $1, R4", "BNE step")
	p.label("done")
	p.op("RET")
}

// trade exchanges an index bit of the words with a bit of their number. The two lanes of a
// register are first brought to two registers.
func trade(p *printer, bit int) {
	at := v(0)
	pairs(max(bit, 1), func(a, b int) {
		x, y, t, u := at, at+1, at+2, at+3
		at = (at + 4) % 16
		p.load("R0", 16*a, x)
		p.load("R0", 16*b, y)
		if bit == 0 {
			lanes(p, x, y, t, u)
			p.exchange(t, u, x, mask, left, right)
			lanes(p, t, u, x, y)
		} else {
			p.exchange(x, y, t, mask, left, right)
		}
		p.store(x, "R0", 16*a)
		p.store(y, "R0", 16*b)
	})
}

// lanes sets c to the first lanes of a and b, and d to their second lanes.
func lanes(p *printer, a, b, c, d v) {
	p.op("VTRN1 V%d.D2, V%d.D2, V%d.D2", b, a, c)
	p.op("VTRN2 V%d.D2, V%d.D2, V%d.D2", b, a, d)
}

func move(p *printer, low, high int) {
	pairs(high, func(a, b int) {
		if low > 0 {
			bit := 1 << (low - 1)
			if a&bit == 0 {
				return
			}
			b ^= bit // those that have one of the two bits set
		}
		p.load("R0", 16*a, 0)
		p.load("R0", 16*b, 1)
		if low == 0 {
			lanes(p, 0, 1, 3, 2)
		} else {
			p.or(0, 0, 2)
			p.or(1, 1, 3)
		}
		p.store(3, "R0", 16*a)
		p.store(2, "R0", 16*b)
	})
}

func live(p *printer) {
	p.begin("live128", "dst *uint64, at *[8]uint32, rows uint64", "(something bool)",
		"live128 reports whether any word is not zero of eight each at dst[at[0]], dst[at[1]], …. It leaves out row i if bit i of rows is clear.")
	p.xor(4, 4, 4)
	for i := range 8 {
		p.op("TBZ $%d, R2, row%d", i, i)
		p.op("MOVWU %d(R1), R5", 4*i)
		p.op("ADD R5<<3, R0, R5")
		p.loadRun("R5", 0, 4)
		for r := range v(4) {
			p.or(r, 4, 4)
		}
		p.label(fmt.Sprintf("row%d", i))
	}
	p.ops("VMOV V4.D[0], R5", "VMOV V4.D[1], R6", "ORR R6, R5, R5", "CMP $0, R5", "CSET NE, R6", "MOVB R6, something+24(FP)", "RET")
}

// operations are what a fold does to d with the result b and what is kept, k.
var operations = []struct {
	name, formula string
	do            func(p *printer, d, b, k v)
}{
	{"Set", "the result where keep is set, else dst", func(p *printer, d, b, k v) { p.op("VBIT V%d.B16, V%d.B16, V%d.B16", k, b, d) }},
	{"Or", "dst | result & keep", func(p *printer, d, b, k v) { p.and(k, b, b); p.or(b, d, d) }},
	{"OrNot", "dst | ^result & keep", func(p *printer, d, b, k v) { p.andNot(b, k, b); p.or(b, d, d) }},
	{"And", "dst & (result | ^keep)", func(p *printer, d, b, k v) { p.andNot(b, k, b); p.andNot(b, d, d) }},
}

func stores(p *printer) {
	for _, op := range operations {
		name := "store" + op.name + "128"
		p.begin(name, "dst *uint64, at *[8]uint32, buf *[64]uint64, keep *[8]uint64, rows uint64", "",
			name+" sets each of 64 words, eight each from dst[at[0]], dst[at[1]], …, to\n"+op.formula+", where buf has the results,\nwhere keep[i] is for word i of each row. It leaves row i alone if bit i of rows is clear.")
		p.loadRun("R3", 8, 4)
		for i := range 8 {
			p.op("TBZ $%d, R4, row%d", i, i)
			p.op("MOVWU %d(R1), R5", 4*i)
			p.op("ADD R5<<3, R0, R5")
			p.op("ADD $%d, R2, R6", 64*i)
			p.loadRun("R5", 0, 4)
			p.loadRun("R6", 4, 4)
			for r := range v(4) {
				op.do(p, r, 4+r, 8+r)
			}
			p.storeRun(0, 4, "R5")
			p.label(fmt.Sprintf("row%d", i))
		}
		p.op("RET")
	}
}
