package main

import "fmt"

// The layout of rowSteps in package bitslice, and the permutation that moves nothing.
const (
	stepsFirst     = 0
	stepsSecond    = 8
	stepsExchanges = 16
	stepsTrade     = 64
	identity       = 0x0102040810200000
)

// Registers of the row kernels: two rows, the result, and the numbers of the bytes that come there.
const (
	rowX, rowY, rowOut, rowFrom = v(0), v(4), v(8), v(24)
	rowParts                    = 4 // registers of a row
)

func rows(p *printer) {
	for _, op := range operations {
		name := "row" + op.name + "128"
		p.begin(name, "dst *uint64, words uint64, src *uint64, from uint64, second uint64, steps *uint64, keep *[8]uint64", "",
			name+" carries out the steps on the first from words of src and, unless second is 0, on the row second bytes after it,\nand sets the first words of dst to "+op.formula+".")
		for part := range v(rowParts) {
			p.xor(rowX+part, rowX+part, rowX+part)
		}
		byLength(p, "R3", "read", func(parts int) { p.loadRun("R2", rowX, parts) }, func() { p.op("FMOVD (R2), F%d", rowX) })
		p.op("CBNZ R4, two")
		inside(p, rowX, "one")
		order(p, stepsSecond)
		pick(p, rowX)
		p.op("B ordered")
		p.label("two")
		p.op("ADD R4, R2")
		p.loadRun("R2", rowY, rowParts)
		p.loadExchange("R5", stepsTrade, "R7", mask, left, right)
		for part := range v(rowParts) {
			p.exchange(rowX+part, rowY+part, 12, mask, left, right)
		}
		inside(p, rowX, "first")
		inside(p, rowY, "second")
		order(p, stepsSecond)
		pick(p, rowX)
		p.op("VMOVI $64, V12.B16") // numbers from 64 on are the other row's
		for part := range v(rowParts) {
			p.xor(12, rowFrom+part, rowFrom+part)
			p.op("VTBX V%d.B16, [%s], V%d.B16", rowFrom+part, run(rowY, rowParts, "B16"), rowOut+part)
		}
		p.label("ordered")
		const keep, dst = v(12), v(16)
		p.loadRun("R6", keep, rowParts)
		byLength(p, "R1", "write", func(parts int) {
			p.loadRun("R0", dst, parts)
			for part := range v(parts) {
				op.do(p, dst+part, rowOut+part, keep+part)
			}
			p.storeRun(dst, parts, "R0")
		}, func() {
			p.op("FMOVD (R0), F%d", dst)
			op.do(p, dst, rowOut, keep)
			p.op("FMOVD F%d, (R0)", dst)
		})
		p.op("RET")
	}
}

// byLength prints what is done to eight, four or two words, and to one.
func byLength(p *printer, words, name string, parts func(parts int), one func()) {
	for n := rowParts; n > 0; n /= 2 {
		p.op("CMP $%d, %s", 2*n, words)
		p.op("BNE %s%d", name, n)
		parts(n)
		p.op("B %sDone", name)
		p.label(fmt.Sprintf("%s%d", name, n))
	}
	one()
	p.label(name + "Done")
}

// order sets the numbers of the bytes that come to each place: sums of the columns of its number's bits.
func order(p *printer, at int) {
	const columns, index, t, t2 = v(16), v(17), v(28), v(12)
	var table []byte
	for column := range 7 {
		for place := range 16 {
			switch {
			case column == 0: // of every place
				table = append(table, 0)
			case column > 4 || place>>(column-1)&1 == 1: // of bits 4 and 5, which number the registers, too
				table = append(table, byte(8-column))
			default:
				table = append(table, 0x80)
			}
		}
	}
	p.op("FMOVD %d(R5), F%d", at, columns)
	p.constant("rowColumns", table, 8)
	p.op("VLD1.P 64(R8), [%s]", run(index, 4, "D2"))
	p.loadRun("R8", index+4, 3)
	p.look(index, columns, 1, rowFrom)
	for c := range v(4) {
		p.look(index+1+c, columns, 1, t)
		p.xor(t, rowFrom, rowFrom)
	}
	p.look(index+5, columns, 1, t)
	p.look(index+6, columns, 1, t2)
	p.xor(t, rowFrom, rowFrom+1)
	p.xor(t2, rowFrom, rowFrom+2)
	p.xor(t2, rowFrom+1, rowFrom+3)
}

func pick(p *printer, x v) {
	for part := range v(rowParts) {
		p.look(rowFrom+part, x, rowParts, rowOut+part)
	}
}

// inside carries out the steps on a row before the second permutation. The first is mostly the identity.
func inside(p *printer, x v, name string) {
	p.op("MOVD %d(R5), R7", stepsFirst)
	p.op("MOVD $%#x, R8", identity)
	p.ops("CMP R8, R7", "BEQ "+name+"Inside")
	order(p, stepsFirst)
	pick(p, x)
	for part := range v(rowParts) {
		p.or(rowOut+part, rowOut+part, x+part)
	}
	p.label(name + "Inside")
	for i := range 3 {
		p.loadExchange("R5", stepsExchanges+16*i, "R7", mask, left, right)
		for part := range v(rowParts) {
			p.exchange(x+part, x+part, 12+part, mask, left, right)
		}
	}
}
