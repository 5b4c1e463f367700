package wasm

import (
	"encoding/binary"
	"errors"
	"fmt"

	"backsolve/game/games"
)

// Rules run as machine code, which nothing can interrupt. So before a module is compiled, it gets
// a meter: a global that each function and each iteration of a loop lowers by the bytes of its
// code, and that traps below zero. Anything that could make compiling or memory explode is
// refused here too.

const (
	maxFunction = 32 << 10 // bytes of code
	maxLocals   = 1000     // of a function
	maxTable    = 10_000   // entries
	maxValues   = 64       // parameters or results
	// maxSpread bounds the locals times the blocks of all functions, to which a compiler's memory is proportional.
	maxSpread = 4 << 20

	// bulkCost is the cost of a bulk operation, which may move all of the memory.
	bulkCost = 16 << 10

	meterName = "meter of backsolve"
)

// Sections of a module.
const (
	sectionType   = 1
	sectionImport = 2
	sectionTable  = 4
	sectionGlobal = 6
	sectionExport = 7
	sectionCode   = 10
	sectionData   = 12 // the count of data segments, which stands before the code
	sections      = 13
)

// order is the order of sections in a module.
var order = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 9, sectionData, sectionCode, 11}

var (
	errCut     = errors.New("it is cut off, or no WebAssembly")
	errFeature = errors.New("it uses vectors, threads, tail calls, exceptions, or tables that change; compile it for WebAssembly 1.0 with at most bulk memory")
)

// source reads a module. After an error all reads give zero.
type source struct {
	b   []byte
	at  int
	err error
}

func (s *source) fail(err error) {
	if s.err == nil {
		s.err, s.at = err, len(s.b)
	}
}

func (s *source) byte() byte {
	if s.at >= len(s.b) {
		s.fail(errCut)
		return 0
	}
	s.at++
	return s.b[s.at-1]
}

// number reads an unsigned number below 2³¹.
func (s *source) number() int {
	n, length := binary.Uvarint(s.b[s.at:])
	if length <= 0 || length > 5 || n > 1<<31-1 {
		s.fail(errCut)
		return 0
	}
	s.at += length
	return int(n)
}

// skip skips a number of any length and sign.
func (s *source) skip() {
	_, length := binary.Uvarint(s.b[s.at:])
	if length == 0 {
		s.fail(errCut)
	}
	s.at = min(s.at+max(length, -length), len(s.b)) // below 0 beyond 64 bits
}

func (s *source) take(n int) []byte {
	if n < 0 || n > len(s.b)-s.at {
		s.fail(errCut)
		return nil
	}
	s.at += n
	return s.b[s.at-n : s.at]
}

// count reads the length of a list whose elements have at least a byte each. A missing section has
// no elements.
func (s *source) count() int {
	if s.b == nil {
		return 0
	}
	n := s.number()
	if n > len(s.b)-s.at {
		s.fail(errCut)
		return 0
	}
	return n
}

type metering struct {
	parts   [sections][]byte // the content of each section
	globals int              // before the meter, whose index it is
	spread  int
	code    []byte // the output
}

func metered(module []byte, value uint64) (out []byte, err error) {
	if len(module) > games.MaxRules {
		return nil, fmt.Errorf("it has %d bytes, but at most %d are read", len(module), games.MaxRules)
	}
	var m metering
	if err := m.split(module); err != nil {
		return nil, err
	}
	// An i64, mutable, initialised by an i64.const; the number is written alike with and without
	// a sign.
	meter := append(binary.AppendUvarint([]byte{0x7e, 1, 0x42}, value), 0x0b)
	if m.parts[sectionGlobal], m.globals, err = appended(m.parts[sectionGlobal], meter); err != nil {
		return nil, err
	}
	for _, step := range []func() error{m.checkTypes, m.checkTables, m.export, m.meter} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	out = append(out, module[:8]...)
	for _, id := range order {
		if content := m.parts[id]; content != nil {
			out = append(binary.AppendUvarint(append(out, byte(id)), uint64(len(content))), content...)
		}
	}
	return out, nil
}

// split finds the sections. It drops those that only tools read.
func (m *metering) split(module []byte) error {
	if len(module) < 8 || string(module[:8]) != "\x00asm\x01\x00\x00\x00" {
		return errors.New("it is not WebAssembly 1.0")
	}
	s := source{b: module, at: 8}
	for s.at < len(module) {
		id := int(s.byte())
		content := s.take(s.number())
		switch {
		case s.err != nil:
			return s.err
		case id == 0:
		case id >= sections || m.parts[id] != nil:
			return errCut
		default:
			m.parts[id] = content
		}
	}
	imports := source{b: m.parts[sectionImport]}
	if imports.count() > 0 {
		module, name := string(imports.take(imports.count())), string(imports.take(imports.count()))
		return fmt.Errorf("it imports %.40q of %.40q; rules can import nothing", name, module)
	}
	return nil
}

// appended returns a section's list with another element at its end, and how many there were.
func appended(list, element []byte) (longer []byte, count int, err error) {
	s := source{b: list}
	count = s.count()
	longer = binary.AppendUvarint(nil, uint64(count)+1)
	return append(append(longer, list[s.at:]...), element...), count, s.err
}

// checkTypes bounds the parameters and results of functions and blocks.
func (m *metering) checkTypes() error {
	s := source{b: m.parts[sectionType]}
	for range s.count() {
		if s.byte() != 0x60 {
			s.fail(errCut)
		}
		for range 2 {
			n := s.count()
			if s.take(n); n > maxValues {
				return fmt.Errorf("a function has %d parameters or results, but at most %d can be", n, maxValues)
			}
		}
	}
	return s.err
}

// checkTables bounds the memory of tables of functions.
func (m *metering) checkTables() error {
	s := source{b: m.parts[sectionTable]}
	for i := range s.count() {
		if i > 0 {
			return errFeature
		}
		s.take(2) // the element type, and whether there is a maximum
		if n := s.number(); n > maxTable {
			return fmt.Errorf("its table has %d entries, but at most %d can be", n, maxTable)
		}
	}
	return s.err
}

func (m *metering) export() error {
	element := append([]byte{byte(len(meterName))}, meterName...)
	list, _, err := appended(m.parts[sectionExport], binary.AppendUvarint(append(element, 3), uint64(m.globals)))
	m.parts[sectionExport] = list
	return err
}

// meter adds code that lowers the meter to each function and loop.
func (m *metering) meter() error {
	s := source{b: m.parts[sectionCode]}
	n := s.count()
	list := binary.AppendUvarint(nil, uint64(n))
	for range n {
		body := s.take(s.count())
		if s.err != nil {
			return s.err
		}
		if err := m.function(body); err != nil {
			return err
		}
		list = append(binary.AppendUvarint(list, uint64(len(m.code))), m.code...)
	}
	m.parts[sectionCode] = list
	return s.err
}

// lower writes code that lowers the meter by a number to be filled in later, and returns the
// place of the number.
func (m *metering) lower() (at int) {
	global := func(op byte) { m.code = binary.AppendUvarint(append(m.code, op), uint64(m.globals)) }
	global(0x23)
	m.code = append(m.code, 0x42)
	at = len(m.code)
	m.code = append(m.code, 0, 0, 0, 0x7d) // three bytes hold what maxFunction allows; i64.sub
	global(0x24)
	global(0x23)
	m.code = append(m.code, 0x42, 0, 0x53, 0x04, 0x40, 0x00, 0x0b) // i64.const 0, i64.lt_s, if, unreachable, end
	return at
}

// set fills in the number at a place that lower has returned.
func (m *metering) set(at, n int) {
	m.code[at], m.code[at+1], m.code[at+2] = byte(n)|0x80, byte(n>>7)|0x80, byte(n>>14)
}

// function writes a function with its meter to m.code.
func (m *metering) function(body []byte) error {
	if len(body) > maxFunction {
		return fmt.Errorf("a function has %d bytes, but at most %d can be; divide it", len(body), maxFunction)
	}
	s := source{b: body}
	locals := 0
	for range s.count() {
		if locals += s.number(); locals > maxLocals {
			return fmt.Errorf("a function has more than %d variables; divide it", maxLocals)
		}
		s.byte()
	}
	m.code = append(m.code[:0], body[:s.at]...)
	open := []opened{{m.lower(), s.at}}
	blocks := 1
	for len(open) > 0 && s.err == nil {
		from := s.at
		op := s.byte()
		if op == 0xfc && s.at < len(body) && body[s.at] > 7 { // below are conversions
			m.set(m.lower(), bulkCost)
		}
		blocks += m.operands(&s, op)
		m.code = append(m.code, body[from:s.at]...)
		switch op {
		case 0x02, 0x04: // block, if
			open = append(open, opened{})
		case 0x03: // loop
			open = append(open, opened{m.lower(), from})
		case 0x0b: // end
			last := open[len(open)-1]
			if last.at > 0 {
				m.set(last.at, s.at-last.from)
			}
			open = open[:len(open)-1]
		}
	}
	if s.err == nil && s.at != len(body) {
		return errCut
	}
	if m.spread += blocks * (locals + maxValues); m.spread > maxSpread {
		return errors.New("its functions have too many variables and blocks; divide them")
	}
	return s.err
}

// opened is a block that has not ended: the place of its number in the output, 0 for none, and
// the place in the input where it begins.
type opened struct{ at, from int }

// operands reads the operands of an operation, and returns how many blocks it adds.
func (m *metering) operands(s *source, op byte) (blocks int) {
	switch {
	case op >= 0x02 && op <= 0x04: // block, loop, if
		s.skip()
		return 1
	case op == 0x0c || op == 0x0d || op == 0x10 || op >= 0x20 && op <= 0x22 || op == 0xd2: // br, br_if, call, local, ref.func
		s.number()
		return int(op & 1) // br_if goes on in another block
	case op == 0x0e: // br_table
		n := s.count()
		for range n + 1 {
			s.number()
		}
		return n
	case op == 0x1c: // select
		s.take(s.count())
	case op == 0x23 || op == 0x24: // global
		if s.number() >= m.globals {
			s.fail(errCut)
		}
	case op == 0x11 || op >= 0x28 && op <= 0x3e: // call_indirect, load, store
		s.number()
		s.number()
	case op == 0x3f || op == 0x40 || op == 0xd0: // memory.size, memory.grow, ref.null
		s.byte()
	case op == 0x41 || op == 0x42: // const
		s.skip()
	case op == 0x43:
		s.take(4)
	case op == 0x44:
		s.take(8)
	case op == 0xfc:
		bulk, operands := s.number(), [...]int{8: 2, 9: 1, 10: 2, 11: 1} // memory.init, data.drop, memory.copy, memory.fill
		if bulk >= len(operands) {
			s.fail(errFeature)
			return 0
		}
		for range operands[bulk] {
			s.number()
		}
	case op == 0x00 || op == 0x01 || op == 0x05 || op == 0x0b || op == 0x0f || op == 0x1a || op == 0x1b || op >= 0x45 && op <= 0xc4 || op == 0xd1:
	default:
		s.fail(errFeature)
	}
	return 0
}
