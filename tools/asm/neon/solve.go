package main

import "math/bits"

func orNotRows(p *printer) {
	p.begin("orNotRows128", "dst *uint64, children **uint64, count uint64, rows uint64", "",
		"orNotRows128 sets rows of eight words at dst to dst | ^child for the rows of all children.")
	p.op("MOVD $0, R4")
	p.label("row")
	p.ops("ADD R4, R0, R5", "MOVD $0, R6")
	p.loadRun("R5", 0, 4)
	p.label("child")
	p.ops("ADD R6<<3, R1, R7", "MOVD (R7), R7", "ADD R4, R7")
	p.loadRun("R7", 4, 4)
	for r := range v(4) {
		p.orNot(4+r, r, r)
	}
	p.ops("ADD $1, R6", "CMP R2, R6", "BLO child")
	p.storeRun(0, 4, "R5")
	p.ops("ADD $64, R4", "SUBS $1, R3", "BNE row", "RET")
}

// solve has two words in a register, which are a unit here.
func solve(p *printer) {
	p.begin("solveUnits128", "win *uint64, order *uint8, units uint64", "",
		"solveUnits128 solves a slice with the given number of units of two words, a power of two up to 256, as SolveSlice does.\norder has the numbers of the units, by falling weight.")
	tables := make([]byte, 48) // of nibbles: those that are lost, the same four bits up, the low four bits
	for i := range 16 {
		lost := lostNibble(i)
		tables[i], tables[16+i], tables[32+i] = byte(lost), byte(lost<<4), 0x0f
	}
	const low, high, nibble, level, x, open, lost, y, z = v(16), v(17), v(18), v(20), v(0), v(1), v(2), v(3), v(4)
	const levels = 5
	masks := make([]byte, 16*levels)
	for octet := range 16 {
		masks[16*bits.OnesCount(uint(octet))+octet] = 0xff
	}
	p.constant("lostNibbles", tables, 3)
	p.loadRun("R3", low, 3)
	p.constant("octetsByWeight", masks, 3)
	p.op("VLD1.P 64(R3), [%s]", run(level, 4, "D2"))
	p.loadRun("R3", level+4, 1)
	p.op("SUB $1, R2, R3") // the bits of a unit's number
	p.label("unit")
	p.ops("MOVBU.P 1(R1), R4", "ADD R4<<4, R0, R5")
	p.load("R5", 0, x)
	p.op("VCMEQ V%d.B16, V%d.B16, V%d.B16", y, y, y)
	p.xor(y, x, x)
	p.ops("EOR R3, R4, R6", "CBZ R6, inside")
	p.label("bit")
	p.ops("NEG R6, R7", "AND R6, R7", "EOR R7, R6", "ADD R7<<4, R5, R7")
	p.load("R7", 0, y)
	p.and(y, x, x)
	p.op("CBNZ R6, bit")
	p.label("inside")
	// Only octets that are solved have lost states, and these have more weight. So an octet in
	// which an index bit is set gets nothing from the one where it is clear.
	for weight := levels - 1; weight >= 0; weight-- {
		if weight == levels-1 {
			p.or(x, x, open)
			p.xor(lost, lost, lost)
		} else {
			p.op("VUSHR $8, V%d.D2, V%d.D2", lost, y)
			for _, distance := range []int{16, 32} {
				p.op("VUSHR $%d, V%d.D2, V%d.D2", distance, lost, z)
				p.or(z, y, y)
			}
			p.op("VEXT $8, V%d.B16, V%d.B16, V%d.B16", lost, lost, z)
			p.or(z, y, y)
			p.andNot(y, x, open)
		}
		// Upper nibbles first: the states that are lost there win below.
		p.op("VUSHR $4, V%d.B16, V%d.B16", open, y)
		p.look(y, low, 1, z)
		p.andNot(z, open, open)
		p.look(y, high, 1, y)
		p.and(nibble, open, open)
		p.look(open, low, 1, open)
		p.or(y, open, open)
		p.and(level+v(weight), open, open)
		p.or(open, lost, lost)
	}
	p.op("VCMEQ V%d.B16, V%d.B16, V%d.B16", y, y, y)
	p.xor(y, lost, lost)
	p.store(lost, "R5", 0)
	p.ops("SUBS $1, R2", "BNE unit", "RET")
}

// lostNibble returns which of four states of a two-bit index are lost, among the open ones.
func lostNibble(open int) (lost int) {
	lost = open & 8
	lost |= open & 6 &^ (lost>>1 | lost>>2)
	return lost | open&1&^(lost>>1|lost>>2)
}

// count counts by weight, two weights in a register.
func count(p *printer) {
	p.begin("countWords128", "counts *uint64, words *uint64, count uint64, first uint64", "",
		"countWords128 counts the states of words by the weight of their index: it adds to counts[i]. The number\nof the first word is first. It writes one count more than there are weights.")
	masks := make([]byte, 64)
	for state := range 64 {
		masks[8*bits.OnesCount(uint(state))+state/8] |= 1 << (state % 8)
	}
	const x, t, sum, mask = v(0), v(1), v(2), v(16)
	p.constant("statesByWeight", masks, 4)
	p.loadRun("R4", mask, 4)
	p.label("word")
	p.ops("MOVD.P 8(R1), R5", "CBZ R5, counted", "FMOVD R3, F0", "VCNT V0.B8, V0.B8", "VUADDLV V0.B8, V0", "FMOVD F0, R6", "ADD R6<<3, R0, R6")
	p.op("VDUP R5, V%d.D2", x)
	for i := range 4 {
		p.and(mask+v(i), x, t)
		p.op("VCNT V%d.B16, V%d.B16", t, t)
		for bytes := 1; bytes < 8; bytes *= 2 {
			p.addPairs(bytes, t, t)
		}
		p.load("R6", 16*i, sum)
		p.op("VADD V%d.D2, V%d.D2, V%d.D2", t, sum, sum)
		p.store(sum, "R6", 16*i)
	}
	p.label("counted")
	p.ops("ADD $1, R3", "SUBS $1, R2", "BNE word", "RET")
}
