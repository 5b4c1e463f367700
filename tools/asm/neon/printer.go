package main

import (
	"fmt"
	"strings"
)

// printer prints functions in the syntax of Go's assembler: operands from right to left.
type printer struct{ text, stubs, data strings.Builder }

// begin begins a function whose arguments and result have eight bytes each, loaded to R0, R1, ….
func (p *printer) begin(name, args, result, doc string) {
	n := strings.Count(args, ",") + 1
	size := 8 * n
	switch {
	case strings.HasSuffix(result, " bool)"):
		size++
	case result != "":
		size += 8
	}
	fmt.Fprintf(&p.stubs, "\n// %s\n//\n//go:noescape\nfunc %s(%s) %s\n", strings.ReplaceAll(doc, "\n", "\n// "), name, args, result)
	fmt.Fprintf(&p.text, "\n// func %s(%s) %s\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, args, result, name, size)
	for i, arg := range strings.Split(args, ", ") {
		p.op("MOVD %s+%d(FP), R%d", strings.Fields(arg)[0], 8*i, i)
	}
}

func (p *printer) op(format string, args ...any) { fmt.Fprintf(&p.text, "\t"+format+"\n", args...) }

func (p *printer) ops(lines ...string) {
	for _, line := range lines {
		p.op("%s", line)
	}
}

func (p *printer) label(name string) { fmt.Fprintf(&p.text, "%s:\n", name) }

// constant writes a table of bytes and prints the load of its address to a register.
func (p *printer) constant(name string, bytes []byte, register int) {
	if declared := fmt.Sprintf("GLOBL %s<>", name); !strings.Contains(p.data.String(), declared) {
		for i := 0; i < len(bytes); i += 8 {
			word := uint64(0)
			for k, b := range bytes[i : i+8] {
				word |= uint64(b) << (8 * k)
			}
			fmt.Fprintf(&p.data, "DATA %s<>+%d(SB)/8, $%#016x\n", name, i, word)
		}
		fmt.Fprintf(&p.data, "%s(SB), RODATA|NOPTR, $%d\n\n", declared, len(bytes))
	}
	p.op("MOVD $%s<>(SB), R%d", name, register)
}

type v int

func (p *printer) bitwise(op string, m, n, d v) { p.op("%s V%d.B16, V%d.B16, V%d.B16", op, m, n, d) }

func (p *printer) and(m, n, d v) { p.bitwise("VAND", m, n, d) }
func (p *printer) or(m, n, d v)  { p.bitwise("VORR", m, n, d) }
func (p *printer) xor(m, n, d v) { p.bitwise("VEOR", m, n, d) }

// Instructions that Go's assembler does not have, with their operands in its order.
func (p *printer) word(name string, code uint32, m, n, d v) {
	p.op("WORD $%#08x // %s V%d, V%d, V%d", code|uint32(m)<<16|uint32(n)<<5|uint32(d), name, m, n, d)
}

func (p *printer) andNot(m, n, d v) { p.word("BIC.B16", 0x4e601c00, m, n, d) }

func (p *printer) orNot(m, n, d v) { p.word("ORN.B16", 0x4ee01c00, m, n, d) }

// shift shifts the words of n to the left by those of m, to the right where these are negative.
func (p *printer) shift(m, n, d v) { p.word("USHL.D2", 0x6ee04400, m, n, d) }

// addPairs adds neighbouring elements of 1, 2 or 4 bytes, which makes them twice as long.
func (p *printer) addPairs(bytes int, n, d v) {
	p.word("UADDLP", map[int]uint32{1: 0x6e202800, 2: 0x6e602800, 4: 0x6ea02800}[bytes], 0, n, d)
}

// load and store move 16 bytes at a distance from an address.
func (p *printer) load(base string, at int, d v)  { p.op("FMOVQ %d(%s), F%d", at, base, d) }
func (p *printer) store(d v, base string, at int) { p.op("FMOVQ F%d, %d(%s)", d, at, base) }

func (p *printer) loadRun(base string, first v, n int) {
	p.op("VLD1 (%s), [%s]", base, run(first, n, "D2"))
}
func (p *printer) storeRun(first v, n int, base string) {
	p.op("VST1 [%s], (%s)", run(first, n, "D2"), base)
}

// look sets the bytes of d to those of n consecutive registers that the bytes of index number,
// and to zero where there is none.
func (p *printer) look(index, first v, n int, d v) {
	p.op("VTBL V%d.B16, [%s], V%d.B16", index, run(first, n, "B16"), d)
}

func run(first v, n int, kind string) string {
	var names []string
	for i := range v(n) {
		names = append(names, fmt.Sprintf("V%d.%s", first+i, kind))
	}
	return strings.Join(names, ", ")
}

// exchange swaps an index bit of the words with another, or with the bit that selects a or b. The
// mask, the shift and its negative are in registers.
func (p *printer) exchange(a, b, t, mask, left, right v) {
	p.shift(right, a, t)
	p.xor(b, t, t)
	p.and(mask, t, t)
	p.xor(t, b, b)
	p.shift(left, t, t)
	p.xor(t, a, a)
}

// loadExchange loads a mask and a shift, from a distance from an address.
func (p *printer) loadExchange(base string, at int, scratch string, mask, left, right v) {
	p.op("MOVD %d(%s), %s", at, base, scratch)
	p.op("VDUP %s, V%d.D2", scratch, mask)
	p.op("MOVD %d(%s), %s", at+8, base, scratch)
	p.op("VDUP %s, V%d.D2", scratch, left)
	p.op("NEG %s, %s", scratch, scratch)
	p.op("VDUP %s, V%d.D2", scratch, right)
}
