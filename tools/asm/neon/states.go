package main

// route takes four states at a time: it shuffles the byte to each place that has the bit, tests that, and
// adds the bits up.
func route(p *printer) {
	p.begin("route128", "to *uint32, states *uint32, count uint64, control *[32]uint8, needs uint64, dropped uint64", "(kept uint64)",
		"route128 maps states to to: bit i is bit control[i] of the state, where bit 62 is set if the state lacks any\nbit of needs, which clears the others, and bit 63 is always set. If dropped is 1, not 0,\nit leaves out those whose highest bit is set. It returns how many it wrote.")
	// By place the byte that has it, and the bit in that. Behind the four bytes of a state, and four bytes
	// of the other one, are set ones.
	bytes, bits, weights := make([]byte, 64), make([]byte, 64), make([]byte, 16)
	for place := range 64 {
		bytes[place], bits[place] = byte(place/8), 1<<(place%8)
		if place >= 32 {
			bytes[place] = 0x80
		}
	}
	bytes[62], bits[62], bytes[63] = 3, 0x80, 4
	for i := range weights {
		weights[i] = 1 << (i % 8)
	}
	const index, next, bit = v(0), v(2), v(4) // two registers each: of the lower and upper 16 places
	const weight, ones, needs, absent, x, goes = v(6), v(7), v(16), v(17), v(18), v(19)
	p.loadRun("R3", 24, 2)
	for _, table := range []struct {
		name  string
		bytes []byte
		to    v
	}{{"placeBytes", bytes, index}, {"placeBits", bits, bit}} {
		p.constant(table.name, table.bytes, 7)
		p.loadRun("R7", 20, 4)
		p.look(24, 20, 4, table.to)
		p.look(25, 20, 4, table.to+1)
	}
	p.op("VMOVI $8, V%d.B16", x)
	for i := range v(2) {
		p.op("VADD V%d.B16, V%d.B16, V%d.B16", x, index+i, next+i)
	}
	p.constant("weights", weights, 7)
	p.loadRun("R7", weight, 1)
	p.op("VCMEQ V%d.B16, V%d.B16, V%d.B16", ones, ones, ones)
	p.op("VDUP R4, V%d.S4", needs)
	p.ops("MOVD $0x80000000, R7")
	p.op("VDUP R7, V%d.S4", absent)
	four := func() {
		p.and(needs, x, goes)
		p.op("VCMEQ V%d.S4, V%d.S4, V%d.S4", needs, goes, goes)
		p.and(goes, x, x)
		p.andNot(goes, absent, goes)
		p.or(goes, x, x)
		p.op("VZIP1 V%d.S4, V%d.S4, V20.S4", ones, x)
		p.op("VZIP2 V%d.S4, V%d.S4, V21.S4", ones, x)
		for state := range v(4) {
			for half := range v(2) {
				d := 24 + 2*state + half
				p.look(index+2*(state&1)+half, 20+state/2, 1, d)
				p.op("VCMTST V%d.B16, V%d.B16, V%d.B16", bit+half, d, d)
				p.and(weight, d, d)
			}
		}
		for n := v(4); n > 0; n /= 2 {
			for i := range n {
				p.op("VADDP V%d.B16, V%d.B16, V%d.B16", 24+2*i+1, 24+2*i, 24+i)
			}
		}
	}
	take := func(lane int) {
		p.op("VMOV V24.S[%d], R7", lane)
		p.ops("ADD R6<<2, R0, R8", "MOVW R7, (R8)", "LSR $31, R7", "AND R5, R7", "ADD $1, R6", "SUB R7, R6")
	}
	p.op("MOVD $0, R6")
	p.label("group")
	p.ops("CMP $4, R2", "BLO rest")
	p.loadRun("R1", x, 1)
	four()
	for lane := range 4 {
		take(lane)
	}
	p.ops("ADD $16, R1", "SUB $4, R2", "B group")
	p.label("rest")
	p.ops("CBZ R2, done", "MOVWU (R1), R7")
	p.op("VDUP R7, V%d.S4", x)
	four()
	take(0)
	p.ops("ADD $4, R1", "SUB $1, R2", "B rest")
	p.label("done")
	p.ops("MOVD R6, kept+48(FP)", "RET")
}

// reverseLabels has four registers a row.
func reverseLabels(p *printer) {
	p.begin("label128", "touched *uint64, candidates *uint64, undecided *uint64, fresh *uint64, won *uint64, rows uint64", "(count uint64)",
		"label128 clears the touched states in candidates. In the reverse order of rows, words and bits,\nit moves those that are undecided to fresh and to won. It returns how many there were.")
	p.ops("MOVD $0, R6", "LSL $2, R5", "SUB $1, R5, R7", "LSL $4, R7", "ADD R7, R2", "ADD R7, R3", "ADD R7, R4")
	something := func(x v) {
		p.op("VMOV V%d.D[0], R7", x)
		p.op("VMOV V%d.D[1], R8", x)
		p.ops("ORR R7, R8", "CBZ R8, labelled")
	}
	p.label("part")
	p.load("R0", 0, 0)
	something(0)
	p.load("R1", 0, 1)
	p.andNot(0, 1, 1)
	p.store(1, "R1", 0)
	p.ops("VRBIT V0.B16, V0.B16", "VREV64 V0.B16, V0.B16", "VEXT $8, V0.B16, V0.B16, V0.B16")
	p.load("R2", 0, 1)
	p.and(1, 0, 0)
	something(0)
	p.xor(0, 1, 1)
	p.store(1, "R2", 0)
	for _, base := range []string{"R3", "R4"} {
		p.load(base, 0, 1)
		p.or(0, 1, 1)
		p.store(1, base, 0)
	}
	p.ops("VCNT V0.B16, V0.B16", "VUADDLV V0.B16, V0", "VMOV V0.D[0], R7", "ADD R7, R6")
	p.label("labelled")
	p.ops("ADD $16, R0", "ADD $16, R1", "SUB $16, R2", "SUB $16, R3", "SUB $16, R4", "SUBS $1, R5", "BNE part", "MOVD R6, count+48(FP)", "RET")
}

// least takes two words at a time.
func least(p *printer) {
	p.begin("least128", "least **uint64, others **uint64, digits uint64, rows uint64", "",
		"least128 lowers each number of least to that of others where this is less. A number's digits\nare in as many planes, the lowest first.")
	const less, x, y, z = v(0), v(1), v(2), v(3)
	eachDigit := func(label string, do func()) {
		p.ops("MOVD R0, R5", "MOVD R1, R6", "MOVD R2, R7")
		p.label(label)
		p.ops("MOVD.P 8(R5), R8", "MOVD.P 8(R6), R9", "ADD R4, R8", "ADD R4, R9")
		p.load("R8", 0, x)
		p.load("R9", 0, y)
		do()
		p.ops("SUBS $1, R7", "BNE "+label)
	}
	p.ops("MOVD $0, R4", "LSL $2, R3")
	p.label("part")
	p.xor(less, less, less)
	eachDigit("digit", func() { // ^y&x | ^(x^y)&less
		p.xor(x, y, z)
		p.andNot(z, less, less)
		p.andNot(y, x, x)
		p.or(x, less, less)
	})
	eachDigit("take", func() {
		p.xor(x, y, z)
		p.and(less, z, z)
		p.xor(z, x, x)
		p.store(x, "R8", 0)
	})
	p.ops("ADD $16, R4", "SUBS $1, R3", "BNE part", "RET")
}

func prefetch(p *printer) {
	p.begin("prefetchBits", "plane *uint64, bits *uint32, count int", "",
		"prefetchBits prefetches the words of a plane that have some bits. It ignores the highest bit of their numbers.")
	p.label("bit")
	p.ops("MOVWU.P 4(R1), R3", "AND $0x7fffffff, R3", "LSR $6, R3", "ADD R3<<3, R0, R3", "PRFM (R3), PLDL1KEEP", "SUBS $1, R2", "BNE bit", "RET")
	p.begin("prefetchLines", "at *byte, lines int", "",
		"prefetchLines prefetches lines of 64 bytes.")
	p.label("line")
	p.ops("PRFM (R0), PLDL1KEEP", "ADD $64, R0", "SUBS $1, R1", "BNE line", "RET")
}
